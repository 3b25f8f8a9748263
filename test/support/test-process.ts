import { afterAll } from 'vitest';
import { makeKey } from '../../src/db/account/owner-queries.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { cloneDatabase } from './fresh-database.ts';
import { startServiceProcess } from './process.ts';
import { testLimits } from './test-limits.ts';
import { asOwner, BASE_URL, type Owner, PAGES_DOMAIN } from './test-service.ts';

/** A key of a new owner in a database, for processes that use it. */
export async function keyIn(databaseUrl: string, email = 'owner@test.example', plan?: string): Promise<string> {
  const db = connect({ connectionString: databaseUrl }, { limits: testLimits() });
  const { key } = await makeKey(db, { email, plan, defaultPlan: 'unlimited' }).finally(() => db.close());
  return key;
}

/**
 * A service process with a database of its own, for all tests of a file, which awaits it at its top. It is stopped after
 * them.
 */
export async function testProcess(more: Record<string, string> = {}) {
  const database = await cloneDatabase();
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent', ...more };
  const service = await startServiceProcess(settings);
  afterAll(async () => {
    await service.stop();
    await db.close();
    await database.drop();
  });
  await service.ready();
  const newOwner = async (name: string, plan?: string): Promise<Owner> =>
    asOwner(service.url, await keyIn(database.url, `${name}@test.example`, plan));
  return { service, settings, db, newOwner };
}
