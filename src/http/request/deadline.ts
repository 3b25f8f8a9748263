import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../../limits.ts';
import { type HttpError, unavailable } from '../response/errors.ts';

export const tookTooLong = (): HttpError => unavailable('The request took too long: try again shortly.');

const DEADLINE = Symbol('deadline');
/**
 * The deadline of an answer is a property of it, until it is closed. In a map of all, the entries of closed answers would keep
 * garbage alive: collecting it took twice as long.
 */
type Timed = ServerResponse & { [DEADLINE]?: { stop(): void; begin(): void } | undefined };

/** Stops the clock of `answerInTime` for a request that waits. The returned function starts it again. */
export function pauseDeadline(response: Timed): () => void {
  const deadline = response[DEADLINE];
  deadline?.stop();
  return () => deadline?.begin();
}

/**
 * Calls `onLate` when a request has no answer after `answerTimeoutMs`, not counting the time in which its body is
 * received.
 */
export function answerInTime(
  request: IncomingMessage,
  response: Timed,
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
  response[DEADLINE] = { stop, begin };
  // The body is read after the key has been checked. A request without a body is complete.
  request.once('resume', () => {
    if (request.complete) return;
    stop();
    request.once('end', begin);
  });
  response.once('close', () => {
    clearTimeout(timer);
    response[DEADLINE] = undefined;
  });
}
