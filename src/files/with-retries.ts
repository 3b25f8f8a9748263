import { setTimeout as delay } from 'node:timers/promises';
import { BucketError } from './bucket-error.ts';

const FIRST_PAUSE_MS = 500;
/** The fifth and last pause. Each pause is twice as long as the one before. */
const LAST_PAUSE_MS = 8_000;

/** Does what needs the bucket, and tries again, until the signal fires: a command that runs for hours outlasts a short failure. */
export async function withRetries<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; pauseMs <= LAST_PAUSE_MS; pauseMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BucketError) || signal?.aborted) throw error;
      await delay(pauseMs, undefined, { ...(signal && { signal }) });
    }
  }
  return work();
}
