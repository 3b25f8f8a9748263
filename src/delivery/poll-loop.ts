import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';

/** `work`: a poll did some, and there may be more. `more`: it found none yet, and has not looked everywhere. */
export type Polled = 'work' | 'more' | 'nothing';

type Options = {
  poll(): Promise<Polled>;
  /** The time between two polls that find nothing. */
  pollMs: number;
  /** What the log says of the first failure in a row. */
  failure: string;
  limits: Limits;
  log: Log;
  signal: AbortSignal;
};

/** Polls until the signal fires: at intervals, at once while there may be more, and when it is woken. */
export class PollLoop {
  readonly #options: Options;
  #isWoken = false;
  #pause = new AbortController();
  #isFailing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Settles when the signal has fired and the last poll has ended. */
  async run(): Promise<void> {
    const { limits, pollMs, signal } = this.#options;
    while (!signal.aborted) {
      this.#isWoken = false;
      const startedAt = performance.now();
      const polled = await this.#poll();
      const took = performance.now() - startedAt;
      // Polls that only look use a small share of the time; after work the next poll finds work too.
      const restMs = polled === 'work' || this.#isFailing ? 0 : took / limits.delivery.maxPollShare - took;
      await wait(Math.max(limits.delivery.minPollPauseMs, restMs), signal);
      if (polled !== 'nothing' || this.#isWoken) continue;
      this.#pause = new AbortController();
      await wait(pollMs, AbortSignal.any([this.#pause.signal, signal]));
    }
  }

  /** Polls again soon. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#pause.abort();
  }

  async #poll(): Promise<Polled> {
    const { poll, log, failure } = this.#options;
    try {
      const polled = await poll();
      this.#isFailing = false;
      return polled;
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, failure);
      this.#isFailing = true;
      return 'nothing';
    }
  }
}

/** Settles after a time, or when the signal fires. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
