import { join } from 'node:path';
import request from 'supertest';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runSql, withDatabase } from '../support/database.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startAdmin, startServiceProcess } from '../support/process.ts';
import { backedUp, restored } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { keyIn } from '../support/test-process.ts';
import { asOwner, BASE_URL, getPage, JSON_TYPE, PAGES_DOMAIN } from '../support/test-service.ts';

const ENDED_WELL = { code: 0, stdout: '', stderr: '' };

const soon = (check: () => PromiseLike<unknown>) => vi.waitFor(check, { timeout: 40_000, interval: 100 });

const submit = (url: string, id: string): Promise<number> =>
  fetch(`${url}/submit/${id}`, { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' }).then(({ status }) => status);

it('follows a primary to its standby that is promoted, with both in DATABASE_URL, and backs the standby up', async () => {
  const old = await startPostgresServer();
  onTestFinished(old.close);
  const DATABASE_URL = (target: string, ...ports: number[]): string =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=${target}`;
  const settings = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' };
  const first = await startServiceProcess({ ...settings, DATABASE_URL: DATABASE_URL('any', old.port) });
  onTestFinished(() => void first.child.kill('SIGKILL'));
  await first.ready();
  await first.stop();
  const standby = await old.replica();
  onTestFinished(standby.close);
  const key = await keyIn(old.url);
  await soon(() => runSql(standby.url, "SELECT 1 / count(*) FROM owners WHERE email = 'owner@test.example'"));

  // The standby is named first.
  const both = { ...settings, DATABASE_URL: DATABASE_URL('read-write', standby.port, old.port) };
  const [one, other] = [await startServiceProcess(both), await startServiceProcess(both)];
  onTestFinished(() => [one, other].forEach(({ child }) => void child.kill('SIGKILL')));
  await Promise.all([one.ready(), other.ready()]);
  const { id, slug } = await asOwner(one.url, key).deploy({ html: 'old' });
  await soon(() => getPage(other.url, slug).expect(200, 'old'));
  expect(await submit(one.url, id)).toBe(200);
  await soon(() => runSql(standby.url, 'SELECT 1 / count(*) FROM submissions'));

  // A process that has the standby alone can read, and is never ready.
  const alone = { ...settings, DATABASE_URL: DATABASE_URL('any', standby.port) };
  const reader = await startServiceProcess(alone);
  onTestFinished(() => void reader.child.kill('SIGKILL'));
  await soon(() => getPage(reader.url, slug).expect(200, 'old'));
  await request(reader.url).get('/readyz').expect(503);
  const folder = await emptyFolder();
  const admin = (args: string[], more: Record<string, string>) => startAdmin(args, more).result;
  const doctor = await admin(['doctor', '--json'], alone);
  const { checks }: { checks: { check: string; status: string; saw: string }[] } = JSON.parse(doctor.stdout);
  expect(checks.find(({ check }) => check === 'database')).toMatchObject({
    status: 'fail',
    saw: expect.stringMatching(/, a standby, which takes no writes$/),
  });

  const file = join(folder, 'one.backup');
  expect(await admin(['backup', file], alone)).toEqual(backedUp);

  await old.kill();
  // Nobody takes writes.
  await expect.poll(() => submit(one.url, id)).toBe(503);
  await soon(() => request(one.url).get('/readyz').expect(503));
  await runSql(standby.url, 'SELECT pg_promote()');
  for (const { url } of [one, other, reader]) {
    await expect.poll(() => submit(url, id)).toBe(200);
    await soon(() => request(url).get('/readyz').expect(200));
  }
  // The listeners have followed, too.
  await asOwner(one.url, key).put(`/deploy/${id}`).send({ html: 'new' }).expect(200);
  await soon(() => getPage(other.url, slug).expect(200, 'new'));

  // The first is gone.
  await runSql(standby.url, 'CREATE DATABASE target');
  const target = DATABASE_URL('read-write', old.port, standby.port).replace('/postgres?', '/target?');
  expect(await admin(['restore', file], { DATABASE_URL: target })).toEqual(restored);
  await runSql(
    withDatabase(standby.url, 'target'),
    `SELECT 1 / count(*) FROM submissions WHERE deployment_id = '${id}'`,
  );
  for (const service of [one, other, reader]) expect(await service.stop()).toEqual(ENDED_WELL);
});
