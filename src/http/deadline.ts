import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from './errors.ts';

/** A request may be several units of work in the database, and wait for a connection before each: it is answered all the same. */
const ANSWER_MS = 2_300;

export const tooSlow = (): HttpError =>
  new HttpError(503, 'The service cannot reach its database just now: try again shortly.', { 'Retry-After': '2' });

/** Has a request answered that is not when ANSWER_MS have gone by since all of it had come. */
export function answerInTime(request: IncomingMessage, response: ServerResponse, onLate: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => void (response.headersSent || onLate()), ANSWER_MS);
  };
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = request.headers;
  if (transfer === undefined && Number(length) === 0) begin();
  else request.once('end', begin);
  response.once('close', () => clearTimeout(timer));
}
