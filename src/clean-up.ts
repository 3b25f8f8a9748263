import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { removeExpiredSolutions } from './db/altcha-solutions.ts';
import { findUnfinishedPurge, finishPurge } from './db/deleted-deployments.ts';
import { removeFinishedDeliveries } from './db/delivery-log.ts';
import { removeOrphanedDeliveries } from './db/delivery-queue.ts';
import { findExpiring, removeExpired } from './db/expired-submissions.ts';
import { removeExpiredKeys } from './db/idempotency-keys.ts';
import { removeFormerRecipients } from './db/mail-recipients.ts';
import { removeEndedSessions, removeEndedSignInTries, removeExpiredLinks } from './db/sessions.ts';
import { expireRetainedSpam, removeExpiredSpam } from './db/spam-submissions.ts';
import { compactMarks } from './db/submission-marks.ts';
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
 * Does `work` every INTERVAL_MS, until the signal fires. A failure is logged, and the work is done again after the
 * interval.
 */
function createLoop(work: () => Promise<void>, { log, signal }: { log: Log; signal: AbortSignal }): CleanUp {
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
        await delay(INTERVAL_MS, undefined, { signal: AbortSignal.any([pause.signal, signal]) }).catch(() => undefined);
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
 * idempotency keys, ended counts of unknown API keys, sessions and links that have ended, recipients of mail that were
 * removed `days` ago or earlier, used solutions of ALTCHA, spam after its time, marks that say nothing more, and the rest of
 * deployments whose purge has begun. Beside these, because there may be very many: submissions beyond the retention of
 * their deployment.
 */
export function createCleanUp({
  db,
  days,
  countExpired,
  reviewDeliveries,
  log,
  signal,
}: {
  db: Knex;
  days: number;
  /** Receives how many submissions were removed because of their age. */
  countExpired(count: number): void;
  /** Called with a deployment whose deliveries have changed. */
  reviewDeliveries(deploymentId: string): void;
  log: Log;
  signal: AbortSignal;
}): CleanUp {
  async function removeRest(): Promise<void> {
    const before = new Date(Date.now() - days * DAY_MS);
    const removals = [
      () => removeFinishedDeliveries(db, before, BATCH),
      () => removeOrphanedDeliveries(db, BATCH),
      () => removeExpiredKeys(db, BATCH),
      () => removeEndedUnknownKeyTries(db, BATCH),
      () => removeEndedSessions(db, BATCH),
      () => removeExpiredLinks(db, BATCH),
      () => removeEndedSignInTries(db, BATCH),
      () => removeFormerRecipients(db, before, BATCH),
      () => removeExpiredSolutions(db, BATCH),
      () => removeExpiredSpam(db, BATCH, { signal }),
    ];
    await expireRetainedSpam(db);
    for (const remove of removals) {
      let removed: number;
      do removed = await remove();
      while (removed === BATCH && !signal.aborted);
    }
    while (!signal.aborted && (await compactMarks(db)));
    for (let id = await findUnfinishedPurge(db); id !== undefined; id = await findUnfinishedPurge(db)) {
      await finishPurge(db, id, signal);
    }
  }

  async function removeExpiredSubmissions(): Promise<void> {
    const now = new Date();
    for await (const id of findExpiring(db, now)) {
      await removeExpired(db, id, { now, signal, onRemoved: countExpired });
      reviewDeliveries(id);
    }
  }

  const rest = createLoop(removeRest, { log, signal });
  const expiry = createLoop(removeExpiredSubmissions, { log, signal });
  return {
    run: async () => void (await Promise.all([rest.run(), expiry.run()])),
    wake: rest.wake,
  };
}
