import pg from 'pg';
import request from 'supertest';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/db/account/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { runSql } from '../support/database.ts';
import { record } from '../support/figures.ts';
import { testLimits } from '../support/limits.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, JSON_TYPE, PAGES_DOMAIN } from '../support/service.ts';

/** So many that the rate limit of none is reached before the standby is frozen. */
const FORMS = 60;
const VISITORS = 6;
/** Ten, and what two processes had under way when there were as many. */
const MOST_STUCK = 30;

const soon = (check: () => PromiseLike<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 200 });

it('bounds the commits that wait for a frozen standby, is not ready meanwhile, and goes on when it answers', async () => {
  const primary = await startPostgresServer();
  onTestFinished(primary.close);
  const settings = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent', DATABASE_URL: primary.url };
  const services = [await startServiceProcess(settings), await startServiceProcess(settings)];
  onTestFinished(() => services.forEach(({ child }) => void child.kill('SIGKILL')));
  for (const { url } of services) await soon(() => request(url).get('/readyz').expect(200));
  const standby = await primary.replica();
  onTestFinished(async () => {
    await standby.thaw();
    await standby.close();
  });
  await runSql(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await runSql(primary.url, 'SELECT pg_reload_conf()');
  for (const { url } of services) await soon(() => request(url).get('/readyz').expect(200));
  const db = connect({ connectionString: primary.url }, { limits: testLimits() });
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await db.close();
  const [one, other] = services.map(({ url }) => url);
  if (one === undefined || other === undefined) throw new Error('No services');
  const owner = asOwner(one, key);
  const forms: string[] = [];
  for (let made = 0; made < FORMS; made += 1) forms.push((await owner.deploy()).id);

  const answers: { id: string | undefined; status: number }[] = [];
  const until = new AbortController();
  const visitor = async (url: string, first: number): Promise<void> => {
    for (let at = first; !until.signal.aborted; at += VISITORS) {
      const sent = { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' };
      const response = await fetch(`${url}/submit/${forms[at % FORMS]}`, sent);
      const body: { id?: string } = JSON.parse(await response.text());
      answers.push({ id: body.id, status: response.status });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  // Before the services, which were started earlier.
  onTestFinished(async () => {
    until.abort();
    await Promise.allSettled(visitors);
  });
  const visitors = Array.from({ length: VISITORS }, (_none, at) => visitor(at % 2 ? one : other, at));
  await soon(async () => expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(5));

  await standby.freeze();
  const watcher = new pg.Client({ connectionString: primary.url });
  await watcher.connect();
  onTestFinished(() => watcher.end());
  let most = 0;
  const stuck = async (): Promise<number> => {
    const sql = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    const { rowCount } = await watcher.query(sql);
    most = Math.max(most, rowCount ?? 0);
    return rowCount ?? 0;
  };
  await soon(async () => expect(await stuck()).toBeGreaterThanOrEqual(10));
  for (const url of [one, other]) {
    await soon(async () => {
      await stuck();
      await request(url).get('/readyz').expect(503);
    });
  }
  // What only reads is answered.
  await owner.get(`/submissions/${forms[0]}`).expect(200);
  await owner.get('/deploy').expect(200);
  const refused = answers.length;
  await soon(async () => {
    await stuck();
    expect(answers.length).toBeGreaterThan(refused + 100);
  });
  record('frozen-standby', { 'commits that waited at most': most, submissions: answers.length });
  expect(most).toBeLessThanOrEqual(MOST_STUCK);

  await standby.thaw();
  for (const url of [one, other]) {
    await soon(async () => {
      const sent = { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' };
      const { status } = await fetch(`${url}/submit/${forms[0]}`, sent);
      expect([200, 429]).toContain(status);
    });
    await soon(() => request(url).get('/readyz').expect(200));
  }
  until.abort();
  await Promise.all(visitors);
  expect(answers.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([]);
  const lists = await Promise.all(forms.map((form) => owner.get(`/submissions/${form}?limit=100`)));
  const stored = new Set(lists.flatMap(({ body }) => body.submissions.map(({ id }: { id: string }) => id)));
  expect(answers.filter(({ id, status }) => status === 200 && !stored.has(id))).toEqual([]);
});
