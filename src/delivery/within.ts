import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a promise, but at most `ms` milliseconds. */
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const settled = new AbortController();
  await Promise.race([
    promise.finally(() => settled.abort()),
    delay(ms, undefined, { signal: settled.signal }).catch(() => undefined),
  ]);
}
