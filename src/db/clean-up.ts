import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { recountStorage } from './account/storage.ts';
import { beginPurge, findExpiredTrash, findUnfinishedPurge, finishPurge } from './deployments/deleted-deployments.ts';
import { removeOldRows } from './old-rows.ts';
import { expireSpam, removeExpiredSpam } from './spam/spam-clean-up.ts';
import { findExpiring, removeExpired } from './submissions/expired-submissions.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

type Parts = {
  db: Knex;
  limits: Limits;
  now(): Date;
  /** For so many days the log of deliveries is kept, and recipients that owners have removed. */
  logDays: number;
  trashDays: number;
  /** Receives how many submissions were removed because of their age. */
  countExpired(count: number): void;
  log: Log;
  signal: AbortSignal;
};

/**
 * Removes what has expired: old rows, spam, deployments that were deleted long ago, the rest of deployments whose purge has
 * begun, and submissions beyond the retention of their deployment. Counts anew what owners store.
 */
export class CleanUp {
  readonly #parts: Parts;
  #woken = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Removes every `intervalMs`, until the signal fires. */
  async run(): Promise<void> {
    // Beside the rest, because there may be very many.
    await Promise.all([
      this.#repeat(
        () => this.#removeRest(),
        () => this.#woken.signal,
      ),
      this.#repeat(() => this.#removeExpiredSubmissions()),
    ]);
  }

  /** Begins at once, without waiting for the interval. */
  wake(): void {
    this.#woken.abort();
  }

  /** A failure is logged, and the work is done again after the interval. */
  async #repeat(work: () => Promise<void>, woken?: () => AbortSignal): Promise<void> {
    const { limits, log, signal } = this.#parts;
    while (!signal.aborted) {
      await work().catch((error) => {
        if (!signal.aborted) log.warn({ err: error }, 'expired rows could not be removed; trying again');
      });
      const ends = woken ? AbortSignal.any([woken(), signal]) : signal;
      await delay(limits.cleanUp.intervalMs, undefined, { signal: ends }).catch(() => undefined);
    }
  }

  async #removeRest(): Promise<void> {
    // What is to be removed from now on wakes it again.
    this.#woken = new AbortController();
    const { db, limits, logDays, trashDays, signal } = this.#parts;
    const { batch } = limits.cleanUp;
    await removeOldRows(db, { logStart: this.#daysAgo(logDays), limits, signal });
    await expireSpam(db, signal);
    while (!signal.aborted && (await removeExpiredSpam(db, signal)) > 0);
    for (const id of await findExpiredTrash(db, this.#daysAgo(trashDays), batch)) await beginPurge(db, id);
    for (let id = await findUnfinishedPurge(db); id !== undefined; id = await findUnfinishedPurge(db)) {
      await finishPurge(db, id, limits, signal);
    }
    while (!signal.aborted && (await recountStorage(db)));
  }

  async #removeExpiredSubmissions(): Promise<void> {
    const { db, now, signal, countExpired } = this.#parts;
    const at = now();
    for await (const id of findExpiring(db, at)) {
      await removeExpired(db, id, { now: at, signal, onRemoved: countExpired });
    }
  }

  #daysAgo(count: number): Date {
    return new Date(this.#parts.now().getTime() - count * DAY_MS);
  }
}
