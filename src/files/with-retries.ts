import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../limits.ts';
import { BucketError } from './bucket-error.ts';

/** Does what needs the bucket, and tries again: a command that runs for hours outlasts a short failure. */
export async function withRetries<T>({ files: limits }: Limits, work: () => Promise<T>): Promise<T> {
  for (let retry = 0; retry < limits.commandRetries; retry += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BucketError)) throw error;
      // Twice as long each time.
      await delay(limits.commandRetryMs * 2 ** retry);
    }
  }
  return work();
}
