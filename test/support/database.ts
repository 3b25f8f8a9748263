import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { testLimits } from './limits.ts';

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

/** The same URL for another database of its server. */
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

async function embedded(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-test-'));
  const urlOf = ({ connection: { user, port, host } }: Awaited<ReturnType<typeof openEmbeddedPostgres>>): string =>
    `postgres://${user}@localhost:${port}/postgres?host=${encodeURIComponent(host)}`;
  const first = await openEmbeddedPostgres(folder, { limits: testLimits() });
  // They count from the next start. The server need not survive a crash of the machine.
  for (const setting of [`max_connections = ${MAX_CONNECTIONS}`, 'fsync = off', 'full_page_writes = off'])
    await runSql(urlOf(first), `ALTER SYSTEM SET ${setting}`);
  await first.close();
  const second = await openEmbeddedPostgres(folder, { limits: testLimits() });
  const { close } = second;
  const url = urlOf(second);
  return {
    url,
    stop: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A real Postgres: TEST_DATABASE_URL's, else the embedded one. */
async function startServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { url, stop: async () => undefined };
  return embedded();
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer();
  const template = `formhost_test_${randomBytes(6).toString('hex')}`;
  await runSql(server.url, `CREATE DATABASE ${template}`);
  await migrate({ connectionString: withDatabase(server.url, template) }, { limits: testLimits() });
  project.provide('postgresUrl', server.url);
  project.provide('template', template);
  return async () => {
    await runSql(server.url, `DROP DATABASE ${template} WITH (FORCE)`);
    await server.stop();
  };
}
