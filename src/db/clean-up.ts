import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { removeEndedSessions, removeEndedSignInTries, removeExpiredLinks } from './account/sessions.ts';
import { recountStorage } from './account/storage.ts';
import { removeFinishedDeliveries } from './deliveries/delivery-log.ts';
import { removeOrphanedDeliveries } from './deliveries/delivery-queue.ts';
import { removeFormerRecipients } from './deliveries/mail-recipients.ts';
import { removeOldChanges } from './deployments/change-feed.ts';
import { beginPurge, findExpiredTrash, findUnfinishedPurge, finishPurge } from './deployments/deleted-deployments.ts';
import { removeExpiredSolutions } from './spam/altcha-solutions.ts';
import { expireRetainedSpam, removeExpiredSpam } from './spam/spam-submissions.ts';
import { findExpiring, removeExpired } from './submissions/expired-submissions.ts';
import { removeExpiredKeys } from './submissions/idempotency-keys.ts';

type CleanUp = {
  /** Removes expired rows every `intervalMs`, until the signal fires. */
  run(): Promise<void>;
  /** Begins at once, without waiting for the interval. */
  wake(): void;
};

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Does `work` every `intervalMs`, until the signal fires. A failure is logged, and the work is done again after the
 * interval.
 */
function createLoop(
  work: () => Promise<void>,
  { limits, log, signal }: { limits: Limits; log: Log; signal: AbortSignal },
): CleanUp {
  let pause = new AbortController();
  let isWoken = false;

  return {
    async run() {
      while (!signal.aborted) {
        isWoken = false;
        pause = new AbortController();
        try {
          await work();
        } catch (error) {
          if (!signal.aborted) log.warn({ err: error }, 'expired rows could not be removed; trying again');
        }
        if (isWoken) continue;
        await delay(limits.cleanUp.intervalMs, undefined, { signal: AbortSignal.any([pause.signal, signal]) }).catch(
          () => undefined,
        );
      }
    },
    wake() {
      isWoken = true;
      pause.abort();
    },
  };
}

/**
 * Removes deliveries that ended `days` ago or earlier, deliveries that are held for a deleted webhook, expired
 * idempotency keys, old rows of the change feed, sessions and links that have ended, recipients of mail that were removed
 * `days` ago or earlier, used solutions of ALTCHA, spam after its time, deployments that were
 * deleted `trashDays` ago or earlier, and the rest of deployments whose purge has begun. Counts anew what owners store.
 * Beside these, because there may be very many: submissions beyond the retention of
 * their deployment.
 */
export function createCleanUp({
  db,
  limits,
  now,
  days,
  trashDays,
  countExpired,
  log,
  signal,
}: {
  db: Knex;
  limits: Limits;
  now(): Date;
  days: number;
  trashDays: number;
  /** Receives how many submissions were removed because of their age. */
  countExpired(count: number): void;
  log: Log;
  signal: AbortSignal;
}): CleanUp {
  const daysAgo = (count: number): Date => new Date(now().getTime() - count * DAY_MS);

  async function removeRest(): Promise<void> {
    const before = daysAgo(days);
    const { batch } = limits.cleanUp;
    const removals = [
      () => removeFinishedDeliveries(db, before, batch),
      () => removeOrphanedDeliveries(db, batch),
      () => removeExpiredKeys(db, batch),
      () => removeOldChanges(db, batch),
      () => removeEndedSessions(db, batch),
      () => removeExpiredLinks(db, batch),
      () => removeEndedSignInTries(db, batch),
      () => removeFormerRecipients(db, before, batch),
      () => removeExpiredSolutions(db, limits),
      () => removeExpiredSpam(db, batch, { signal }),
    ];
    await expireRetainedSpam(db);
    for (const remove of removals) {
      let removed: number;
      do removed = await remove();
      while (removed === batch && !signal.aborted);
    }
    for (const id of await findExpiredTrash(db, daysAgo(trashDays), batch)) await beginPurge(db, id);
    for (let id = await findUnfinishedPurge(db); id !== undefined; id = await findUnfinishedPurge(db)) {
      await finishPurge(db, id, limits, signal);
    }
    while (!signal.aborted && (await recountStorage(db)));
  }

  async function removeExpiredSubmissions(): Promise<void> {
    const at = now();
    for await (const id of findExpiring(db, at)) {
      await removeExpired(db, id, { now: at, signal, onRemoved: countExpired });
    }
  }

  const rest = createLoop(removeRest, { limits, log, signal });
  const expiry = createLoop(removeExpiredSubmissions, { limits, log, signal });
  return {
    run: async () => void (await Promise.all([rest.run(), expiry.run()])),
    wake: rest.wake,
  };
}
