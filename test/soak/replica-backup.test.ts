import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../src/db/postgres/connect.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { runSql, withDatabase } from '../support/database.ts';
import { testLimits } from '../support/limits.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startProgram } from '../support/process.ts';
import { keyIn } from '../support/test-process.ts';

it('makes a backup of a replica, which only reads, and restores it', async () => {
  const primary = await startPostgresServer();
  onTestFinished(primary.close);
  await migrate({ connectionString: primary.url }, { limits: testLimits() });
  await keyIn(primary.url, 'owner@test.example');
  const replica = await primary.replica();
  onTestFinished(replica.close);
  await keyIn(primary.url, 'later@test.example');
  const follower = connect({ connectionString: replica.url }, { limits: testLimits() });
  onTestFinished(() => follower.close());
  await vi.waitFor(async () => expect(await follower('owners')).toHaveLength(2), { timeout: 20_000, interval: 50 });

  const folder = await mkdtemp(join(tmpdir(), 'formhost-replica-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'one.backup');
  // Without Postgres' tools: the service's own format.
  const command = (name: string, url: string) =>
    startProgram(process.execPath, ['src/commands/formhost.ts', 'admin', name, file], {
      PATH: '/nowhere',
      DATABASE_URL: url,
    }).result;
  expect(await command('backup', replica.url)).toEqual({ code: 0, stdout: '', stderr: '' });
  await runSql(primary.url, 'CREATE DATABASE target');
  const target = withDatabase(primary.url, 'target');
  expect(await command('restore', target)).toEqual({ code: 0, stdout: '', stderr: '' });
  const restored = connect({ connectionString: target }, { limits: testLimits() });
  onTestFinished(() => restored.close());
  const emails = await restored<{ email: string }>('owners').select('email').orderBy('id');
  expect(emails).toEqual([{ email: 'owner@test.example' }, { email: 'later@test.example' }]);
});
