import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log.ts';

/** The least pause between two polls: events in it are found by the next one together. */
const MIN_PAUSE_MS = 2;

type Polling = {
  /** Returns for how many milliseconds there is nothing to do, unless the loop is woken. */
  poll(): Promise<number>;
  /** The pause after a poll that has failed. */
  retryMs: number;
  /** The sentence in the log about the first failure in a row. */
  failure: string;
  log: Log;
  signal: AbortSignal;
};

/** Polls until the signal fires. */
export class PollLoop {
  readonly #options: Polling;
  #isWoken = false;
  #isFailing = false;
  /** Ends the pause. */
  #endPause: () => void = () => undefined;

  constructor(options: Polling) {
    this.#options = options;
  }

  /** Settles when the signal has fired and the last poll has ended. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    signal.addEventListener('abort', () => this.wake());
    while (!signal.aborted) {
      // An event from now on may come too late for this poll.
      this.#isWoken = false;
      const pauseMs = await this.#poll();
      await delay(MIN_PAUSE_MS);
      if (pauseMs > MIN_PAUSE_MS && !this.#isWoken) await this.#pause(pauseMs - MIN_PAUSE_MS);
    }
  }

  /** Polls again soon. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  async #poll(): Promise<number> {
    const { poll, retryMs, failure, log, signal } = this.#options;
    try {
      const pauseMs = await poll();
      this.#isFailing = false;
      return pauseMs;
    } catch (error) {
      if (!this.#isFailing && !signal.aborted) log.warn({ err: error }, failure);
      this.#isFailing = true;
      return retryMs;
    }
  }

  /** Settles after a time, or when the loop is woken. An AbortController for each pause would cost as much as the poll. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
