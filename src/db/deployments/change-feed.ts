import type { Knex } from 'knex';
import type { Log } from '../../lib/log.ts';
import { PollLoop } from '../../lib/poll-loop.ts';
import { query } from '../postgres/query.ts';

/** A deployment whose page or settings have changed. `slug`: also the one that it had before. */
export type DeploymentChange = { deploymentId: string; slug: string };

type Row = { id: number; deployment_id: string; slug: string };

/** A change is visible everywhere within a second. */
const INTERVAL_MS = 500;
/** A row is read for this long: a transaction may commit so long after it has inserted the row. */
const WINDOW_MS = 30_000;

/**
 * Tells this process what any process has changed in deployments. A trigger on `deployments` inserts a row into
 * `deployment_changes` for each change; this class reads the latest rows again and again.
 */
export class ChangeFeed {
  readonly #db: Knex;
  readonly #gapMs: number;
  readonly #onChanges: (changes: readonly DeploymentChange[]) => Promise<void>;
  readonly #onGap: () => Promise<void>;
  /** The ids of the rows that the last read has found. A row that is missing there is older than the window. */
  #seen: ReadonlySet<number> = new Set();
  /** When the last read that succeeded began, as performance.now() returns it. */
  #readAt = Number.NEGATIVE_INFINITY;

  /**
   * `onGap` is called when changes may have been missed: at the first read, after one that failed halfway, and after `gapMs`
   * without a read, when rows may have left the window.
   */
  constructor(
    db: Knex,
    gapMs: number,
    { onChanges, onGap }: { onChanges(changes: readonly DeploymentChange[]): Promise<void>; onGap(): Promise<void> },
  ) {
    this.#db = db;
    this.#gapMs = gapMs;
    this.#onChanges = onChanges;
    this.#onGap = onGap;
  }

  /** Reads until the signal fires. While the database is out of reach, nothing is called. */
  run(log: Log, signal: AbortSignal): Promise<void> {
    const poll = () => this.read().then(() => INTERVAL_MS);
    const failure = 'changes of deployments could not be read; trying again';
    return new PollLoop({ poll, retryMs: INTERVAL_MS, failure, log, signal }).run();
  }

  async read(): Promise<void> {
    const startedAt = performance.now();
    const rows = await query<Row>(
      this.#db,
      'read-deployment-changes',
      `SELECT id, deployment_id, slug FROM deployment_changes
        WHERE at > clock_timestamp() - ? * interval '1 millisecond'`,
      [WINDOW_MS],
    );
    const isGap = startedAt - this.#readAt > this.#gapMs;
    this.#readAt = startedAt;
    const changes = rows
      .filter(({ id }) => !this.#seen.has(id))
      .map((row) => ({ deploymentId: row.deployment_id, slug: row.slug }));
    this.#seen = new Set(rows.map(({ id }) => id));
    try {
      if (isGap) await this.#onGap();
      else if (changes.length > 0) await this.#onChanges(changes);
    } catch (error) {
      this.reset();
      throw error;
    }
  }

  /** The next read is a gap. Also called when the connections lead to another server, whose rows may be others. */
  reset(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
