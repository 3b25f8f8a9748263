import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { findUnfinishedPurge, finishPurge } from './db/deleted-deployments.ts';
import { removeFinishedDeliveries } from './db/delivery-log.ts';
import { removeOrphanedDeliveries } from './db/delivery-queue.ts';
import { removeExpiredKeys } from './db/idempotency-keys.ts';
import { removeEndedSessions, removeEndedSignInTries, removeExpiredLinks } from './db/sessions.ts';
import { removeEndedUnknownKeyTries } from './db/unknown-keys.ts';
import type { Log } from './log.ts';

type CleanUp = {
  /** Removes expired rows every INTERVAL_MS, until the signal fires. */
  run(): Promise<void>;
  /** Begins at once, without waiting for the interval. */
  wake(): void;
};

const INTERVAL_MS = 10 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Small, so that a batch delays no other statement for long. */
const BATCH = 500;

/**
 * Removes deliveries that ended `days` ago or earlier, deliveries that are held for a deleted webhook, expired
 * idempotency keys, ended counts of unknown API keys, sessions and links that have ended, and the rest of deployments whose purge has begun.
 */
export function createCleanUp({
  db,
  days,
  log,
  signal,
}: {
  db: Knex;
  days: number;
  log: Log;
  signal: AbortSignal;
}): CleanUp {
  let pause = new AbortController();
  let isWoken = false;

  async function removeAll(): Promise<void> {
    const before = new Date(Date.now() - days * DAY_MS);
    const removals = [
      () => removeFinishedDeliveries(db, before, BATCH),
      () => removeOrphanedDeliveries(db, BATCH),
      () => removeExpiredKeys(db, BATCH),
      () => removeEndedUnknownKeyTries(db, BATCH),
      () => removeEndedSessions(db, BATCH),
      () => removeExpiredLinks(db, BATCH),
      () => removeEndedSignInTries(db, BATCH),
    ];
    for (const remove of removals) {
      let removed: number;
      do removed = await remove();
      while (removed === BATCH && !signal.aborted);
    }
    for (let id = await findUnfinishedPurge(db); id !== undefined; id = await findUnfinishedPurge(db)) {
      await finishPurge(db, id, signal);
    }
  }

  return {
    async run() {
      while (!signal.aborted) {
        isWoken = false;
        pause = new AbortController();
        try {
          await removeAll();
        } catch (error) {
          if (!signal.aborted) log.warn({ err: error }, 'expired rows could not be removed; trying again');
        }
        if (isWoken) continue;
        await delay(INTERVAL_MS, undefined, { signal: AbortSignal.any([pause.signal, signal]) }).catch(() => undefined);
      }
    },
    wake() {
      isWoken = true;
      pause.abort();
    },
  };
}
