import { setTimeout as delay } from 'node:timers/promises';
import { isOutOfReach } from '../db/connect.ts';
import type { Outcome } from '../db/deliveries.ts';
import type { Log } from '../log.ts';

export type OutcomeQueue = {
  /** Takes an outcome, to be written down as soon as may be. */
  add(outcome: Outcome): void;
  /** How many are not written down yet. */
  size(): number;
  /** Whether outcomes wait because the database could not be reached. */
  isBehind(): boolean;
  /** Settles when all have been written down, or the database is out of reach. */
  close(): Promise<void>;
};

const BATCH = 500;
/** A commit is the dear part: fewer than these wait a moment for others. */
const FEW = 64;
const LINGER_MS = 20;
const RETRY_MS = 500;

/**
 * Coalesces outcomes of attempts: those that come in while a batch is being written wait for the next one. While the
 * database is out of reach they are kept, for what succeeded would be sent again otherwise.
 */
export function createOutcomeQueue(write: (batch: readonly Outcome[]) => Promise<void>, log: Log): OutcomeQueue {
  let waiting: Outcome[] = [];
  let writing: Promise<void> | undefined;
  let isBehind = false;
  const closing = new AbortController();

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < FEW && !closing.signal.aborted) await delay(LINGER_MS);
      const batch = waiting.splice(0, BATCH);
      try {
        await write(batch);
        isBehind = false;
      } catch (error) {
        isBehind = isOutOfReach(error);
        if (!isBehind) log.error({ err: error }, 'outcomes of deliveries could not be written down');
        else if (closing.signal.aborted) waiting = [];
        else {
          // One that was only given back is not written twice: it may have been leased anew by now. Its lease runs out.
          waiting.unshift(...batch.filter(({ result }) => result !== 'returned'));
          await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
        }
      }
    }
    // Nothing is left of what could not be written, be it written by now or only given back.
    isBehind = false;
    writing = undefined;
  }

  return {
    add(outcome) {
      waiting.push(outcome);
      writing ??= writeAll();
    },
    size: () => waiting.length,
    isBehind: () => isBehind,
    async close() {
      closing.abort();
      await writing;
    },
  };
}
