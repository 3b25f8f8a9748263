import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../../limits.ts';
import { type HttpError, unavailable } from '../response/errors.ts';

export const tookTooLong = (): HttpError => unavailable('The request took too long: try again shortly.');

const deadlines = new WeakMap<ServerResponse, { stop(): void; begin(): void }>();

/** Stops the clock of `answerInTime` for a request that waits. The returned function starts it again. */
export function pauseDeadline(response: ServerResponse): () => void {
  const deadline = deadlines.get(response);
  deadline?.stop();
  return () => deadline?.begin();
}

/**
 * Calls `onLate` when a request has no answer after `answerTimeoutMs`, not counting the time in which its body is
 * received.
 */
export function answerInTime(
  request: IncomingMessage,
  response: ServerResponse,
  onLate: () => void,
  { requests }: Limits,
): void {
  let leftMs = requests.answerTimeoutMs;
  let beganAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (response.closed) return;
    beganAt = performance.now();
    timer = setTimeout(() => void (response.headersSent || onLate()), leftMs);
  };
  const stop = (): void => {
    clearTimeout(timer);
    leftMs -= performance.now() - beganAt;
  };
  begin();
  deadlines.set(response, { stop, begin });
  // The body is read after the key has been checked. A request without a body is complete.
  request.once('resume', () => {
    if (request.complete) return;
    stop();
    request.once('end', begin);
  });
  response.once('close', () => clearTimeout(timer));
}
