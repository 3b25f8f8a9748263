import type { Knex } from 'knex';
import PostgresClient, { type Statement } from 'knex/lib/dialects/postgres/index.js';
import type pg from 'pg';

/**
 * knex' client for connections through a transaction pooler, where a setting of the session would reach any session: it
 * runs each statement in a transaction, which begins with these settings.
 */
export function createPooledClient(settings: Readonly<Record<string, string | number>>): typeof PostgresClient {
  const setLocal = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  const begin = ['BEGIN', ...setLocal].join('; ');

  return class extends PostgresClient {
    override async _query(connection: pg.Client, query: Statement): Promise<{ response: pg.QueryResult }> {
      if (connection.getTransactionStatus() !== 'I') return super._query(connection, query);
      if (query.sql === 'BEGIN;') return super._query(connection, { ...query, sql: begin });
      await connection.query(begin);
      try {
        const answer = await super._query(connection, query);
        await connection.query('COMMIT');
        return answer;
      } catch (error) {
        await connection.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    }
  };
}

/**
 * Returns whether the settings with which connections are made are in force: a pooler may refuse them, so that there is no connection,
 * or ignore them, so that statements have no time-outs. Rejects when the database is out of reach.
 */
export async function settingsInForce(db: Knex): Promise<'yes' | 'refused' | 'ignored'> {
  try {
    const { rows } = await db.raw<{ rows: { timeout: string }[] }>(
      "SELECT current_setting('statement_timeout') AS timeout",
    );
    return rows.some(({ timeout }) => timeout === '0') ? 'ignored' : 'yes';
  } catch (error) {
    // pgbouncer's words for a parameter that it does not pass on.
    if (error instanceof Error && /unsupported startup parameter/.test(error.message)) return 'refused';
    throw error;
  }
}
