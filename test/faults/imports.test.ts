import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/db/postgres/connect.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startServiceProcess } from '../support/process.ts';
import { testLimits } from '../support/test-limits.ts';
import { keyIn } from '../support/test-process.ts';
import { asOwner, BASE_URL, PAGES_DOMAIN } from '../support/test-service.ts';

/* An import is whole or not there, whatever is killed while its rows are stored. */

const ROWS = 60_000;
const FILE = `created_at,name\n${Array.from({ length: ROWS }, (_, row) => `${1_600_000_000 + row},row ${row}\n`).join('')}`;
/** Connections that have stored rows and have not committed. */
const STORING = `SELECT FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
  AND (query LIKE '%json_to_recordset%' OR query LIKE '%INSERT INTO submission_marks%')`;

it('leaves nothing of an import when the process or the database is killed in the middle', async () => {
  const postgres = await startPostgresServer();
  onTestFinished(postgres.close);
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' };
  const start = async () => {
    const service = await startServiceProcess(settings);
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await service.ready();
    return service;
  };
  const storing = async (): Promise<number> => {
    const db = connect({ connectionString: postgres.url }, { limits: testLimits() });
    return (await db.raw(STORING).finally(() => db.close())).rows.length;
  };
  const soon = { timeout: 240_000, interval: 5 };

  const first = await start();
  const key = await keyIn(postgres.url);
  const { id } = await asOwner(first.url, key).deploy();
  const send = ({ url }: { url: string }): Promise<number | undefined> =>
    fetch(`${url}/submissions/${id}/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${key}` },
      body: FILE,
    }).then(
      ({ status }) => status,
      () => undefined,
    );
  const totalOf = async ({ url }: { url: string }) =>
    (await asOwner(url, key).get(`/submissions/${id}?limit=1`)).body.total;

  const lost = send(first);
  await expect.poll(storing, soon).toBe(1);
  first.child.kill('SIGKILL');
  expect(await lost).toBe(undefined);
  const second = await start();
  await expect.poll(storing, soon).toBe(0);
  expect(await totalOf(second)).toBe(0);

  const refused = send(second);
  await expect.poll(storing, soon).toBe(1);
  await postgres.kill();
  expect(await refused).toBe(503);
  await postgres.start();
  await expect.poll(() => totalOf(second), soon).toBe(0);

  expect(await send(second)).toBe(200);
  expect(await totalOf(second)).toBe(ROWS);
});
