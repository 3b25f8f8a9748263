import type { Knex } from 'knex';
import type { Log } from '../../lib/log.ts';
import { execute } from '../postgres/query.ts';

/** Days of UTC that count, today's among them. */
const DAYS = 7;

const TODAY = "CAST(now() AT TIME ZONE 'UTC' AS date)";

/** How many honeypots of a deployment were filled in within a week. `deployment`: an expression for its id. */
export const recentHoneypots = (deployment: string): string => `(
                  SELECT coalesce(sum(count), 0) FROM honeypot_hits
                   WHERE deployment_id = ${deployment} AND day > ${TODAY} - ${DAYS})`;

/** Adds to the counts of today. Deployments that have been removed are left out. */
const addHits = (db: Knex, hits: ReadonlyMap<string, number>): Promise<number> =>
  execute(
    db,
    'add-honeypot-hits',
    `WITH hit AS (
       SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:counts AS bigint[])) AS hit (deployment_id, count)
     ), outdated AS (
       DELETE FROM honeypot_hits USING hit
        WHERE honeypot_hits.deployment_id = hit.deployment_id AND day <= ${TODAY} - ${DAYS}
     )
     INSERT INTO honeypot_hits (deployment_id, day, count)
     SELECT deployment_id, ${TODAY}, hit.count FROM hit JOIN deployments ON deployments.id = deployment_id
      ORDER BY deployment_id
         ON CONFLICT (deployment_id, day) DO UPDATE SET count = honeypot_hits.count + excluded.count`,
    { ids: [...hits.keys()], counts: [...hits.values()] },
  );

/**
 * Counts filled-in honeypots, so that an owner sees when a form loses messages of people by it. The counts are written at times: a
 * crash loses those since the last time.
 */
export class HoneypotHits {
  #hits = new Map<string, number>();
  readonly #db: Knex;
  readonly #log: Pick<Log, 'warn'>;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Knex, log: Pick<Log, 'warn'>, intervalMs: number) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.write(), intervalMs).unref();
  }

  /** Counts one of a deployment that exists. */
  add(deploymentId: string): void {
    this.#hits.set(deploymentId, (this.#hits.get(deploymentId) ?? 0) + 1);
  }

  /** Writes what was counted since the last time. Counts that cannot be written are lost. */
  async write(): Promise<void> {
    const hits = this.#hits;
    if (hits.size === 0) return;
    this.#hits = new Map();
    try {
      await addHits(this.#db, hits);
    } catch (error) {
      this.#log.warn(
        `counts of filled-in honeypots could not be written: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
