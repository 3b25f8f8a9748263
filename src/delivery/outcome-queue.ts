import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptOutcome } from '../db/delivery-queue.ts';
import { isOutOfReach } from '../db/postgres/connect.ts';
import type { Limits } from '../limits.ts';
import type { Log } from '../log.ts';

type OutcomeQueue = {
  /** Adds an outcome, which is stored soon. */
  add(outcome: AttemptOutcome): void;
  /** How many wait to be stored, without those that are being stored. */
  size(): number;
  /** Whether outcomes wait because the database is out of reach. */
  isBehind(): boolean;
  /** Settles when all have been stored, or the database is out of reach. */
  close(): Promise<void>;
};

/**
 * Stores outcomes of attempts in batches: those that come while a batch is being stored wait for the next one. While
 * the database is out of reach they are kept; otherwise deliveries that have succeeded would be sent again.
 */
export function createOutcomeQueue(
  store: (batch: readonly AttemptOutcome[]) => Promise<void>,
  { delivery: limits }: Limits,
  log: Log,
): OutcomeQueue {
  let waiting: AttemptOutcome[] = [];
  let storing: Promise<void> | undefined;
  let isBehind = false;
  const closing = new AbortController();

  async function storeAll(): Promise<void> {
    while (waiting.length > 0) {
      // Most of the cost is the commit: a small batch waits for more outcomes.
      if (waiting.length < limits.smallOutcomesBatch && !closing.signal.aborted) await delay(limits.outcomesPauseMs);
      const batch = waiting.splice(0, limits.outcomesBatch);
      try {
        await store(batch);
        isBehind = false;
      } catch (error) {
        isBehind = isOutOfReach(error);
        if (!isBehind) log.error({ err: error }, 'outcomes of deliveries could not be stored');
        else if (closing.signal.aborted) waiting = [];
        else {
          // Only what was attempted is stored later: what was given back may be leased again by now, or its lease ends.
          waiting.unshift(...batch.filter(({ result }) => result !== 'returned'));
          await delay(limits.outcomesRetryMs, undefined, { signal: closing.signal }).catch(() => undefined);
        }
      }
    }
    isBehind = false;
    storing = undefined;
  }

  return {
    add(outcome) {
      waiting.push(outcome);
      storing ??= storeAll();
    },
    size: () => waiting.length,
    isBehind: () => isBehind,
    async close() {
      closing.abort();
      await storing;
    },
  };
}
