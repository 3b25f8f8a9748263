import { createBoundedCache } from '../bounded-cache.ts';
import type { LeasedDelivery } from '../db/delivery-target.ts';
import type { Database } from '../db/postgres/connect.ts';
import { type NewSubmission, type Outcome, storeSubmissions } from '../db/store-submissions.ts';
import { type AloneOutcome, type Extras, storeSubmissionAlone } from '../db/submission-files.ts';
import type { Limits } from '../limits.ts';

/** What sends the deliveries of stored submissions. */
export type Deliveries = {
  /** Receivers whose deliveries are not leased but left in the database; undefined: leave all of them there. */
  busy(): readonly string[] | undefined;
  /** Looks for deliveries in the database. */
  wake(): void;
  /** Attempts deliveries that were leased at `leasedAt` (as performance.now() returns it) or later. */
  start(deliveries: readonly LeasedDelivery[], leasedAt: number): void;
};

/** `startDeliveries` is to be called after the visitors' answers have been written. */
export type StoredBatch = { outcomes: readonly Outcome[]; startDeliveries(): void };
type StoredAlone = { outcome: AloneOutcome; startDeliveries(): void };

/** Stores submissions together with their deliveries. */
export type Store = {
  /** In one transaction. */
  batch(batch: readonly NewSubmission[]): Promise<StoredBatch>;
  /** In a transaction of its own. */
  alone(submission: NewSubmission, extras: Extras): Promise<StoredAlone>;
};

type Leasing = { leaseMs: number; busy: readonly string[] | undefined };

export function createStore({
  db,
  deliveries,
  leaseMs,
  limits,
  countBatch,
}: {
  db: Database;
  limits: Limits;
  deliveries: Deliveries;
  /** For how long this process has the deliveries of what it stores. */
  leaseMs: number;
  /** Receives the number of submissions of each transaction. */
  countBatch(size: number): void;
}): Store {
  async function store<T extends { deliveries: LeasedDelivery[] }>(
    count: number,
    commit: (leasing: Leasing) => Promise<T>,
  ): Promise<T & { startDeliveries(): void }> {
    countBatch(count);
    const leasedAt = performance.now();
    const busy = deliveries.busy();
    const stored = await commit({ leaseMs, busy });
    return {
      ...stored,
      startDeliveries: () => (busy ? deliveries.start(stored.deliveries, leasedAt) : deliveries.wake()),
    };
  }

  const delivering = createBoundedCache<string, true>(limits.submissions.maxDeliveringDeployments);
  return {
    batch: (batch) => store(batch.length, (leasing) => storeSubmissions(db, batch, leasing, delivering)),
    alone: (submission, extras) => store(1, (leasing) => storeSubmissionAlone(db, submission, extras, leasing, limits)),
  };
}
