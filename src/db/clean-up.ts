import type { Knex } from 'knex';
import type { Log } from '../lib/log.ts';
import { PollLoop } from '../lib/poll-loop.ts';
import type { Limits } from '../limits.ts';
import { finishOwnerDeletions } from './account/owner-deletion-queries.ts';
import { recountStorage } from './account/storage-queries.ts';
import {
  beginPurge,
  findExpiredTrash,
  findUnfinishedPurge,
  finishPurge,
} from './deployments/deleted-deployment-queries.ts';
import { cleanContents } from './deployments/site-file-queries.ts';
import { BATCH, removeOldRows } from './old-rows.ts';
import { queryOne } from './postgres/query.ts';
import { expireSpam, removeExpiredSpam } from './spam/spam-clean-up.ts';
import { findExpiring, removeExpired } from './submissions/expired-submission-queries.ts';
import { removeOldTests } from './submissions/test-submission-queries.ts';
import { removeExpiredTrash, removeOldTrash } from './submissions/trashed-submission-queries.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

type CleanUpParts = {
  db: Knex;
  limits: Limits;
  /** The clock of removals. Left out: that of the database, which made the times; that of this process may be wrong by a year. */
  now?: (() => Date) | undefined;
  /** For so many days the log of deliveries is kept, and recipients that owners have removed. */
  logDays: number;
  trashDays: number;
  auditDays: number;
  /** Receives how many submissions were removed because of their age. */
  countExpired(count: number): void;
  log: Log;
  signal: AbortSignal;
};

/**
 * Removes what has expired, and owners that operators have deleted: old rows, spam, the trash of submissions, deployments that were deleted long ago, the rest of deployments whose purge has
 * begun, contents of sites that no version needs, and submissions beyond the retention of their deployment. Counts anew
 * what owners store.
 */
export class CleanUp {
  readonly #parts: CleanUpParts;
  /** Beside the rest, because there may be very many submissions. */
  readonly #submissions: PollLoop;
  readonly #rest: PollLoop;

  constructor(parts: CleanUpParts) {
    this.#parts = parts;
    this.#submissions = this.#loop(() => this.#removeExpiredSubmissions());
    this.#rest = this.#loop(() => this.#removeRest());
  }

  /** Removes every `intervalMs`, until the signal fires. */
  async run(): Promise<void> {
    await Promise.all([this.#rest.run(), this.#submissions.run()]);
  }

  /** Begins at once, without waiting for the interval. */
  wake(): void {
    this.#rest.wake();
  }

  #loop(work: () => Promise<void>): PollLoop {
    const { limits, log, signal } = this.#parts;
    const retryMs = limits.cleanUp.intervalMs;
    const poll = () => work().then(() => retryMs);
    return new PollLoop({ poll, retryMs, failure: 'expired rows could not be removed; trying again', log, signal });
  }

  async #removeRest(): Promise<void> {
    const { db, logDays, trashDays, auditDays, signal } = this.#parts;
    const now = await this.#now();
    await removeOldRows(db, { logStart: daysBefore(now, logDays), auditStart: daysBefore(now, auditDays), signal });
    await expireSpam(db, signal);
    while (!signal.aborted && (await removeExpiredSpam(db, signal)) > 0);
    await removeOldTrash(db, signal);
    await removeOldTests(db, signal);
    for (const id of await findExpiredTrash(db, daysBefore(await this.#now(), trashDays), BATCH))
      await beginPurge(db, id);
    await finishOwnerDeletions(db, signal);
    for (let id = await findUnfinishedPurge(db); id !== undefined; id = await findUnfinishedPurge(db)) {
      await finishPurge(db, id, signal);
    }
    while (!signal.aborted && (await cleanContents(db)) > 0);
    while (!signal.aborted && (await recountStorage(db)));
  }

  async #removeExpiredSubmissions(): Promise<void> {
    const { db, signal, countExpired } = this.#parts;
    const at = await this.#now();
    for await (const id of findExpiring(db, at)) {
      await removeExpired(db, id, { now: at, signal, onRemoved: countExpired });
    }
    await removeExpiredTrash(db, at, signal);
  }

  async #now(): Promise<Date> {
    const { db, now } = this.#parts;
    return now ? now() : (await queryOne<{ now: Date }>(db, 'find-time', 'SELECT clock_timestamp() AS now')).now;
  }
}

const daysBefore = (time: Date, count: number): Date => new Date(time.getTime() - count * DAY_MS);
