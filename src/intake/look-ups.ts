import { createFairQueue } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import { networkOf } from '../public-address.ts';

/** Runs a query for a submission that came from `ipAddress`. Rejects with BusyError when too many wait. */
export type LookUp = <T>(ipAddress: string, find: () => Promise<T>) => Promise<T>;

/** Bounds the queries for submissions that may have been stored before. Clients' networks are served round-robin. */
export function createLookUps(limits: Limits): LookUp {
  const queue = createFairQueue<string>({
    slots: limits.submissions.maxConcurrentLookUps,
    maxWaiting: limits.submissions.maxWaitingLookUps,
  });
  return (ipAddress, find) => queue.run(networkOf(ipAddress), limits.submissions.lookUpWaitTimeoutMs, find);
}
