import { asListed, HIDDEN_ORIGIN, toOrigin } from '../../forms/origins.ts';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import type { Log } from '../../lib/log.ts';
import { literal } from '../../problems/sentence.ts';
import type { FileLimit, NotReceived } from '../../submissions/outcomes.ts';
import { keyReused } from '../request/idempotency-key.ts';
import { errorKind, HttpError, toLoggedError, tooManySubmissions } from '../response/errors.ts';
import { formClosed } from '../response/form-closed.ts';

/** The maximum length of an origin in messages, because a client can send any text. */
const MAX_SHOWN_ORIGIN_CHARS = 300;

/** The maximum number of errors of rate limits in memory. Most limits are of a minute. */
const MAX_RATE_LIMIT_ERRORS = 100;

/** Why a submission is refused. `unreadable`: the request can't be read. */
export type Refusal = NotReceived | { kind: 'unreadable'; error: unknown };

/** An origin as messages show it, cut. */
export const shownOrigin = (origin: string): string =>
  origin.length > MAX_SHOWN_ORIGIN_CHARS ? `${origin.slice(0, MAX_SHOWN_ORIGIN_CHARS)}…` : origin;

/** The remedy: the owner lists the origin, the page shows its origin, or nothing helps, because no page has such an origin. */
type Remedy = 'list' | 'show' | 'none';

export function remedyFor(origin: string): Remedy {
  if (origin === HIDDEN_ORIGIN) return 'show';
  return toOrigin(origin) === asListed(origin) ? 'list' : 'none';
}

const ADVICE: Readonly<Record<Remedy, (origin: string) => string>> = {
  list: (origin) => `This form accepts no submissions from ${origin}: its owner must add ${origin} to allowed_origins.`,
  show: () =>
    'This form accepts no submissions from a page that hides its origin (Origin: null): replace the referrer policy no-referrer or ' +
    'same-origin of the page by strict-origin-when-cross-origin, and add allow-same-origin to the sandbox of a frame. To accept all ' +
    'pages that hide their origin, files too, its owner can add "null" to allowed_origins.',
  none: (origin) =>
    `This form accepts no submissions from ${origin || 'an empty origin'}: send it from a page whose origin allowed_origins ` +
    'can have, such as https://example.org.',
};

export const originRefused = errorKind(
  {
    id: 'OriginRefused',
    description:
      'The deployment has `allowed_origins`, and the form is on a page of another origin, or of a hidden one.',
  },
  (origin: string) => new HttpError(403, ADVICE[remedyFor(origin)](literal(shownOrigin(origin)))),
  'https://example.com',
);

export const noSuchForm = errorKind(
  { id: 'NoSuchForm', description: 'There is no such deployment, or it was deleted.' },
  () => new HttpError(404, 'No such deployment: check the id in the address that the form posts to.'),
);

export const formSuspended = errorKind(
  { id: 'FormSuspended', description: 'The operator has suspended the owner of the form.' },
  () => new HttpError(403, 'This form accepts no submissions: ask the owner of the page.'),
);

export const webhookLoop = errorKind(
  { id: 'WebhookLoop', description: 'The request is a delivery of this service: a webhook leads back to it.' },
  () => new HttpError(508, 'A webhook leads back to this service: give it the address of a receiver of your own.'),
);

/** The page that a visitor gets offers to send the form without files. */
export const noStorageForFiles = errorKind(
  {
    id: 'NoStorageForFiles',
    description: "The files are more than the plan of the form's owner allows. Without files, the form is accepted.",
  },
  () => new HttpError(413, 'The owner of the form has no storage left for these files: send the form without files.'),
);

const FILES_REFUSED: Readonly<Record<FileLimit['kind'], (limit: number) => string>> = {
  count: (limit) => `The submission has too many files: send at most ${limit}.`,
  file: (limit) => `A file is too large: send at most ${limit} bytes in each.`,
  files: (limit) => `The files are too large: send at most ${limit} bytes of files.`,
};

/** Errors of rate limits by their seconds, which are few: a flood of refusals makes none. */
const rateLimitErrors = createBoundedCache<number, HttpError>(MAX_RATE_LIMIT_ERRORS);

function rateLimited(retryAfterMs: number): HttpError {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const known = rateLimitErrors.get(seconds);
  if (known) return known;
  const error = tooManySubmissions(retryAfterMs);
  rateLimitErrors.set(seconds, error);
  return error;
}

/** The error that answers a refusal. Its cause is logged when it was not foreseen. */
export function errorOf(refusal: Refusal, log: Log, requestId: string): HttpError {
  switch (refusal.kind) {
    case 'loop':
      return webhookLoop();
    case 'no-form':
      return noSuchForm();
    case 'suspended':
      return formSuspended();
    case 'origin-refused':
      return originRefused(refusal.origin);
    case 'closed':
      return formClosed(refusal.closing, refusal.form?.rules.closedMessage ?? null);
    case 'rate-limited':
      return rateLimited(refusal.retryAfterMs);
    case 'key-reused':
      return keyReused();
    case 'storage-full':
      return noStorageForFiles();
    case 'files-refused':
      return new HttpError(413, FILES_REFUSED[refusal.exceeded.kind](refusal.exceeded.limit));
    case 'unavailable':
    case 'failed':
    case 'unreadable':
      return toLoggedError(refusal.error, log, requestId);
  }
}
