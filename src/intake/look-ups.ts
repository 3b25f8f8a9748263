import { createFairQueue } from '../fair-queue.ts';
import { networkOf } from '../public-address.ts';

/** Runs a query for a submission that came from `ipAddress`. Rejects with BusyError when too many wait. */
export type LookUp = <T>(ipAddress: string, find: () => Promise<T>) => Promise<T>;

const MAX_CONCURRENT = 2;
const MAX_WAITING = 1_000;
/** Short enough for an answer within 3 seconds, together with the time that the query itself may take. */
const MAX_WAIT_MS = 700;

/** Bounds the queries for submissions that may have been stored before. Clients' networks are served round-robin. */
export function createLookUps(): LookUp {
  const queue = createFairQueue<string>({ slots: MAX_CONCURRENT, maxWaiting: MAX_WAITING });
  return (ipAddress, find) => queue.run(networkOf(ipAddress), MAX_WAIT_MS, find);
}
