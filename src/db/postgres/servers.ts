import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { type DatabaseUrl, parseDatabaseUrl, type Target, tlsOf } from '../../lib/database-url.ts';

type Address = { connectionString: string } | { host: string; port: number; user: string; database: string };

/** How to reach a database: a URL (../../database-url.ts), or the embedded server's socket. */
export type Connection = Address & {
  /** `transaction`: a pooler is in between that gives each transaction another connection to Postgres. */
  pooler?: 'none' | 'transaction';
};

/** Postgres' error code for a write on a read-only server (read_only_sql_transaction). */
export const READ_ONLY = '25006';

/** What pg needs to reach one server. */
type ServerConfig = Address & { ssl: false | ConnectionOptions; options?: string };

/** A way to reach one server. Where TLS is preferred, there is a second way to each, without TLS. */
type Way = { server: number; configure(): ServerConfig };

export type Ways = {
  count: number;
  target: Target;
  /** The way that is taken next. */
  current(): Way;
  /**
   * After `error` on a way: takes the next one, unless somebody has done so. False when the error does not come from the
   * server.
   */
  leave(way: Way, error: unknown): boolean;
};

/** pg-pool's and pg's errors that say nothing about the server. */
const OWN_ERROR = /^timeout exceeded when trying to connect$|^Cannot use a pool after/;
const NO_TLS = /^The server does not support SSL connections$/;

function waysOf({ servers, tls, options }: DatabaseUrl): Way[] {
  return servers.flatMap(({ host, url }, server) => {
    const base = { connectionString: url, ...(options !== undefined && { options }) };
    const direct: Way = { server, configure: () => ({ ...base, ssl: tlsOf({ tls }, host) }) };
    return tls.mode === 'prefer' ? [direct, { server, configure: () => ({ ...base, ssl: false }) }] : [direct];
  });
}

export function waysTo(connection: Connection): Ways {
  const url = 'connectionString' in connection ? parseDatabaseUrl(connection.connectionString) : undefined;
  const ways: Way[] = url ? waysOf(url) : [{ server: 0, configure: () => ({ ...connection, ssl: false }) }];
  const [first] = ways;
  if (!first) throw new Error('There is no server');
  let current = first;

  const next = (way: Way, error: unknown): Way => {
    const after = ways[ways.indexOf(way) + 1];
    if (after?.server === way.server && error instanceof Error && NO_TLS.test(error.message)) return after;
    return ways.find(({ server }) => server > way.server) ?? first;
  };

  return {
    count: ways.length,
    target: url?.target ?? 'any',
    current: () => current,
    leave(way, error) {
      if (error instanceof Error && OWN_ERROR.test(error.message)) return false;
      if (current === way) current = next(way, error);
      return true;
    },
  };
}

const REFUSED = {
  'read-write': "SELECT current_setting('transaction_read_only') = 'on' AS refused",
  primary: 'SELECT pg_is_in_recovery() AS refused',
} as const;

/** Throws unless a server is one that `target` names. */
export async function checkServer(client: pg.ClientBase, target: Target, timeoutMs: number): Promise<void> {
  if (target === 'any') return;
  const config = { text: REFUSED[target], query_timeout: timeoutMs };
  const { rows } = await client.query<{ refused: boolean }>(config);
  if (rows.some(({ refused }) => refused)) {
    throw Object.assign(new Error(`the server is not ${target}: it is a standby, or read-only`), { code: READ_ONLY });
  }
}

const DEFAULT_CONNECT_MS = 10_000;

type Opened = {
  client: pg.Client;
  /** Reaches the same server again. */
  config: ServerConfig;
};

/** Connects to the first server of a database that answers and is of its target. */
export async function openClientAndConfig(connection: Connection, settings: pg.ClientConfig): Promise<Opened> {
  const ways = waysTo(connection);
  const connectMs = (settings.connectionTimeoutMillis ?? DEFAULT_CONNECT_MS) / ways.count;
  for (let left = ways.count; ; left -= 1) {
    const way = ways.current();
    let client: pg.Client | undefined;
    try {
      client = new pg.Client({ ...settings, ...way.configure(), connectionTimeoutMillis: connectMs });
      // A lost connection rejects the current query; without a listener it would also end the process.
      client.on('error', () => undefined);
      await client.connect();
      await checkServer(client, ways.target, connectMs);
      // pg hides the key of a configuration that it has used.
      return { client, config: way.configure() };
    } catch (error) {
      await client?.end().catch(() => undefined);
      ways.leave(way, error);
      if (left === 1) throw error;
    }
  }
}

export const openClient = async (connection: Connection, settings: pg.ClientConfig): Promise<pg.Client> =>
  (await openClientAndConfig(connection, settings)).client;
