import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SIZES } from '../../limits.ts';
import { HttpError } from '../response/errors.ts';

/** The part of the event loop's time that the work of one client may take. */
const SHARE = 0.2;

/**
 * Does work after the earlier work of the same client, and after a pause that limits the client to SHARE of the time.
 */
type TimeShare = <T>(client: string, work: () => T) => Promise<T>;

/**
 * Bounds how much of the event loop one client uses. The memory budget of bodies bounds how much work waits. `pauseFor`
 * settles after a time.
 */
export function createTimeShare(pauseFor: (ms: number) => Promise<void>): TimeShare {
  /** For each client with work that waits or was done a moment ago: the end of its last pause. */
  const pauses = new Map<string, Promise<void>>();

  return async (client, work) => {
    const { promise: isDone, resolve } = Promise.withResolvers<number>();
    const before = pauses.get(client);
    const pause: Promise<void> = isDone
      .then((tookMs) => pauseFor(tookMs / SHARE - tookMs))
      .then(() => void (pauses.get(client) === pause && pauses.delete(client)));
    pauses.set(client, pause);
    await before;
    const beganAt = performance.now();
    try {
      return work();
    } finally {
      resolve(performance.now() - beganAt);
    }
  };
}

/**
 * Does work on `size` bytes or characters of a request: large work in its client's share, unless the client has left.
 */
export type ShareLargeWork = <T>(
  request: IncomingMessage,
  client: string,
  size: number,
  work: () => T,
) => T | Promise<T>;

export function createShareLargeWork(): ShareLargeWork {
  const timeShare = createTimeShare((ms) => delay(ms, undefined, { ref: false }));
  return (request, client, size, work) => {
    if (size <= SIZES.body.smallBytes) return work();
    return timeShare(client, () => {
      if (request.socket.destroyed) throw new HttpError(400, 'The client has left.');
      return work();
    });
  };
}
