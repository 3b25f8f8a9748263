import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { removeFinishedDeliveries, removeOrphanedDeliveries } from '../db/deliveries.ts';
import type { Log } from '../log.ts';

const EVERY_MS = 10 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Small, so that a batch delays nobody. */
const BATCH = 500;

/** Removes deliveries that were finished `days` ago or earlier, and what is held for a webhook that is gone, until `signal`. */
export async function cleanUpDeliveries(db: Knex, days: number, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const before = new Date(Date.now() - days * DAY_MS);
      const removed = (await removeFinishedDeliveries(db, before, BATCH)) + (await removeOrphanedDeliveries(db, BATCH));
      if (removed >= BATCH) continue;
    } catch (error) {
      log.warn({ err: error }, 'old deliveries cannot be removed; trying again');
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
