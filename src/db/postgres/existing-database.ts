import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { PROJECT } from '../../project.ts';
import { type DatabaseServer, type Location, openDatabaseServer } from './database-server.ts';
import { findMigrations } from './migrate.ts';
import { openClient } from './servers.ts';

/** There is no database of the service where the settings say, and no start of the service is making one. */
export class NoDatabaseError extends Error {}

/** The longest wait without a sign that the service starts: npm alone may take seconds to begin a start. */
export const NO_SIGN_MS = 10_000;
/** The longest wait for a start that shows signs: a build, initdb and migrations on a slow machine. */
const MAX_WAIT_MS = 120_000;
/** `onWait` is called only after this time. */
const TELL_AFTER_MS = 1_000;
const POLL_MS = 100;
const ANSWER_MS = 5_000;
/** The process that has the lock touches it every 2.5 s. An older lock was left by a process that was killed. */
const LOCK_STALE_MS = 6_000;
/** An older folder was left by a build that was killed. */
const BUILD_STALE_MS = 60_000;

type State = 'exists' | 'starting' | 'missing';

const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/** Whether build.sh makes a build at the moment, as it does before a start. */
async function isBuilding(): Promise<boolean> {
  const dist = new URL('dist/', PROJECT).pathname;
  const names = await readdir(dist).catch(() => []);
  const ages = names.filter((name) => name.startsWith('new.')).map((name) => ageOf(join(dist, name)));
  return (await Promise.all(ages)).some((age) => age < BUILD_STALE_MS);
}

/** Whether the embedded database exists. One that this user can't look at does: opening it says why it can't be used. */
export async function embeddedExists(dataDir: string): Promise<boolean> {
  const isMissing = (error: NodeJS.ErrnoException): boolean => error.code === 'ENOENT';
  return stat(join(dataDir, 'postgres', 'PG_VERSION')).then(
    () => true,
    (error) => !isMissing(error),
  );
}

async function stateOfEmbedded(dataDir: string): Promise<State> {
  if (await embeddedExists(dataDir)) return 'exists';
  return (await ageOf(join(dataDir, 'postgres.lock'))) < LOCK_STALE_MS || (await isBuilding()) ? 'starting' : 'missing';
}

async function stateOfTables(client: pg.Client): Promise<State> {
  const found = await findMigrations(client);
  if (found === 'run') return 'exists';
  return found === 'running' || (await isBuilding()) ? 'starting' : 'missing';
}

/** Waits while a start may be making the database. Throws NoDatabaseError when it is missing, and none does. */
async function waitUntilExists(look: () => Promise<State>, onWait: () => void): Promise<void> {
  const startedAt = performance.now();
  let signAt = startedAt;
  let hasTold = false;
  for (;;) {
    const state = await look();
    if (state === 'exists') return;
    const now = performance.now();
    if (state === 'starting') signAt = now;
    if (now - signAt > NO_SIGN_MS || now - startedAt > MAX_WAIT_MS) throw new NoDatabaseError();
    if (!hasTold && now - startedAt > TELL_AFTER_MS) {
      hasTold = true;
      onWait();
    }
    await delay(POLL_MS);
  }
}

async function waitForTables({ connection }: DatabaseServer, onWait: () => void): Promise<void> {
  const client = await openClient(connection, {
    application_name: 'formhost command',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  try {
    await waitUntilExists(() => stateOfTables(client), onWait);
  } finally {
    await client.end();
  }
}

/**
 * Opens the existing database of the service. During the service's very first start it waits until that has made
 * the database; `onWait` is called when this takes long. Creates nothing where there is none: that would be another
 * database than the service's. Throws NoDatabaseError then.
 */
export async function openExistingDatabase(location: Location, onWait: () => void): Promise<DatabaseServer> {
  const { databaseUrl, dataDir } = location;
  if (databaseUrl === undefined) await waitUntilExists(() => stateOfEmbedded(dataDir), onWait);
  const server = await openDatabaseServer(location, () => undefined);
  try {
    await waitForTables(server, onWait);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
