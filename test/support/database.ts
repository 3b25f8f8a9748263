import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { installedPostgres, startInstalled } from './cluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a server on which databases may be made. */
    postgresUrl: string;
    /** A migrated database to clone. */
    template: string;
  }
}

/** Several files at a time each start some services, of which each may have ten connections and one that listens. */
const MAX_CONNECTIONS = 300;

type TestServer = { url: string; stop(): Promise<void> };

/** Returns the URL of another database of the same server. */
export function withDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function inContainer(): Promise<TestServer> {
  // Loaded on demand: it takes most of a second, and is not needed on a machine without a container engine.
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer('postgres:18')
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withCommand(['postgres', '-c', `max_connections=${MAX_CONNECTIONS}`])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const url = `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
  return { url, stop: async () => void (await container.stop()) };
}

/** The URL of a server that listens on a socket in a folder only. */
const socketUrl = (folder: string): string =>
  `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(folder)}`;

async function embedded(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-test-'));
  const first = await openEmbeddedPostgres(folder);
  await runSql(socketUrl(first.connection.host), `ALTER SYSTEM SET max_connections = ${MAX_CONNECTIONS}`);
  await first.close();
  // It counts from the next start.
  const second = await openEmbeddedPostgres(folder);
  const { close } = second;
  return {
    url: socketUrl(second.connection.host),
    stop: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A cluster of its own. The one that Debian's package starts on port 5432 does not matter. */
async function installed(programs: string): Promise<TestServer> {
  const root = await mkdtemp(join(tmpdir(), 'formhost-test-'));
  const { socket, stop } = await startInstalled(programs, root, `-c max_connections=${MAX_CONNECTIONS}`);
  return {
    url: socketUrl(socket),
    stop: async () => {
      await stop();
      await rm(root, { recursive: true });
    },
  };
}

/**
 * Lets a server of the tests write to the disk late: it need not survive a crash of the machine.
 */
async function hurry(server: TestServer): Promise<TestServer> {
  for (const setting of ['fsync', 'full_page_writes']) await runSql(server.url, `ALTER SYSTEM SET ${setting} = off`);
  await runSql(server.url, 'SELECT pg_reload_conf()');
  return server;
}

/** A real Postgres: TEST_DATABASE_URL's, else that of TEST_POSTGRES_BIN, else one in a container, else the embedded one. */
async function startServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { url, stop: async () => undefined };
  const programs = installedPostgres();
  if (programs !== undefined) return hurry(await installed(programs));
  return hurry(await (process.env.DOCKER_HOST || existsSync('/var/run/docker.sock') ? inContainer() : embedded()));
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const template = `formhost_test_${randomBytes(6).toString('hex')}`;
  try {
    await runSql(server.url, `CREATE DATABASE ${template}`);
    await migrate({ connectionString: withDatabase(server.url, template) });
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  project.provide('template', template);
  return async () => {
    await runSql(server.url, `DROP DATABASE ${template} WITH (FORCE)`);
    await server.stop();
  };
}
