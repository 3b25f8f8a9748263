import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/db/postgres/connect.ts';
import { READ_ONLY } from '../../src/db/postgres/servers.ts';
import { testDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/test-limits.ts';

const database = await testDatabase();

it('replaces connections that were made to a read-only server just after all had been replaced', async () => {
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  onTestFinished(() => db.close());
  const write = () => db.raw(`DO $$ BEGIN RAISE 'read-only' USING ERRCODE = '${READ_ONLY}'; END $$`);
  async function connectionInUse(): Promise<number> {
    const { rows } = await db.raw('SELECT pg_backend_pid() AS pid');
    return rows[0].pid;
  }
  await expect(write()).rejects.toMatchObject({ code: READ_ONLY });
  const made = await connectionInUse();
  await expect(write()).rejects.toMatchObject({ code: READ_ONLY });
  // Only reads follow: no other error replaces it.
  await expect.poll(connectionInUse).not.toBe(made);
});
