import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { PROJECT } from '../../lib/project.ts';
import type { Limits } from '../../limits.ts';
import { type DatabaseServer, type Location, openDatabaseServer } from './database-server.ts';
import { findMigrations } from './migrate.ts';
import { openClient } from './servers.ts';

/** There is no database of the service where the settings say, and no start of the service is making one. */
export class NoDatabaseError extends Error {}

type State = 'exists' | 'starting' | 'missing';

const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/** Whether build.sh makes a build at the moment, as it does before a start. */
async function isBuilding({ database: { staleBuildMs } }: Limits): Promise<boolean> {
  const dist = new URL('dist/', PROJECT).pathname;
  const names = await readdir(dist).catch(() => []);
  const ages = names.filter((name) => name.startsWith('new.')).map((name) => ageOf(join(dist, name)));
  return (await Promise.all(ages)).some((age) => age < staleBuildMs);
}

/** Whether the embedded database exists. One that this user can't look at does: opening it says why it can't be used. */
export async function embeddedExists(dataDir: string): Promise<boolean> {
  const isMissing = (error: NodeJS.ErrnoException): boolean => error.code === 'ENOENT';
  return stat(join(dataDir, 'postgres', 'PG_VERSION')).then(
    () => true,
    (error) => !isMissing(error),
  );
}

async function stateOfEmbedded(dataDir: string, limits: Limits): Promise<State> {
  if (await embeddedExists(dataDir)) return 'exists';
  return (await ageOf(join(dataDir, 'postgres.lock'))) < limits.database.staleLockMs || (await isBuilding(limits))
    ? 'starting'
    : 'missing';
}

async function stateOfTables(client: pg.Client, limits: Limits): Promise<State> {
  const found = await findMigrations(client);
  if (found === 'run') return 'exists';
  return found === 'running' || (await isBuilding(limits)) ? 'starting' : 'missing';
}

/** Waits while a start may be making the database. Throws NoDatabaseError when it is missing, and none does. */
async function waitUntilExists(
  look: () => Promise<State>,
  { database: limits }: Limits,
  onWait: () => void,
): Promise<void> {
  const startedAt = performance.now();
  let signAt = startedAt;
  for (;;) {
    const state = await look();
    if (state === 'exists') return;
    const now = performance.now();
    if (state === 'starting') signAt = now;
    if (now - signAt > limits.firstStartSignTimeoutMs || now - startedAt > limits.firstStartTimeoutMs)
      throw new NoDatabaseError();
    if (now - startedAt > limits.firstStartTellAfterMs) onWait();
    await delay(limits.firstStartPollMs);
  }
}

async function waitForTables({ connection }: DatabaseServer, limits: Limits, onWait: () => void): Promise<void> {
  const client = await openClient(connection, {
    application_name: 'formhost command',
    connectionTimeoutMillis: limits.database.commandAnswerTimeoutMs,
    query_timeout: limits.database.commandAnswerTimeoutMs,
  });
  try {
    await waitUntilExists(() => stateOfTables(client, limits), limits, onWait);
  } finally {
    await client.end();
  }
}

/**
 * Opens the existing database of the service. During the service's very first start it waits until that has made
 * the database; `onWait` is called once when this takes long. Creates nothing where there is none: that would be another
 * database than the service's. Throws NoDatabaseError then.
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
  if (databaseUrl === undefined) await waitUntilExists(() => stateOfEmbedded(dataDir, limits), limits, tellOnce);
  const server = await openDatabaseServer(location, limits, () => undefined);
  try {
    await waitForTables(server, limits, tellOnce);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
