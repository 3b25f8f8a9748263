import type { Knex } from 'knex';
import type { Log } from '../../lib/log.ts';
import { execute } from '../postgres/query.ts';

/** Deployments whose honeypots, or whose 429s, a process counts until it writes the counts. */
const COUNTED_DEPLOYMENTS = 10_000;

/**
 * Tables that count by deployments and days of UTC: filled-in honeypots, which tell an owner when a form loses messages of
 * people, and submissions that got a 429.
 */
export const DAILY_COUNTS = ['honeypot_hits', 'turned_away'] as const;
type Table = (typeof DAILY_COUNTS)[number];

/** Days of UTC that count, today's among them. */
const DAYS = 7;

const TODAY = "CAST(now() AT TIME ZONE 'UTC' AS date)";

/** Which rows do not count any more, in SQL. */
export const IS_OLD = `day <= ${TODAY} - ${DAYS}`;

/** The count of a deployment within a week. `deployment`: an expression for its id. */
export const recentCount = (table: Table, deployment: string): string => `CAST((
                  SELECT coalesce(sum(count), 0) FROM ${table}
                   WHERE deployment_id = ${deployment} AND NOT (${IS_OLD})) AS bigint)`;

/** Adds to the counts of today. Deployments that have been removed are left out. */
const addCounts = (db: Knex, table: Table, counts: ReadonlyMap<string, number>): Promise<number> =>
  execute(
    db,
    `add-${table}`,
    `WITH new AS (
       SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:counts AS bigint[])) AS new (deployment_id, count)
     )
     INSERT INTO ${table} (deployment_id, day, count)
     SELECT deployment_id, ${TODAY}, new.count FROM new JOIN deployments ON deployments.id = deployment_id
      ORDER BY deployment_id
         ON CONFLICT (deployment_id, day) DO UPDATE SET count = ${table}.count + excluded.count`,
    { ids: [...counts.keys()], counts: [...counts.values()] },
  );

/** Counts in memory, and writes the counts at times: a crash loses those since the last time. */
export class DailyCounts {
  #counts = new Map<string, number>();
  readonly #db: Knex;
  readonly #table: Table;
  readonly #log: Pick<Log, 'warn'>;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Knex, table: Table, log: Pick<Log, 'warn'>, intervalMs: number) {
    this.#db = db;
    this.#table = table;
    this.#log = log;
    this.#timer = setInterval(() => void this.write(), intervalMs).unref();
  }

  /** Counts one of a deployment that exists. */
  add(deploymentId: string): void {
    const count = this.#counts.get(deploymentId) ?? 0;
    if (count > 0 || this.#counts.size < COUNTED_DEPLOYMENTS) this.#counts.set(deploymentId, count + 1);
  }

  /** Writes what was counted since the last time. Counts that cannot be written are lost. */
  async write(): Promise<void> {
    const counts = this.#counts;
    if (counts.size === 0) return;
    this.#counts = new Map();
    try {
      await addCounts(this.#db, this.#table, counts);
    } catch (error) {
      this.#log.warn(
        `counts of ${this.#table} could not be written: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
