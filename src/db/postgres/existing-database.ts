import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../../limits.ts';
import { type DatabaseServer, type Location, openDatabaseServer } from './database-server.ts';
import { hasMigrations } from './migrate.ts';
import { ANSWER_TIMEOUTS, openClient } from './servers.ts';

/** How often a command looks whether the service has made the database. */
const POLL_MS = 100;

/** There is no database of the service where the settings say, and no start of the service has made one. */
export class NoDatabaseError extends Error {}

/**
 * Returns whether the embedded database exists. It does if this user can't read it: opening it then says why it can't be
 * used.
 */
export const embeddedExists = (dataDir: string): Promise<boolean> =>
  stat(join(dataDir, 'postgres', 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );

/**
 * Opens the existing database of the service. During the service's very first start it waits until that has made the
 * database; `onWait` is called once when this takes long. Creates nothing where there is none: that would be another database
 * than the service's. Throws NoDatabaseError then.
 */
export async function openExistingDatabase(
  location: Location,
  { database: limits }: Limits,
  onWait: () => void,
): Promise<DatabaseServer> {
  const startedAt = performance.now();
  let hasTold = false;
  const waitUntil = async (exists: () => Promise<boolean>): Promise<void> => {
    while (!(await exists())) {
      const waitedMs = performance.now() - startedAt;
      if (!hasTold && waitedMs > limits.firstStartTellAfterMs) {
        hasTold = true;
        onWait();
      }
      if (waitedMs > limits.firstStartTimeoutMs) throw new NoDatabaseError();
      await delay(POLL_MS);
    }
  };
  if (location.databaseUrl === undefined) await waitUntil(() => embeddedExists(location.dataDir));
  const server = await openDatabaseServer(location);
  try {
    const client = await openClient(server.connection, { application_name: 'formhost command', ...ANSWER_TIMEOUTS });
    await waitUntil(() => hasMigrations(client)).finally(() => client.end());
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
