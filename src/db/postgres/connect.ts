import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Limits } from '../../limits.ts';
import { type Connection, checkServer, READ_ONLY, type Ways, waysTo } from './servers.ts';
import { setInEachTransaction } from './transaction-pooler.ts';

export type Database = Knex & {
  /** How the pool is used at this moment. */
  use(): PoolUse;
  /**
   * Runs a statement with `?` in it that is prepared once on each connection, outside of a transaction. knex is passed
   * by: it reads a statement four times at each execution.
   */
  runAlone<Row>(name: string, sql: string, values: readonly Knex.RawBinding[]): Promise<Answer<Row>>;
  /**
   * Runs a transaction that may take `longTransactionTimeoutMs` in all, longer than other units of work; then its
   * connection is closed. A single statement still has to be answered within `unitTimeoutMs`. Only the commit, which has
   * to wait for a slow disk, may take `commitTimeoutMs`.
   */
  longTransaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T>;
  /**
   * Reads the output of a COPY … TO STDOUT in pieces, as a unit of work. `read` may stop before the end; then the
   * connection is closed, and with it the statement ends.
   */
  copyOut<T>(statement: string, read: (pieces: AsyncIterable<Buffer>) => Promise<T>): Promise<T>;
  /**
   * Whether the database takes writes. After one has failed or got no answer, writes itself to see; false only when
   * `unwritableAfterMs` are over without a success.
   */
  isWritable(): Promise<boolean>;
  /** Starts no new statement, waits up to `closeTimeoutMs` for the running ones, and closes every connection. */
  close(): Promise<void>;
};

export type Answer<Row> = { rows: Row[]; rowCount: number | null };

type DatabaseLimits = Limits['database'];

/** Commits that nobody waits for any more, in all processes of this user, in this database. */
const stuckCommits = ({ unitTimeoutMs }: DatabaseLimits): string => `
  SELECT count(*) AS stuck FROM pg_stat_activity
   WHERE datname = current_database() AND usename = current_user AND wait_event = 'SyncRep'
     AND query_start < clock_timestamp() - interval '${unitTimeoutMs} milliseconds'`;

/** The same, and allows writes on this connection again, or not. */
const limitStuckCommits = (limits: DatabaseLimits): string => `
  WITH commits AS (${stuckCommits(limits)})
  SELECT stuck, set_config('default_transaction_read_only', CASE WHEN stuck >= ${limits.stuckCommits} THEN 'on' ELSE (
           SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_read_only') END, false) AS read_only
    FROM commits`;

/** Postgres' error codes for a write on a read-only server, and for one for which there is no room. */
const NOT_WRITABLE = new RegExp(`^(?:${READ_ONLY}|53[01]00)$`);

/**
 * The server ends statements as well, so that none continues for a client that has left. JIT costs more than it gains on
 * short statements. Every statement of a request has an index: a sequential scan would be planned only while a table is
 * small, and the plan would be kept when it no longer is.
 */
const settingsWithin = ({ statementTimeoutMs }: DatabaseLimits) =>
  ({
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    jit: 'off',
    enable_seqscan: 'off',
  }) as const;

const JSON_OID = 114;
const INT8_OID = 20;

/** json stays the text that was stored. Counters (bigint) become numbers, which are exact up to 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(JSON_OID, (text) => text);
types.setTypeParser(INT8_OID, Number);

/** `total` and `idle` connections, and units of work that are `waiting` for one. */
type PoolUse = { total: number; idle: number; waiting: number };

function openPool(ways: Ways, isPooled: boolean, limits: DatabaseLimits): pg.Pool {
  const settings = settingsWithin(limits);
  const settingOptions = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  /** A connection on the way that is current when it is made. */
  class Client extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      const way = ways.current().configure();
      const options = isPooled ? way.options : [...settingOptions, way.options].join(' ').trim();
      super({ ...config, ...way, options, connectionTimeoutMillis: limits.unitTimeoutMs / ways.count });
      if (isPooled) setInEachTransaction(this.connection, settings);
    }
  }
  const pool = new pg.Pool({
    Client,
    types,
    max: limits.connections,
    connectionTimeoutMillis: limits.unitTimeoutMs,
    idleTimeoutMillis: limits.idleConnectionMs,
    application_name: 'formhost',
    keepAlive: true,
    ...(ways.target !== 'any' && { onConnect: (client) => checkServer(client, ways.target, limits.unitTimeoutMs) }),
  });
  // A broken connection rejects its statement, or is removed when it was idle. Without a listener the error would end
  // the process, and pg removes its own listener while a connection is in use.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * A pool of connections for short units of work, with knex on top. A unit of work that takes longer than
 * `unitTimeoutMs`, including its wait for a connection, fails, and its connection is closed.
 *
 * When one connection leads to a server that does not answer, or to one that has become read-only because another
 * replaced it, the others do, too. All are closed and replaced by new ones, which use the present address. Then
 * `onRenew` is called.
 */
export function connect(
  connection: Connection,
  { limits: { database: limits }, onRenew }: { limits: Limits; onRenew?: () => void },
): Database {
  const ways = waysTo(connection);
  const isPooled = connection.pooler === 'transaction';
  let pool = openPool(ways, isPooled, limits);
  let openedAt = performance.now();
  const ending = new Set<Promise<void>>();
  /** The time by which all units of work have ended or failed; set when the pool closes. */
  let lastCutAt = Number.POSITIVE_INFINITY;

  /** Settles when a pool has ended, or at once when it is ending already. */
  async function end(old: pg.Pool): Promise<void> {
    if (old.ending) return;
    const ended = old.end().finally(() => ending.delete(ended));
    ending.add(ended);
    await ended;
  }

  let renewing: NodeJS.Timeout | undefined;

  /**
   * Replaces all connections, at once or when `renewIntervalMs` are over: newer ones may still have been made with the
   * old address.
   */
  function renew(): void {
    // The pool that is ending is the last one: the database closes.
    if (pool.ending || renewing) return;
    const waitMs = limits.renewIntervalMs - (performance.now() - openedAt);
    if (waitMs > 0) {
      renewing = setTimeout(() => {
        renewing = undefined;
        renew();
      }, waitMs + 1).unref();
      return;
    }
    void end(pool);
    pool = openPool(ways, isPooled, limits);
    openedAt = performance.now();
    onRenew?.();
  }

  /** When a write failed for the first time since the last that is known to have succeeded. */
  let failingSince: number | undefined;
  /** Whether commits may be stuck: from a unit of work that was cut until none is stuck. */
  let mayBeStuck = false;
  /** Whether as many are stuck as may be. */
  let isFull = false;

  const noteFailure = (): void => {
    failingSince ??= performance.now();
  };

  async function checkStuckCommits(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ stuck: number }>((isPooled ? stuckCommits : limitStuckCommits)(limits));
    const stuck = rows[0]?.stuck ?? 0;
    const wasFull = isFull;
    isFull = stuck >= limits.stuckCommits;
    if (stuck === 0) mayBeStuck = false;
    // Other connections may still be read-only.
    if (wasFull && !isFull && !isPooled) renew();
    // A transaction pooler's connections are not ours to set.
    if (isFull && isPooled) throw Object.assign(new Error('commits wait for a standby'), { code: READ_ONLY });
  }

  const cuts = new Map<pg.PoolClient, NodeJS.Timeout>();

  /** `isStuck`: whether the server does not answer then; otherwise the unit of work has used up its time. */
  function cutAfter(ms: number, client: pg.PoolClient, isStuck = true): void {
    clearTimeout(cuts.get(client));
    const cut = (): void => {
      void client.end().catch(() => undefined);
      if (!isStuck) return;
      noteFailure();
      mayBeStuck = true;
      renew();
    };
    cuts.set(client, setTimeout(cut, Math.min(ms, lastCutAt - performance.now())));
  }

  /** A connection to the first server that accepts one, beginning with the present one. */
  async function connectAnyWay(): Promise<pg.PoolClient> {
    for (let left = ways.count; ; left -= 1) {
      const way = ways.current();
      try {
        return await pool.connect();
      } catch (error) {
        if (!ways.leave(way, error) || left === 1) throw error;
      }
    }
  }

  /** Waits up to `unitTimeoutMs` for a connection. */
  async function connectInTime(): Promise<pg.PoolClient> {
    const asked = ways.count === 1 ? pool.connect() : connectAnyWay();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        // A connection that comes too late goes back at once.
        asked.then((client) => client.release()).catch(() => undefined);
        reject(new Error(NO_CONNECTION));
      }, limits.unitTimeoutMs);
    });
    try {
      return await Promise.race([asked, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function lend(): Promise<pg.PoolClient> {
    const askedAt = performance.now();
    const isFree = pool.idleCount > pool.waitingCount;
    const client = await (isFree ? pool.connect() : connectInTime());
    cutAfter(limits.unitTimeoutMs - (performance.now() - askedAt), client);
    if (mayBeStuck) await limitOrRelease(client);
    return client;
  }

  async function limitOrRelease(client: pg.PoolClient): Promise<void> {
    try {
      await checkStuckCommits(client);
    } catch (error) {
      connectionPool.release(client, true);
      throw error;
    }
  }

  // With the interface of knex' own pool (tarn), so that knex accepts it.
  const connectionPool = {
    acquire: () => ({ promise: lend() }),
    release: (client: pg.PoolClient, isInUse = false) => {
      clearTimeout(cuts.get(client));
      cuts.delete(client);
      client.release(isInUse);
      return true;
    },
    destroy: () => end(pool),
    numUsed: () => pool.totalCount - pool.idleCount,
    numFree: () => pool.idleCount,
    numPendingAcquires: () => pool.waitingCount,
  };
  const db = knex({
    client: 'pg',
    connectionPool,
    compileSqlOnError: false,
    log: { warn: () => undefined },
  });
  // `query` reads it.
  db.userParams = { isPooled };
  const noteError = (error: unknown): void => {
    if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return;
    if (!NOT_WRITABLE.test(error.code)) return;
    noteFailure();
    if (error.code !== READ_ONLY || isFull) return;
    renew();
    // Once more, `renewIntervalMs` later: a connection that is opened now may still lead to the old server, where reads
    // do not fail.
    renew();
  };
  db.on('query-error', noteError);

  /** What Postgres reads, with $1 in place of the first `?`, by what knex reads; for each statement of the sources. */
  const texts = new Map<string, string>();

  function textOf(sql: string, values: readonly Knex.RawBinding[]): string {
    const text = texts.get(sql) ?? db.raw(sql, values).toSQL().toNative().sql;
    texts.set(sql, text);
    return text;
  }

  const runAlone: Database['runAlone'] = async <Row>(name: string, sql: string, values: readonly Knex.RawBinding[]) => {
    const client = await lend();
    try {
      const text = textOf(sql, values);
      // A transaction pooler gives the next statement another connection, on which nothing has been prepared.
      return await client.query<Row & pg.QueryResultRow>({ ...(isPooled ? {} : { name }), text, values: [...values] });
    } catch (error) {
      noteError(error);
      if (error instanceof Error) error.message = `${name}: ${error.message}`;
      throw error;
    } finally {
      connectionPool.release(client);
    }
  };

  async function longTransaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    const client = await lend();
    const end = performance.now() + limits.longTransactionTimeoutMs;
    try {
      return await db.transaction(
        async (transaction) => {
          transaction.on('query-response', () => {
            const leftMs = end - performance.now();
            cutAfter(Math.min(limits.unitTimeoutMs, leftMs), client, leftMs >= limits.unitTimeoutMs);
          });
          const result = await work(transaction);
          cutAfter(limits.commitTimeoutMs, client);
          return result;
        },
        { connection: client },
      );
    } finally {
      connectionPool.release(client);
    }
  }

  async function copyOut<T>(statement: string, read: (pieces: AsyncIterable<Buffer>) => Promise<T>): Promise<T> {
    const { to } = await import('pg-copy-streams');
    const client = await lend();
    // The stream of a COPY expects no answers besides its own, as setInEachTransaction would add.
    if (isPooled) {
      await client.query('BEGIN').catch((error: unknown) => {
        connectionPool.release(client, true);
        throw error;
      });
    }
    const { promise: isReady, resolve } = Promise.withResolvers<void>();
    client.once('drain', resolve).once('end', resolve);
    const pieces = client.query(to(statement));
    // An error after the last read concerns no reader. Without a listener it would end the process.
    pieces.on('error', () => undefined);
    try {
      const result = await read(pieces);
      // The last piece comes before the server is ready for another statement.
      if (pieces.readableEnded) await isReady;
      if (pieces.readableEnded && isPooled) await client.query('COMMIT');
      return result;
    } finally {
      client.off('drain', resolve).off('end', resolve);
      connectionPool.release(client, !pieces.readableEnded);
    }
  }

  async function isWritable(): Promise<boolean> {
    const since = failingSince;
    if (since === undefined) return true;
    try {
      // A commit in the write-ahead log, and no row.
      if (!isFull) {
        await db.raw("SELECT pg_logical_emit_message(true, 'formhost', '')");
        failingSince = undefined;
        return true;
      }
    } catch {
      // Counted below.
    }
    return performance.now() - since < limits.unwritableAfterMs;
  }

  return Object.assign(db, {
    longTransaction,
    copyOut,
    runAlone,
    isWritable,
    use: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      lastCutAt = performance.now() + limits.closeTimeoutMs;
      for (const client of cuts.keys()) cutAfter(limits.closeTimeoutMs, client);
      await Promise.all([end(pool), ...ending]);
    },
  });
}

/** Why the database can't do something now. */
export type OutOfReach = 'unreachable' | 'busy' | 'slow' | 'read-only';

/** Reasons by error code: SQLSTATE classes, and codes of system calls. The first that matches counts. */
const CODES: readonly [RegExp, OutOfReach][] = [
  [/^(?:25006|53100)/, 'read-only'],
  [/^(?:53300|55P03|40)/, 'busy'],
  [/^(?:57014|25P03)/, 'slow'],
  [/^(?:08|53|57|58|55P03|ECONN|ENOENT|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/, 'unreachable'],
];
const NO_CONNECTION = 'timeout waiting for a connection';
const NO_ANSWER = /timeout|Connection terminated|connection error|not queryable|Cannot use a pool after/i;

/**
 * Why a statement failed, if the database can't be reached, or is full, read-only, too slow or in use; undefined when the
 * statement is wrong.
 */
export function whyOutOfReach(error: unknown): OutOfReach | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError) return error.errors.map(whyOutOfReach).find((reason) => reason !== undefined);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code !== '') return CODES.find(([pattern]) => pattern.test(code))?.[1];
  if (error.message.endsWith(NO_CONNECTION)) return 'busy';
  return NO_ANSWER.test(error.message) ? 'unreachable' : undefined;
}

export const isOutOfReach = (error: unknown): boolean => whyOutOfReach(error) !== undefined;

/** Whether a statement failed because another row has the same unique value (unique_violation). */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';

/**
 * What became of the settings with which connections are made: a pooler may refuse them, so that there is no connection,
 * or ignore them, so that statements have no time-outs. Rejects when the database is out of reach.
 */
export async function settingsInForce(db: Knex): Promise<'yes' | 'refused' | 'ignored'> {
  try {
    const { rows } = await db.raw<{ rows: { timeout: string; scan: string }[] }>(
      "SELECT current_setting('statement_timeout') AS timeout, current_setting('enable_seqscan') AS scan",
    );
    return rows.some(({ timeout, scan }) => timeout === '0' || scan === 'on') ? 'ignored' : 'yes';
  } catch (error) {
    // pgbouncer's words for a parameter that it does not pass on.
    if (error instanceof Error && /unsupported startup parameter/.test(error.message)) return 'refused';
    throw error;
  }
}
