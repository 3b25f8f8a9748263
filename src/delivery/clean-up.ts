import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { removeFinishedDeliveries } from '../db/delivery-log.ts';
import { removeOrphanedDeliveries } from '../db/delivery-queue.ts';
import { removeExpiredKeys } from '../db/idempotency-keys.ts';
import { removeEndedUnknownKeyTries } from '../db/unknown-keys.ts';
import type { Log } from '../log.ts';

const INTERVAL_MS = 10 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Small, so that a batch delays no other statement for long. */
const BATCH = 500;

/**
 * Removes, again and again until `signal`, deliveries that ended `days` ago or earlier, deliveries that are held for a
 * deleted webhook, expired idempotency keys, and ended counts of unknown API keys.
 */
export async function cleanUp(db: Knex, days: number, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const before = new Date(Date.now() - days * DAY_MS);
      const removed = [
        await removeFinishedDeliveries(db, before, BATCH),
        await removeOrphanedDeliveries(db, BATCH),
        await removeExpiredKeys(db, BATCH),
        await removeEndedUnknownKeyTries(db, BATCH),
      ];
      if (removed.includes(BATCH)) continue;
    } catch (error) {
      log.warn({ err: error }, 'expired rows could not be removed; trying again');
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
