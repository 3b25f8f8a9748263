import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Config } from '../../config.ts';
import { StorageFull } from '../../db/account/storage-queries.ts';
import { MissingObjectError } from '../../db/files/file-content-queries.ts';
import { isOutOfReach } from '../../db/postgres/out-of-reach.ts';
import { BucketError } from '../../files/bucket-error.ts';
import { inBytes } from '../../lib/byte-size.ts';
import { BusyError } from '../../lib/fair-queue.ts';
import type { Log } from '../../lib/log.ts';
import type { Limits } from '../../limits.ts';
import { generalCode } from '../../problems/catalogue.ts';
import {
  type ApiError,
  PROBLEM_TYPE,
  type ProblemDocument,
  problemOf,
  problemTemplateOf,
} from '../../problems/problem-document.ts';
import { inApiWords, literal } from '../../problems/sentence.ts';
import type { ValueError } from '../../problems/value-errors.ts';
import { SiteError } from '../../sites/sent-files.ts';
import { SIZES } from '../../sizes.ts';
import { namesProblem, wantsTemplates } from './accept.ts';

/** A bucket that fails is often out of reach for longer than a database. */
const FILES_MS = 5_000;

/** The header that names an error for programs. */
export const ERROR_CODE = 'error-code';

/* Shared, because in a flood of refusals each error would have its own. */
const NO_HEADERS = {};
const NO_ERRORS: readonly ValueError[] = [];
const NO_PARTS = {};

/** `errors`: the values that are wrong. `body`: a JSON text for all clients, in place of the service's own forms. */
type ErrorParts = { errors?: readonly ValueError[]; body?: string };

/**
 * An answer other than success. `template`: of the sentence that says what to do, with no part of the request; `message`: that
 * sentence in the words of the API.
 */
export class HttpError extends Error implements ApiError {
  readonly status: number;
  readonly template: string;
  /** Its name for programs: that of its kind, else that of its status. */
  code: string;
  readonly errors: readonly ValueError[];
  readonly body: string | undefined;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    template: string,
    headers: Readonly<Record<string, string>> = NO_HEADERS,
    { errors = NO_ERRORS, body }: ErrorParts = NO_PARTS,
  ) {
    // Nobody reads the stack trace of an answer, and in a flood of refusals it takes a tenth of their time.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(inApiWords(template));
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.template = template;
    this.code = generalCode(status);
    this.errors = errors;
    this.body = body;
    this.#headers = headers;
  }

  /** The headers of the answer. */
  get headers(): Readonly<Record<string, string>> {
    return { [ERROR_CODE]: this.code, ...this.#headers };
  }
}

/**
 * A kind of error, as endpoints declare it and the reference shows it; `example` is one of them, `schema` that of a body
 * of its own, `isCounted` whether it may have the headers about a rate limit.
 */
export type DeclaredError = {
  id: string;
  description: string;
  schema?: z.ZodType;
  isCounted?: true;
  example: HttpError;
};
/** A call makes the error to throw. */
type ErrorKind<Values extends unknown[] = []> = ((...values: Values) => HttpError) & DeclaredError;

/**
 * Declares a kind of error. `make` makes one; `values` are its arguments for the example. Its name for programs follows from
 * its id: `NoSuchDeployment` becomes `no-such-deployment`.
 */
export function errorKind<Values extends unknown[]>(
  { id, ...described }: Omit<DeclaredError, 'example'>,
  make: (...values: Values) => HttpError,
  ...values: NoInfer<Values>
): ErrorKind<Values> {
  const code = id.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
  function makeWithCode(...given: Values): HttpError {
    const error = make(...given);
    error.code = code;
    return error;
  }
  return Object.assign(makeWithCode, { id, ...described, example: makeWithCode(...values) });
}

/** The header that says when to try again. */
export const retryAfter = (ms: number): { 'Retry-After': string } => ({ 'Retry-After': String(Math.ceil(ms / 1_000)) });

/** Returns a time in words, rounded up to seconds: `1 second`, `2 seconds`. */
export function inSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

export const badRequest = errorKind(
  {
    id: 'BadRequest',
    description:
      "The request can't be read: its path can't be decoded, its target has a fragment, or it does not have exactly one Host header.",
  },
  () => new HttpError(400, 'The path cannot be decoded: percent-encode it as UTF-8.'),
);
export const failed = errorKind(
  { id: 'InternalError', description: 'An unexpected error. Only the log has the cause.' },
  () => new HttpError(500, 'Internal server error'),
);
export const unavailable = errorKind(
  {
    id: 'Unavailable',
    description:
      'The database, or the bucket with the files, is out of reach, the service is starting, or too many requests are waiting or in progress.',
  },
  (message: string, retryAfterMs: number = SIZES.retryAfter.busyMs) =>
    new HttpError(503, message, retryAfter(retryAfterMs)),
  'The service cannot use its database just now: try again shortly.',
);

export const storageFull = errorKind(
  { id: 'StorageFull', description: "The plan's limit of bytes is reached, or the API key has the scope `read`." },
  (plan: string, limit: number) =>
    new HttpError(
      403,
      `Your plan (${literal(plan)}) allows ${inBytes(limit)} of storage, and this would be more: in the dashboard, delete pages for good or submissions with files, or ask the operator for a larger plan.`,
    ),
  ...(['free', 1_000_000_000] as const),
);
/** An unknown id, and one of another owner or of a deleted deployment, get the same error. */
export const noSuchDeployment = errorKind(
  {
    id: 'NoSuchDeployment',
    description: "There is no such deployment, it was deleted, or it is another owner's.",
  },
  () => new HttpError(404, 'No such {deployment}: check the id, and that it belongs to the owner of the API key.'),
);
/** The answer of POST /submit, and the endpoint that submits a test. */
export const tooManySubmissions = errorKind(
  {
    id: 'TooManySubmissions',
    description: `The deployment has accepted \`submissions_per_minute\` (${SIZES.submissionRate.max}) submissions in the last ${SIZES.submissionRate.seconds} seconds.`,
  },
  (retryAfterMs: number) =>
    new HttpError(429, `Too many submissions: try again in ${inSeconds(retryAfterMs)}.`, retryAfter(retryAfterMs)),
  17_000,
);

/** The error for a path that no endpoint has. */
export const noSuchPath = (): HttpError =>
  new HttpError(404, 'There is nothing at this path: check it against the API reference.');

/** Returns whether an error says that no endpoint has the path. All other 404s have names of their own. */
export const isNoSuchPath = ({ code }: HttpError): boolean => code === generalCode(404);

/** The error for a method that a path has no endpoint for; `allow` lists its methods. */
export const methodNotAllowed = (allow: string): HttpError =>
  new HttpError(405, `This method is not allowed here: use ${allow}.`, { Allow: allow });

/** The answer to an error. It does not reveal the cause of an unexpected one. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof SiteError) return new HttpError(error.status, literal(error.message));
  if (error instanceof BusyError) return unavailable('The service is busy: try again shortly.');
  if (error instanceof StorageFull) return storageFull(error.storage.plan, error.storage.limit);
  if (error instanceof BucketError || error instanceof MissingObjectError) {
    return unavailable('The service cannot reach its files just now: try again shortly.', FILES_MS);
  }
  if (isOutOfReach(error)) return unavailable('The service cannot use its database just now: try again shortly.');
  // Express' router found a path parameter that does not decode.
  if (error instanceof URIError) return badRequest();
  return failed();
}

/** The answer to an error. The cause is logged when it was not foreseen. */
export function toLoggedError(cause: unknown, log: Log, requestId: string): HttpError {
  const error = toHttpError(cause);
  const isForeseen = cause instanceof HttpError || cause instanceof BusyError || error.status < 500;
  if (!isForeseen) log.error({ req_id: requestId, err: cause }, 'request failed');
  return error;
}

/** Returns whether the client should get an error as a document of RFC 9457. An error with its own body has only that form. */
export const isProblemWanted = ({ body }: HttpError, headers: IncomingHttpHeaders): boolean =>
  body === undefined && namesProblem(headers);

/** Returns the document about an error, in the words of the API or as templates. `next`: the next step, for a client that wants these. */
export const problemFor = (
  error: HttpError,
  headers: IncomingHttpHeaders,
  baseUrl: string,
  next?: string,
): ProblemDocument => (wantsTemplates(headers) ? problemTemplateOf(error, baseUrl, next) : problemOf(error, baseUrl));

/** The header of an error that another Accept would change, with what the response varies by already. */
export function varyByAccept(response: ServerResponse, { body }: HttpError): { Vary?: string } {
  if (body !== undefined) return {};
  const before = response.getHeader('Vary');
  return { Vary: before === undefined ? 'Accept' : `${before}, Accept` };
}

/**
 * Answers an error as the API does: `{"error": "<what to do>"}`, or the document of RFC 9457 where the client asks for it.
 * `next`: the template of the next step.
 */
export function writeError(
  response: ServerResponse,
  error: HttpError,
  headers: Readonly<Record<string, string>>,
  { config: { baseUrl }, limits }: { config: Pick<Config, 'baseUrl'>; limits: Limits },
  next?: string,
): void {
  const { headers: sent } = response.req;
  const isProblem = isProblemWanted(error, sent);
  const body =
    error.body ?? JSON.stringify(isProblem ? problemFor(error, sent, baseUrl, next) : { error: error.message });
  response.writeHead(error.status, {
    ...error.headers,
    ...headers,
    'Content-Type': isProblem ? PROBLEM_TYPE : 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  endEarly(response, body, limits);
}

/**
 * Ends an answer to a client that may still be sending: for a time, what it sends is received and dropped. Closing at
 * once would reset the connection, and the client would see that instead of the answer.
 */
export function endEarly(response: ServerResponse, body: string, { requests }: Limits): void {
  const request = response.req;
  if (request.complete || request.destroyed) {
    response.end(body);
    return;
  }
  // A body whose length is known is whole for the client before the response ends.
  response.write(body);
  const cut = setTimeout(() => request.socket.destroy(), requests.refusedBodyTimeoutMs);
  const end = (): void => {
    clearTimeout(cut);
    response.end();
  };
  request.once('end', end).once('close', end).once('error', end).resume();
}
