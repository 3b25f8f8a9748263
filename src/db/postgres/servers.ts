import pg from 'pg';
import { parseDatabaseUrl, type Target } from '../../environment/database-url.ts';

type Address = { connectionString: string } | { host: string; port: number; user: string; database: string };

/** How to reach a database: a URL (src/environment/database-url.ts), or the embedded server's socket. */
export type Connection = Address & {
  /** `transaction`: a pooler is in between that gives each transaction another connection to Postgres. */
  pooler?: 'none' | 'transaction';
};

/** Postgres' error code for a write on a read-only server (read_only_sql_transaction). */
export const READ_ONLY = '25006';

/** The settings by which pg reaches one server. */
export type ServerConfig = Address & { ssl?: false; options?: string };

type Servers = {
  /** The servers in the order in which they are tried. */
  configs: readonly ServerConfig[];
  target: Target;
};

export function serversOf(connection: Connection): Servers {
  if (!('connectionString' in connection)) return { configs: [{ ...connection, ssl: false }], target: 'any' };
  const { urls, target, options } = parseDatabaseUrl(connection.connectionString);
  const more = options === undefined ? {} : { options };
  return { configs: urls.map((connectionString) => ({ connectionString, ...more })), target };
}

const REFUSED = {
  'read-write': "SELECT current_setting('transaction_read_only') = 'on' AS refused",
  primary: 'SELECT pg_is_in_recovery() AS refused',
} as const;

/** Throws unless a server is one that `target` names. */
async function checkServer(client: pg.ClientBase, target: Target, timeoutMs: number): Promise<void> {
  if (target === 'any') return;
  const config = { text: REFUSED[target], query_timeout: timeoutMs };
  const { rows } = await client.query<{ refused: boolean }>(config);
  if (rows.some(({ refused }) => refused)) {
    throw Object.assign(new Error(`the server is not ${target}: it is a standby, or read-only`), { code: READ_ONLY });
  }
}

const DEFAULT_CONNECT_MS = 10_000;
/** How long a client of its own, beside the pool, waits for each answer. */
export const ANSWER_TIMEOUTS = { connectionTimeoutMillis: 10_000, query_timeout: 10_000 };

/** Connects to the first server of a database that answers and is of its target. `config` reaches the same server again. */
export async function openServer(
  connection: Connection,
  settings: pg.ClientConfig,
): Promise<{ client: pg.Client; config: ServerConfig }> {
  const { configs, target } = serversOf(connection);
  const connectMs = (settings.connectionTimeoutMillis ?? DEFAULT_CONNECT_MS) / configs.length;
  let failure: unknown;
  for (const config of configs) {
    let client: pg.Client | undefined;
    try {
      client = new pg.Client({ ...settings, ...config, connectionTimeoutMillis: connectMs });
      // A lost connection rejects the current query; without a listener it would also end the process.
      client.on('error', () => undefined);
      await client.connect();
      await checkServer(client, target, connectMs);
      return { client, config };
    } catch (error) {
      await client?.end().catch(() => undefined);
      failure = error;
    }
  }
  throw failure;
}

export const openClient = async (connection: Connection, settings: pg.ClientConfig): Promise<pg.Client> =>
  (await openServer(connection, settings)).client;
