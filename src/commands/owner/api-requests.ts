import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createFormhost } from '../../client/client.ts';
import { TEMPLATE_TYPE } from '../../problems/problem-document.ts';
import { type ReadProblem, readProblem, sentencesOf } from '../../problems/read-problem.ts';
import { render } from '../../problems/sentence.ts';
import { CommandError, messageOf } from '../command-error.ts';
import { COMMAND_LIMITS } from '../command-limits.ts';
import { say } from '../output.ts';
import { type CommandNames, commandWords, type FieldNames } from './command-words.ts';
import type { Account } from './stored-account.ts';

/*
 * The service's API, with a message for a person for each way in which a request can fail.
 */

/** The whole of an answer that is not a stream. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Until an answer begins. */
const BEGIN_TIMEOUT_MS = 60_000;
/** The pauses between tries grow no longer, so that a command goes on soon after an outage. */
const LONGEST_PAUSE_MS = 15_000;

/** The service has answered with an error. */
export class ApiError extends CommandError {
  readonly status: number;
  /** The time in its Retry-After. */
  readonly retryAfterMs: number;
  constructor(status: number, message: string, retryAfterMs = 0) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There was no answer, or only the beginning of one. */
export class ConnectionError extends CommandError {}

/** Returns whether the same request may succeed in a moment. */
export const isTransient = (error: unknown): error is CommandError =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/** Waits before another try: longer each time, and as long as the service has asked for. Rejects when the signal fires. */
export async function pause(failures: number, error: CommandError, signal: AbortSignal): Promise<void> {
  const asked = error instanceof ApiError ? error.retryAfterMs : 0;
  const ms = Math.min(LONGEST_PAUSE_MS, COMMAND_LIMITS.firstPauseMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
  await delay(Math.max(ms, asked), undefined, { signal });
}

/** Does again, so many times at most, what fails for now. `tell` is called before each pause. */
export async function retry<T>(
  work: () => Promise<T>,
  { times, signal, tell }: { times: number; signal: AbortSignal; tell?: (error: CommandError) => void },
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (failures > times || !isTransient(error)) throw error;
      tell?.(error);
      await pause(failures, error, signal);
    }
  }
}

/** Why fetch has failed: the error of the socket or of the name, which it wraps. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const inner = cause instanceof AggregateError && cause.errors[0] instanceof Error ? cause.errors[0] : cause;
  return messageOf(inner);
}

/** Names the setting of a proxy that requests to the address may go through. */
function proxyAdvice(url: string): string {
  const name = url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  return process.env[name] || process.env[name.toLowerCase()] ? `, ${name}` : '';
}

/** The error in a body, if it is one of this API's. */
function problemIn(text: string): ReadProblem | undefined {
  try {
    return readProblem(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the object that a JSON text has; undefined for another text. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

type Reading = {
  /** How the content type begins. */
  type: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
  /** For how long nothing may arrive. */
  idleMs: number;
};

/** Requests to a service with the key of an owner, or without one where it is empty. All methods throw a CommandError for anything but a success. */
export class Service {
  readonly url: string;
  readonly api: Client;
  /** The same for a request that belongs to another one: what it notes besides its answer is not said. */
  readonly quietApi: Client;
  readonly #account: Account;
  readonly #names: CommandNames;
  readonly #texts = new WeakMap<Response, string>();

  constructor(account: Account, names: CommandNames = {}) {
    this.#account = account;
    this.#names = names;
    this.url = account.url;
    this.api = createFormhost({ url: account.url, fetch: (request) => this.#call(request) });
    const isQuiet = true;
    this.quietApi = createFormhost({ url: account.url, fetch: (request) => this.#call(request, { isQuiet }) });
  }

  /** The API, with another limit for the whole of an answer. */
  apiWithin(timeoutMs: number): Client {
    return createFormhost({ url: this.url, fetch: (request) => this.#call(request, { timeoutMs }) });
  }

  /** The data that a call of `api` returns, and its text as it was sent. */
  async answer<T>(call: Promise<{ data?: T; response: Response }>): Promise<{ data: NonNullable<T>; text: string }> {
    const { data, response } = await call.catch((error: unknown) => {
      throw error instanceof SyntaxError ? this.#notOurs(200) : error;
    });
    if (data === undefined || data === null) throw this.#notOurs(response.status);
    return { data, text: this.#texts.get(response) ?? '' };
  }

  /** Sends a request of any operation. Returns its answer, and the text as it was sent. */
  async request(
    method: string,
    path: string,
    { query, body, signal }: { query: Record<string, string>; body: object | undefined; signal: AbortSignal },
  ): Promise<{ data: Readonly<Record<string, unknown>>; text: string }> {
    const search = new URLSearchParams(query).toString();
    const request = new Request(`${this.url}${path}${search && `?${search}`}`, {
      ...{ method, signal },
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    const response = await this.#call(request);
    const text = await response.text();
    const data = objectIn(text);
    if (!data) throw this.#notOurs(response.status);
    return { data, text };
  }

  /** The pieces of an answer, as they arrive. A connection that breaks, or is silent for too long, is a ConnectionError. */
  async open(path: string, { type, headers = {}, signal, idleMs }: Reading): Promise<AsyncGenerator<Uint8Array>> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error('no answer')), BEGIN_TIMEOUT_MS);
    try {
      const request = new Request(this.url + path, { headers });
      const response = await this.#send(request, AbortSignal.any([signal, abort.signal]));
      // A page that asks for a password, for example, is no submissions.
      if (response.body && response.headers.get('content-type')?.startsWith(type)) {
        return piecesOf(response.body, idleMs, abort);
      }
      abort.abort(new Error('not read'));
      throw this.#notOurs(response.status);
    } finally {
      clearTimeout(timer);
    }
  }

  async #call(request: Request, { timeoutMs = ANSWER_TIMEOUT_MS, isQuiet = false } = {}): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await this.#send(request, AbortSignal.any([request.signal, timeout]), isQuiet);
    const text = await response.text().catch((error: unknown) => {
      const advice = request.method === 'GET' ? 'try again' : 'what was asked may have been done';
      throw new ConnectionError(`the connection to ${this.url} broke (${reasonOf(error)}): ${advice}`);
    });
    if (!response.headers.get('content-type')?.startsWith('application/json')) throw this.#notOurs(response.status);
    const read = new Response(text, response);
    this.#texts.set(read, text);
    return read;
  }

  /** `signal`: in a Request, the garbage collector would take it away. */
  async #send(request: Request, signal: AbortSignal, isQuiet = false): Promise<Response> {
    // In a copy of the request, because a redirect to another host must not get a page or become a GET.
    const own = new Request(request, { redirect: 'manual' });
    if (this.#account.key !== '') own.headers.set('Authorization', `Bearer ${this.#account.key}`);
    own.headers.set('Accept', `${TEMPLATE_TYPE}, */*`);
    const response = await fetch(own, { signal }).catch((error: unknown) => {
      throw new ConnectionError(
        `${this.url} cannot be reached (${reasonOf(error)}): check the address${proxyAdvice(this.url)}, and that the service runs`,
      );
    });
    if (!response.ok) throw await this.#errorOf(response);
    const notice = response.headers.get('formhost-notice');
    if (notice !== null && !isQuiet) say(render(notice, await commandWords(this.#names)));
    return response;
  }

  #notOurs(status: number): ApiError {
    return new ApiError(status, `${this.url} does not answer as formhost does (status ${status}): check the address`);
  }

  async #errorOf(response: Response): Promise<ApiError> {
    const { status, headers } = response;
    const { url, keyFrom } = this.#account;
    const problem = problemIn(await response.text().catch(() => ''));
    if (status >= 300 && status < 400) {
      const place = headers.get('location') ?? 'another address';
      return new ApiError(status, `${url} leads to ${place}: use the address that the service has itself`);
    }
    if (problem === undefined) {
      if (status < 500) return this.#notOurs(status);
      return new ApiError(status, `${url} answers ${status}: the service or its proxy is not ready, try again later`);
    }
    if (status === 401) {
      const advice = keyFrom === 'FORMHOST_KEY' ? 'set another' : 'run formhost login with another';
      return new ApiError(status, `the API key of ${keyFrom} is not valid at ${url}: ${advice}`);
    }
    const words = await commandWords(this.#names);
    // A sentence that names a command says the next step itself.
    const next = problem.next === undefined || /\{[A-Z]+ \//.test(problem.detail) ? [] : [render(problem.next, words)];
    const message = [...sentencesOf(problem, words), ...next].join(' ');
    return new ApiError(status, message, (Number(headers.get('retry-after')) || 0) * 1_000);
  }
}

async function* piecesOf(
  body: AsyncIterable<Uint8Array>,
  idleMs: number,
  abort: AbortController,
): AsyncGenerator<Uint8Array> {
  const wait = () => setTimeout(() => abort.abort(new Error(`nothing for ${idleMs / 1_000} s`)), idleMs);
  let timer = wait();
  try {
    for await (const piece of body) {
      // The reader may be slow.
      clearTimeout(timer);
      yield piece;
      timer = wait();
    }
  } catch (error) {
    throw new ConnectionError(`the connection broke (${reasonOf(error)})`);
  } finally {
    clearTimeout(timer);
  }
}

/** The pages of a list, one after the other. `get` asks for one. */
async function* pagesOf<T extends { total: number }>(
  service: Service,
  get: (query: { page: number; limit: number }) => Promise<{ data?: T; response: Response }>,
) {
  const limit = COMMAND_LIMITS.pageSize;
  for (let page = 1; ; page += 1) {
    const answered = await service.answer(get({ page, limit }));
    yield answered;
    if (page * limit >= answered.data.total) return;
  }
}

/** The live deployments, newest first. */
const listDeployments = (service: Service) =>
  pagesOf(service, (query) => service.api.GET('/deploy', { params: { query } }));

/** The deleted deployments, the last deleted first. */
const listTrash = (service: Service) => pagesOf(service, (query) => service.api.GET('/trash', { params: { query } }));

/** The live deployments with their former slugs, newest first. */
const listOverview = (service: Service) =>
  pagesOf(service, (query) => service.api.GET('/overview', { params: { query } }));

/** The id of a page that is named by its id or its slug, which it may have had before. `among`: live pages, or those in the trash. Throws a CommandError. */
export async function idOf(service: Service, name: string, among: 'live' | 'trash' = 'live'): Promise<string> {
  // A slug has no underscore.
  if (name.includes('_')) return name;
  for await (const { data } of among === 'live' ? listDeployments(service) : listTrash(service)) {
    const found = data.deployments.find(({ slug }) => slug === name);
    if (found) return found.id;
  }
  if (among === 'trash')
    throw new CommandError(`there is no page ${name} in the trash: formhost trash list shows ids and slugs`);
  for await (const { data } of listOverview(service)) {
    const found = data.deployments.find(({ former_slugs: former }) => former.includes(name));
    if (found) return found.id;
  }
  throw new CommandError(`there is no page ${name}: formhost list shows ids and slugs`);
}

/** Connects to the service that the user is logged in at. */
export type Connect = (fieldNames?: FieldNames) => Promise<Service>;

/** The service, and the id of a live page that is named by its id or its slug. */
export async function connectToPage(
  connect: Connect,
  name: string,
  fieldNames?: FieldNames,
): Promise<{ service: Service; id: string }> {
  const service = await connect(fieldNames);
  return { service, id: await idOf(service, name) };
}
