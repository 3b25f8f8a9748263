import { setTimeout as delay } from 'node:timers/promises';
import { BucketError } from './bucket-error.ts';

/** How long a command waits for a bucket that fails, before each new try. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** Does what needs the bucket, and tries again: a command that runs for hours outlasts a short failure. */
export async function patient<T>(work: () => Promise<T>): Promise<T> {
  for (const waitMs of WAITS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BucketError)) throw error;
      await delay(waitMs);
    }
  }
  return work();
}
