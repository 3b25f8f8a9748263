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

/** Whether the embedded database exists. One that this user can't look at does: opening it says why it can't be used. */
export const embeddedExists = (dataDir: string): Promise<boolean> =>
  stat(join(dataDir, 'postgres', 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );

/** Waits while the very first start of the service may be making the database. Throws NoDatabaseError. */
async function waitUntil(exists: () => Promise<boolean>, { database: limits }: Limits, onWait: () => void) {
  const startedAt = performance.now();
  while (!(await exists())) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > limits.firstStartTimeoutMs) throw new NoDatabaseError();
    if (waitedMs > limits.firstStartTellAfterMs) onWait();
    await delay(POLL_MS);
  }
}

async function waitForTables({ connection }: DatabaseServer, limits: Limits, onWait: () => void): Promise<void> {
  const client = await openClient(connection, {
    application_name: 'formhost command',
    ...ANSWER_TIMEOUTS,
  });
  try {
    await waitUntil(() => hasMigrations(client), limits, onWait);
  } finally {
    await client.end();
  }
}

/**
 * Opens the existing database of the service. During the service's very first start it waits until that has made the
 * database; `onWait` is called once when this takes long. Creates nothing where there is none: that would be another database
 * than the service's. Throws NoDatabaseError then.
 */
export async function openExistingDatabase(
  location: Location,
  limits: Limits,
  onWait: () => void,
): Promise<DatabaseServer> {
  const { databaseUrl, dataDir } = location;
  let hasTold = false;
  const tellOnce = (): void => {
    if (!hasTold) onWait();
    hasTold = true;
  };
  if (databaseUrl === undefined) await waitUntil(() => embeddedExists(dataDir), limits, tellOnce);
  const server = await openDatabaseServer(location);
  try {
    await waitForTables(server, limits, tellOnce);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
