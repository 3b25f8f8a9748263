import PostgresClient, { type Statement } from 'knex/lib/dialects/postgres/index.js';
import type pg from 'pg';

/**
 * Returns knex' client whose connections make the plans of their prepared statements anew, at most `lifetimeMs` after the first.
 * Postgres plans by the sizes that tables have at the moment: a plan for small tables reads them whole, and would be kept when
 * they have grown, until autovacuum makes statistics.
 */
export function createPlanningClient(lifetimeMs: number): typeof PostgresClient {
  /** Since when a connection has had its plans. */
  const plannedAt = new WeakMap<pg.Client, number>();

  return class extends PostgresClient {
    override _query(connection: pg.Client, query: Statement): Promise<{ response: pg.QueryResult }> {
      const since = plannedAt.get(connection);
      const now = performance.now();
      if (since !== undefined && now - since < lifetimeMs) return super._query(connection, query);
      // Not within a transaction, which an error would end.
      if (connection.getTransactionStatus() !== 'I') return super._query(connection, query);
      plannedAt.set(connection, now);
      if (since === undefined) return super._query(connection, query);
      return connection.query('DISCARD PLANS').then(() => super._query(connection, query));
    }
  };
}
