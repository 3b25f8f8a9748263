import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Limits } from '../../limits.ts';
import { createPlanningClient } from './fresh-plans.ts';
import { NamedStatements } from './named-statements.ts';
import { whyOutOfReach } from './out-of-reach.ts';
import { type Connection, openServer, READ_ONLY, type ServerConfig, serversOf } from './servers.ts';
import { createPooledClient } from './transaction-pooler.ts';

type DatabaseLimits = Limits['database'];

/**
 * The server ends statements as well, so that none continues for a client that has left. JIT costs more than it gains on
 * short statements.
 */
const settingsWithin = ({ statementTimeoutMs }: DatabaseLimits) =>
  ({
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    jit: 'off',
  }) as const;

/** The maximum number of connections of one process. Postgres accepts 100 in all by default. */
const MAX_CONNECTIONS = 10;
/** An idle connection is closed, so that Postgres gets its memory back. */
const IDLE_MS = 30_000;
/** All connections are replaced at most this often. */
const RENEW_INTERVAL_MS = 500;

const JSON_OID = 114;
const INT8_OID = 20;

/** json stays the text that was stored. Counters (bigint) become numbers, which are exact up to 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(JSON_OID, (text) => text);
types.setTypeParser(INT8_OID, Number);

/** The part of knex' pool that is used (https://github.com/vincit/tarn.js). */
type Pool = {
  on(event: 'acquireRequest' | 'acquireFail', listener: (request: number) => unknown): void;
  on(event: 'acquireSuccess', listener: (request: number, connection: pg.Client) => void): void;
  on(event: 'createSuccess', listener: (creation: number, connection: pg.Client) => unknown): void;
  on(event: 'createFail', listener: (creation: number, error: unknown) => void): void;
  on(event: 'release', listener: (connection: pg.Client) => void): void;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
};

/** `onRenew` is called when all connections have been replaced. */
type ConnectSettings = { limits: Limits; onRenew?: () => void };

/**
 * The connections of a process, with knex on top. A unit of work that takes longer than `unitTimeoutMs`, including its
 * wait for a connection, fails, and its connection is closed.
 *
 * When one connection leads to a server that does not answer, or to one that has become read-only because another
 * replaced it, the others do, too. All are replaced by new ones, to the server that is found then.
 */
class Connections {
  readonly knex: Knex;
  readonly #connection: Connection;
  readonly #limits: DatabaseLimits;
  readonly #onRenew: () => void;
  readonly #pool: Pool;
  /** The server in use; undefined when it has to be looked for. */
  #server: Promise<ServerConfig> | undefined;
  /** The connections that have not been replaced. */
  #current = new WeakSet<pg.Client>();
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The timer that replaces all connections at the end of the interval. */
  #renewal: NodeJS.Timeout | undefined;
  /** When each unit of work asked for its connection, by the number that the pool gives it. */
  readonly #asked = new Map<number, number>();
  /** The timer that ends the unit of work of each connection. */
  readonly #deadlines = new Map<pg.Client, NodeJS.Timeout>();
  /** The time by which all units of work have ended or failed; set when this closes. */
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(connection: Connection, { limits: { database: limits }, onRenew = () => undefined }: ConnectSettings) {
    this.#connection = connection;
    this.#limits = limits;
    this.#onRenew = onRenew;
    const isPooled = connection.pooler === 'transaction';
    this.knex = knex({
      client: isPooled ? createPooledClient(settingsWithin(limits)) : createPlanningClient(limits.planLifetimeMs),
      connection: () => this.#configure(),
      pool: {
        min: 0,
        max: MAX_CONNECTIONS,
        acquireTimeoutMillis: limits.unitTimeoutMs,
        idleTimeoutMillis: IDLE_MS,
        destroyTimeoutMillis: limits.closeTimeoutMs,
        validate: (client) => this.#current.has(client),
      },
      // Otherwise the first connection asks the server.
      version: '15',
      compileSqlOnError: false,
      log: { warn: () => undefined },
    });
    // `query` reads it.
    this.knex.userParams = { isPooled, statements: new NamedStatements(this.knex, { isPrepared: !isPooled }) };
    this.knex.on('query-error', (error) => {
      if (error.code === READ_ONLY) this.#renew();
    });
    this.#pool = this.knex.client.pool;
    this.#watch(this.#pool);
  }

  /** How the pool is used at this moment: connections, and units of work that are `waiting` for one. */
  use(): { total: number; idle: number; waiting: number } {
    const idle = this.#pool.numFree();
    return { total: this.#pool.numUsed() + idle, idle, waiting: this.#pool.numPendingAcquires() };
  }

  /**
   * Runs a transaction that may take `timeoutMs` in all, longer than other units of work; then its
   * connection is closed. A single statement still has to be answered within `unitTimeoutMs`. Only the commit, which has
   * to wait for a slow disk, may take `commitTimeoutMs`.
   */
  async longTransaction<T>(
    work: (transaction: Knex.Transaction) => Promise<T>,
    timeoutMs = this.#limits.longTransactionTimeoutMs,
  ): Promise<T> {
    const connection: pg.Client = await this.knex.client.acquireConnection();
    const end = performance.now() + timeoutMs;
    const { unitTimeoutMs, commitTimeoutMs } = this.#limits;
    try {
      return await this.knex.transaction(
        async (transaction) => {
          transaction.on('query-response', () => {
            const leftMs = end - performance.now();
            this.#endAfter(Math.min(unitTimeoutMs, leftMs), connection, leftMs >= unitTimeoutMs);
          });
          const result = await work(transaction);
          this.#endAfter(commitTimeoutMs, connection);
          return result;
        },
        { connection },
      );
    } finally {
      await this.knex.client.releaseConnection(connection);
    }
  }

  /** Starts no new statement, waits up to `closeTimeoutMs` for the running ones, and closes every connection. */
  async close(): Promise<void> {
    this.#endsAt = performance.now() + this.#limits.closeTimeoutMs;
    for (const connection of this.#deadlines.keys()) this.#endAfter(this.#limits.closeTimeoutMs, connection, false);
    await this.knex.destroy();
  }

  #watch(pool: Pool): void {
    pool.on('createSuccess', (_creation, connection) => this.#current.add(connection));
    pool.on('createFail', (_creation, error) => {
      // Another server may answer.
      if (whyOutOfReach(error) !== 'busy') this.#server = undefined;
    });
    pool.on('acquireRequest', (request) => this.#asked.set(request, performance.now()));
    pool.on('acquireFail', (request) => this.#asked.delete(request));
    pool.on('acquireSuccess', (request, connection) => {
      const waitedMs = performance.now() - (this.#asked.get(request) ?? 0);
      this.#asked.delete(request);
      this.#endAfter(this.#limits.unitTimeoutMs - waitedMs, connection);
    });
    pool.on('release', (connection) => {
      clearTimeout(this.#deadlines.get(connection));
      this.#deadlines.delete(connection);
    });
  }

  /** The settings with which knex connects to the server in use; it asks again when `expirationChecker` says so. */
  async #configure() {
    this.#server ??= this.#findServer();
    const server = this.#server;
    const config = await server;
    const options = Object.entries(settingsWithin(this.#limits)).map(([name, value]) => `-c ${name}=${value}`);
    const given = config.options ?? '';
    return {
      ...config,
      types,
      application_name: 'formhost',
      keepAlive: true,
      connectionTimeoutMillis: this.#limits.unitTimeoutMs,
      options: this.#connection.pooler === 'transaction' ? given : [...options, given].join(' ').trim(),
      expirationChecker: () => this.#server !== server,
    };
  }

  async #findServer(): Promise<ServerConfig> {
    const { configs, target } = serversOf(this.#connection);
    const [only, ...others] = configs;
    if (only && others.length === 0 && target === 'any') return only;
    const settings = { application_name: 'formhost', connectionTimeoutMillis: this.#limits.unitTimeoutMs };
    const { client, config } = await openServer(this.#connection, settings);
    await client.end();
    return config;
  }

  /** Closes a connection in `ms`. `isStuck`: whether the server does not answer then; otherwise the unit has used up its time. */
  #endAfter(ms: number, connection: pg.Client, isStuck = true): void {
    clearTimeout(this.#deadlines.get(connection));
    const end = (): void => {
      const isCurrent = this.#current.delete(connection);
      void connection.end().catch(() => undefined);
      if (isStuck && isCurrent) this.#renew();
    };
    this.#deadlines.set(connection, setTimeout(end, Math.min(ms, this.#endsAt - performance.now())).unref());
  }

  /**
   * Replaces all connections, at most once in RENEW_INTERVAL_MS: each is closed when it is next needed. A call in between
   * replaces them at its end, because some may have been made to the old server since.
   */
  #renew(): void {
    const leftMs = this.#renewedAt + RENEW_INTERVAL_MS - performance.now();
    if (leftMs <= 0) this.#replaceAll();
    else this.#renewal ??= setTimeout(() => this.#replaceAll(), leftMs).unref();
  }

  #replaceAll(): void {
    clearTimeout(this.#renewal);
    this.#renewal = undefined;
    this.#renewedAt = performance.now();
    this.#current = new WeakSet();
    this.#server = undefined;
    this.#onRenew();
  }
}

export type Database = Knex & Pick<Connections, 'use' | 'longTransaction' | 'close'>;

/** Opens connections to a database, each when it is first needed. */
export function connect(connection: Connection, options: ConnectSettings): Database {
  const connections = new Connections(connection, options);
  return Object.assign(connections.knex, {
    use: () => connections.use(),
    longTransaction: <T>(work: (transaction: Knex.Transaction) => Promise<T>, timeoutMs?: number) =>
      connections.longTransaction(work, timeoutMs),
    close: () => connections.close(),
  });
}
