import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SIZES } from '../../sizes.ts';
import { HttpError } from '../response/errors.ts';

/** The part of the event loop's time that the work of one client may take. */
const SHARE = 0.2;

/** Bounds how much of the event loop one client uses. The memory budget of bodies bounds how much work waits. */
export class TimeShare {
  readonly #pauseFor: (ms: number) => Promise<void>;
  /** For each client with work that waits or was done a moment ago: the end of its last pause. */
  readonly #pauses = new Map<string | number, Promise<void>>();

  /** `pauseFor` settles after a time; tests have their own. */
  constructor(pauseFor = (ms: number): Promise<void> => delay(ms, undefined, { ref: false })) {
    this.#pauseFor = pauseFor;
  }

  /**
   * Does work on `size` bytes or characters of a request: large work after the earlier work of the same client, and after
   * a pause that limits the client to SHARE of the time. Rejects when the client has left.
   */
  async run<T>(request: IncomingMessage, client: string | number, size: number, work: () => T): Promise<T> {
    if (size <= SIZES.body.smallBytes) return work();
    const { promise: isDone, resolve } = Promise.withResolvers<number>();
    const before = this.#pauses.get(client);
    const pause: Promise<void> = isDone
      .then((tookMs) => this.#pauseFor(tookMs / SHARE - tookMs))
      .then(() => void (this.#pauses.get(client) === pause && this.#pauses.delete(client)));
    this.#pauses.set(client, pause);
    await before;
    const beganAt = performance.now();
    try {
      if (request.socket.destroyed) throw new HttpError(400, 'The client has left.');
      return work();
    } finally {
      resolve(performance.now() - beganAt);
    }
  }
}
