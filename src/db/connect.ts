import knex, { type Knex } from 'knex';
import pg from 'pg';

/** What pg needs to reach a database: a URL, or the embedded server's socket. */
export type Connection = { connectionString: string } | { host: string; port: number; user: string; database: string };

export type Database = Knex & {
  /** Lets no new statement in, waits for those under way, closes every connection. */
  close(): Promise<void>;
};

// Together under the 3 seconds in which a request is answered although the database is not.
const ACQUIRE_MS = 1_000;
const HOLD_MS = 1_800;

const JSON_OID = 114;
const INT8_OID = 20;

/** json stays the text that was stored; counters (bigint) become numbers, exact up to 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(JSON_OID, (text) => text);
types.setTypeParser(INT8_OID, Number);

/**
 * A pool of connections for short statements, with knex over it. Neither waiting for a connection nor what is done
 * with one takes longer than ACQUIRE_MS and HOLD_MS: past that the connection is cut, and what used it fails.
 */
export function connect(connection: Connection): Database {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: 10,
    connectionTimeoutMillis: ACQUIRE_MS,
    idleTimeoutMillis: 30_000,
    application_name: 'formhost',
    keepAlive: true,
    // The server gives up as well, so that nothing goes on there for a client that has left. JIT costs more than it
    // gains on statements this short.
    onConnect: async (client) => {
      await client.query(
        `SET statement_timeout = ${HOLD_MS}; SET idle_in_transaction_session_timeout = '10s'; SET jit = off`,
      );
    },
  });
  const holds = new WeakMap<pg.PoolClient, NodeJS.Timeout>();
  pool.on('acquire', (client) => {
    holds.set(
      client,
      setTimeout(() => void client.end().catch(() => undefined), HOLD_MS),
    );
  });
  pool.on('release', (_error, client) => clearTimeout(holds.get(client)));
  // An idle connection that breaks is only removed; whoever needs the next one learns of it.
  pool.on('error', () => undefined);

  const db = knex({ client: 'pg', connectionPool: pool, compileSqlOnError: false, log: { warn: () => undefined } });
  return Object.assign(db, { close: () => pool.end() });
}

const OUT_OF_REACH = /^(08|53|57|58|40|25006|55P03|ECONN|ENOENT|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/;
const NO_ANSWER = /timeout|Connection terminated|connection error|not queryable|Cannot use a pool after/i;

/** Whether the statement failed because the database is away, full, read-only or too slow, not because it was wrong. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof AggregateError) return error.errors.some(isOutOfReach);
  return code === '' ? NO_ANSWER.test(error.message) : OUT_OF_REACH.test(code);
}
