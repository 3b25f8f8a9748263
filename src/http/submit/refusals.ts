import type { Refusal } from '../../submissions/submission-service.ts';
import { HttpError, inSeconds, retryAfter } from '../response/errors.ts';
import type { Form } from './form-body.ts';
import { FilesRefused } from './multipart.ts';
import { originRefused } from './origin-refused.ts';
import type { Visitor } from './visitors.ts';

/** Says by its `cause` why a submission was refused. `visitor` is set when the answer is a page for a visitor. */
export class SubmissionError extends Error {
  readonly visitor: Visitor | undefined;

  constructor(cause: unknown, visitor: Visitor | undefined) {
    // As in HttpError: no stack, which would be a tenth of a refusal's cost.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('The submission was refused.', { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.visitor = visitor;
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

export const tooManyWaiting = (): HttpError =>
  new HttpError(503, 'Too many submissions are waiting: try again shortly.', retryAfter(1_000));

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

/** The error that answers a submission that was not stored. */
export function errorOf(outcome: Refusal): HttpError {
  switch (outcome.kind) {
    case 'no-deployment':
      return noSuchForm();
    case 'rate-limited':
      return tooManySubmissions(outcome.retryAfterMs);
    case 'origin-refused':
      return originRefused(outcome.origin);
    case 'key-reused':
      return keyReused();
  }
}
