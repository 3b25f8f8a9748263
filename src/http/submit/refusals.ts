import { StorageFull } from '../../db/account/storage.ts';
import { BusyError } from '../../lib/fair-queue.ts';
import { SIZES } from '../../limits.ts';
import { HttpError, inSeconds, retryAfter } from '../response/errors.ts';
import type { Form } from './form-body.ts';
import { FilesRefused } from './multipart.ts';

/** The form is on a site that its deployment accepts nothing from. */
export class OriginRefused extends HttpError {
  readonly origin: string;

  constructor(origin: string) {
    const { maxShownOriginChars } = SIZES.errorPage;
    const shown = origin.length > maxShownOriginChars ? `${origin.slice(0, maxShownOriginChars)}…` : origin;
    super(403, `This form accepts no submissions from ${shown}: its owner must add ${shown} to allowed_origins.`);
    this.origin = shown;
  }
}

export const noSuchForm = (): HttpError =>
  new HttpError(404, 'No such deployment: check the id in the address that the form posts to.');

export const webhookLoop = (): HttpError =>
  new HttpError(508, 'A webhook leads back to this service: give it the address of a receiver of your own.');

export const keyReused = (): HttpError =>
  new HttpError(
    422,
    'The Idempotency-Key was used with another submission: send each submission with a key of its own.',
  );

export function tooManySubmissions(retryAfterMs: number): HttpError {
  return new HttpError(429, `Too many submissions: try again in ${inSeconds(retryAfterMs)}.`, retryAfter(retryAfterMs));
}

/** `form`: all that was sent; the page that a visitor gets offers to send it without files. */
export const noStorageForFiles = (form: Form): HttpError =>
  new FilesRefused(
    'The owner of the form has no storage left for these files: send the form without files.',
    { kind: 'files', limit: 0 },
    form,
  );

/** What to tell a client about an error. `form`: all that was sent, as far as it is known. */
export function explained(error: unknown, form: Form | undefined): unknown {
  if (error instanceof StorageFull) return noStorageForFiles(form ?? []);
  if (!(error instanceof BusyError)) return error;
  return new HttpError(503, 'Too many submissions are waiting: try again shortly.', retryAfter(1_000));
}
