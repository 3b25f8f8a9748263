import { setTimeout as delay } from 'node:timers/promises';

type PollLoop = {
  /**
   * Polls until the signal fires: every `pollMs`, and sooner when there may be more by then. Settles when the last poll
   * has ended.
   */
  run(): Promise<void>;
  /** Polls again soon. */
  wake(): void;
};

const POLL_MS = 500;
/** The part of the time that polls take at most, however long one takes: after a slow one the pause is longer. */
const MAX_SHARE_OF_TIME = 0.1;
const MIN_PAUSE_MS = 20;

/** `poll` answers in how many milliseconds there may be more to find. `onError` is called for the first failure in a row. */
export function createPollLoop({
  poll,
  pollMs = POLL_MS,
  onError,
  signal,
}: {
  poll(): Promise<number>;
  pollMs?: number;
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
      await wait(Math.max(MIN_PAUSE_MS, took / MAX_SHARE_OF_TIME - took), signal);
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
