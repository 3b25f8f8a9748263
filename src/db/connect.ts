import knex, { type Knex } from 'knex';
import pg from 'pg';

/** What pg needs to reach a database: a URL, or the embedded server's socket. */
export type Connection = { connectionString: string } | { host: string; port: number; user: string; database: string };

export type Database = Knex & {
  /** How the pool is used at this moment. */
  use(): PoolUse;
  /**
   * A transaction that may take longer than other units of work, LONG_MS, as long as it moves: what has no answer after
   * UNIT_MS is cut all the same. Only the commit, for which a slow disk has to keep up, may take COMMIT_MS.
   */
  longTransaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T>;
  /**
   * What a COPY … TO STDOUT sends, in pieces, read as a unit of work like any other. `read` may stop before the end: the
   * connection is given up then, and with it the statement.
   */
  copyOut<T>(statement: string, read: (pieces: AsyncIterable<Buffer>) => Promise<T>): Promise<T>;
  /** Lets no new statement in, waits for those under way, but CLOSE_MS at most, closes every connection. */
  close(): Promise<void>;
};

// A request is answered within 3 seconds although the database is not.
const UNIT_MS = 2_100;
const STATEMENT_MS = 1_900;
const LONG_MS = 10_000;
const COMMIT_MS = 10_000;
/** For how long a closing waits for what is under way. */
const CLOSE_MS = 1_000;

/** Connections are given up together at most so often. */
const RENEW_MS = 500;
/** read_only_sql_transaction */
const READ_ONLY = '25006';

const JSON_OID = 114;
const INT8_OID = 20;

/** json stays the text that was stored; counters (bigint) become numbers, exact up to 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(JSON_OID, (text) => text);
types.setTypeParser(INT8_OID, Number);

/** `total` connections there are, of which `idle`; units of work that are `waiting` for one. */
export type PoolUse = { total: number; idle: number; waiting: number };

function openPool(connection: Connection): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: 10,
    connectionTimeoutMillis: UNIT_MS,
    idleTimeoutMillis: 30_000,
    application_name: 'formhost',
    keepAlive: true,
    // The server gives up as well, so that nothing goes on there for a client that has left. JIT costs more than it
    // gains on statements this short. Whatever serves a request has an index: reading a table from end to end would be planned only
    // while it is small, and the plan be kept when it no longer is.
    options: `-c statement_timeout=${STATEMENT_MS} -c idle_in_transaction_session_timeout=${STATEMENT_MS} -c jit=off -c enable_seqscan=off`,
  });
  // A connection that breaks shows in the statement under way, or is only removed when it was idle. Without a listener,
  // and pg takes its own away while a connection is lent, it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * A pool of connections for short units of work, with knex over it. UNIT_MS after a connection was asked for it is cut,
 * if it was had, and whoever uses it or still waits for one fails.
 *
 * Where one connection leads to a server that doesn't answer, or to one that only reads since another took its place, all
 * of the others do: they are given up together, and new ones made, which follow the address. `onRenew` hears of it.
 */
export function connect(connection: Connection, { onRenew }: { onRenew?: () => void } = {}): Database {
  let pool = openPool(connection);
  let openedAt = performance.now();
  const ending = new Set<Promise<void>>();
  /** Set when it closes: whoever waited for what is still under way has been cut by then. */
  let lastCutAt = Number.POSITIVE_INFINITY;

  /** Settles when a pool has ended, or at once when it was ending before. */
  async function end(old: pg.Pool): Promise<void> {
    if (old.ending) return;
    const ended = old.end().finally(() => ending.delete(ended));
    ending.add(ended);
    await ended;
  }

  let renewing: NodeJS.Timeout | undefined;

  /** At once, or once RENEW_MS are over: what was opened since may lead to where the address led a moment ago. */
  function renew(): void {
    // The last one is ended when the database is let go of.
    if (pool.ending || renewing) return;
    const waitMs = RENEW_MS - (performance.now() - openedAt);
    if (waitMs > 0) {
      renewing = setTimeout(() => {
        renewing = undefined;
        renew();
      }, waitMs + 1).unref();
      return;
    }
    void end(pool);
    pool = openPool(connection);
    openedAt = performance.now();
    onRenew?.();
  }

  const cuts = new Map<pg.PoolClient, NodeJS.Timeout>();

  function cutAfter(ms: number, client: pg.PoolClient): void {
    clearTimeout(cuts.get(client));
    const cut = (): void => {
      void client.end().catch(() => undefined);
      renew();
    };
    cuts.set(client, setTimeout(cut, Math.min(ms, lastCutAt - performance.now())));
  }

  async function lend(): Promise<pg.PoolClient> {
    const askedAt = performance.now();
    const asked = pool.connect();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        // Had too late, it goes straight back.
        asked.then((client) => client.release()).catch(() => undefined);
        reject(new Error('timeout waiting for a connection'));
      }, UNIT_MS);
    });
    try {
      const client = await Promise.race([asked, tooLate]);
      cutAfter(UNIT_MS - (performance.now() - askedAt), client);
      return client;
    } finally {
      clearTimeout(timer);
    }
  }

  // In the shape of knex' own pool (tarn), which is how it takes one that is not pg's.
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
  const db = knex({ client: 'pg', connectionPool, compileSqlOnError: false, log: { warn: () => undefined } });
  db.on('query-error', (error: Error) => {
    if (!('code' in error) || error.code !== READ_ONLY) return;
    renew();
    // Once more: what is opened now may lead to the old one still, and be read over without a failure.
    renew();
  });

  async function longTransaction<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
    const client = await lend();
    const end = performance.now() + LONG_MS;
    try {
      return await db.transaction(
        async (transaction) => {
          transaction.on('query-response', () => cutAfter(Math.min(UNIT_MS, end - performance.now()), client));
          const result = await work(transaction);
          cutAfter(COMMIT_MS, client);
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
    const { promise: isReady, resolve } = Promise.withResolvers<void>();
    client.once('drain', resolve).once('end', resolve);
    const pieces = client.query(to(statement));
    // What fails once nobody reads any more is nobody's.
    pieces.on('error', () => undefined);
    try {
      const result = await read(pieces);
      // The last piece comes before the server's word that it takes another statement.
      if (pieces.readableEnded) await isReady;
      return result;
    } finally {
      client.off('drain', resolve).off('end', resolve);
      connectionPool.release(client, !pieces.readableEnded);
    }
  }

  return Object.assign(db, {
    longTransaction,
    copyOut,
    use: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      lastCutAt = performance.now() + CLOSE_MS;
      for (const client of cuts.keys()) cutAfter(CLOSE_MS, client);
      await Promise.all([end(pool), ...ending]);
    },
  });
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

/** Whether another row has what may be there only once (unique_violation). */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';
