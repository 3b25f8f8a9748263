import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../limits.ts';

type PollLoop = {
  /**
   * Polls until the signal fires: every `pollMs`, and sooner when there may be more by then. Settles when the last poll
   * has ended.
   */
  run(): Promise<void>;
  /** Polls again soon. */
  wake(): void;
};

/** `poll` answers in how many milliseconds there may be more to find. `onError` is called for the first failure in a row. */
export function createPollLoop({
  poll,
  pollMs,
  limits: { delivery: limits },
  onError,
  signal,
}: {
  poll(): Promise<number>;
  pollMs: number;
  limits: Limits;
  onError(error: unknown): void;
  signal: AbortSignal;
}): PollLoop {
  let isWoken = false;
  let pause = new AbortController();

  async function run(): Promise<void> {
    let isFailing = false;
    while (!signal.aborted) {
      isWoken = false;
      const startedAt = performance.now();
      let nextInMs = pollMs;
      try {
        nextInMs = await poll();
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(error);
        isFailing = true;
      }
      const took = performance.now() - startedAt;
      await wait(Math.max(limits.minPollPauseMs, took / limits.maxPollShare - took), signal);
      if (isWoken || nextInMs <= 0) continue;
      pause = new AbortController();
      await wait(Math.min(pollMs, nextInMs), AbortSignal.any([pause.signal, signal]));
    }
  }

  return {
    run,
    wake() {
      isWoken = true;
      pause.abort();
    },
  };
}

/** Settles after a time, or when the signal fires. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
