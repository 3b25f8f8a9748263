import { setTimeout as delay } from 'node:timers/promises';
import { type Config, isLocalHost, signInUrl } from './config.ts';
import { createFirstKey } from './db/account/first-owner.ts';
import type { Database } from './db/postgres/connect.ts';
import { type DatabaseServer, openDatabaseServer } from './db/postgres/database-server.ts';
import { migrate } from './db/postgres/migrate.ts';
import { isOutOfReach } from './db/postgres/out-of-reach.ts';
import { settingsInForce } from './db/postgres/transaction-pooler.ts';
import { hashOfKey, newToken } from './lib/ids.ts';
import type { Log } from './lib/log.ts';
import { FIRST_OWNER } from './lib/mail-address.ts';

/** A start tries again when the database is out of reach. */
const RETRY_MS = 500;

/** The service cannot start, for a reason that the operator can fix. The message names the setting. */
export class StartError extends Error {}

/** The Postgres of DATABASE_URL, or the embedded one, which is started. Throws StartError. */
export async function openDatabase(config: Config, log: Log): Promise<DatabaseServer> {
  try {
    return await openDatabaseServer(config, (message) => log.info(message));
  } catch (error) {
    throw cannotBeUsed(`DATA_DIR ${config.dataDir}`, error);
  }
}

/** Migrates the database. Tries again while it is out of reach, until `stopping`. Throws StartError. */
export async function prepareDatabase(
  { connection, isEmbedded }: DatabaseServer,
  config: Config,
  log: Log,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      const onWait = (): void => log.info('another process migrates the database: waiting for it');
      return await migrate(connection, { signal: stopping, onWait });
    } catch (error) {
      if (stopping.aborted) throw error;
      if (!isOutOfReach(error)) {
        throw cannotBeUsed(isEmbedded ? `DATA_DIR ${config.dataDir}` : 'the database of DATABASE_URL', error);
      }
      log.warn({ err: error }, 'the database is out of reach; trying again');
      await delay(RETRY_MS, undefined, { signal: stopping });
    }
  }
}

const POOLER_REFUSES = 'a pooler refuses the settings of our connections: set DATABASE_POOLER=transaction';
const POOLER_IGNORES =
  'a pooler ignores the time-outs of our connections: set DATABASE_POOLER=transaction, or, if it pools sessions, ' +
  'statement_timeout of the role';

/** Looks for a pooler that DATABASE_POOLER does not name. Throws StartError when nothing works through it. */
export async function checkPooler(db: Database, log: Log): Promise<void> {
  // Out of reach again: it works or fails as at any later time.
  const inForce = await settingsInForce(db).catch(() => 'yes');
  if (inForce === 'refused') throw new StartError(`the database of DATABASE_URL cannot be used: ${POOLER_REFUSES}`);
  if (inForce === 'ignored') log.warn(POOLER_IGNORES);
}

/** The owner that an embedded database gets at its first start. */
export type FirstOwner = {
  key: string;
  /** A link that signs in once, as one in a mail. */
  signInUrl: string;
};

/** Makes a first owner in an embedded database that has none, if only this machine can reach the service. */
export async function createFirstOwner(
  { isEmbedded }: DatabaseServer,
  db: Database,
  config: Config,
): Promise<FirstOwner | undefined> {
  if (!isEmbedded || !isLocalHost(config.host)) return undefined;
  const owner = { email: FIRST_OWNER, plan: planWithHighestLimit(config) };
  const token = newToken();
  const key = await createFirstKey(db, owner, hashOfKey(token));
  return key === undefined ? undefined : { key, signInUrl: signInUrl(config, token) };
}

function planWithHighestLimit({ planLimits }: Config): string {
  const [first] = [...planLimits].toSorted(([, a], [, b]) => (a === b ? 0 : b - a));
  if (!first) throw new Error('PLAN_LIMITS has no plan.');
  return first[0];
}

function cannotBeUsed(database: string, error: unknown): StartError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError(`${database} cannot be used: ${reason}`, { cause: error });
}
