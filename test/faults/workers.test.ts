import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withDatabase } from '../support/database.ts';
import { testDatabase } from '../support/fresh-database.ts';
import { childrenOf } from '../support/postgres-server.ts';
import { isAlive } from '../support/postmaster.ts';
import { freePort, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { operatorOf, printed } from '../support/run-command.ts';
import { asOwner, BASE_URL, getPage, type Owner, PAGES_DOMAIN } from '../support/test-service.ts';

const WORKERS = 2;

const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 240_000, interval: 20 });

const database = await testDatabase();
let service: ServiceProcess;
const metricsPort = await freePort();
let owner: Owner;
let log = '';
const settings = (): Record<string, string> => ({
  ...{ BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url },
  ...{ WORKERS: String(WORKERS), METRICS_PORT: String(metricsPort) },
});
const admin = operatorOf({ databaseUrl: database.url }, 'keys');
const keys = async (...args: string[]): Promise<string> => (await printed(admin(...args))).trim();

beforeAll(async () => {
  service = await startServiceProcess(settings());
  service.child.stderr?.on('data', (text) => {
    log += text;
  });
  await service.ready();
  owner = asOwner(service.url, await keys('create', '--email', 'owner@test.example'));
  await soon(async () => expect((await workers()).length).toBe(WORKERS));
});
afterAll(async () => {
  expect((await service.stop()).code).toBe(0);
});

const workers = (): Promise<number[]> => childrenOf(service.child.pid ?? 0);

/** Asks on so many connections that each process has some of them. */
const askAll = <T>(ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 12 }, ask));

describe('WORKERS=2', () => {
  it('refuses a revoked key in all of them', async () => {
    const key = await keys('create', '--email', 'another@test.example');
    const another = asOwner(service.url, key);
    const ask = async (): Promise<number> => (await another.get('/webhooks/d_000000000000000000000000')).status;
    expect(new Set(await askAll(ask))).toEqual(new Set([404]));
    const [line = ''] = (await keys('list')).split('\n').filter((each) => each.includes('another@test.example'));
    await keys('revoke', line.split('\t')[0] ?? '');
    await expect.poll(async () => new Set(await askAll(ask))).toEqual(new Set([401]));
  });

  it('shows a changed page and a deleted one in all of them', async () => {
    const form = await owner.deploy({ html: 'old' });
    const look = async (): Promise<string> => {
      const { status, text } = await getPage(service.url, form.slug);
      return status === 200 ? text : `${status}`;
    };
    expect(new Set(await askAll(look))).toEqual(new Set(['old']));
    await owner.put(`/deploy/${form.id}`).send({ html: 'new' }).expect(200);
    await expect.poll(async () => new Set(await askAll(look))).toEqual(new Set(['new']));
    await owner.delete(`/deploy/${form.id}`).expect(200);
    await expect.poll(async () => new Set(await askAll(look))).toEqual(new Set(['404']));
  });

  it('adds the metrics of all of them up', async () => {
    const form = await owner.deploy();
    const name = `formhost_http_requests_total{status="200",route="page"}`;
    const count = async (): Promise<number> => (await readMetrics(metricsPort)).get(name) ?? 0;
    await getPage(service.url, form.slug).expect(200);
    // Until every process has begun to answer for itself, there are no metrics at all.
    await soon(async () => expect(await count()).toBeGreaterThan(0));
    const before = await count();
    await askAll(() => getPage(service.url, form.slug).expect(200));
    await soon(async () => expect(await count()).toBe(before + 12));
  });

  it('replaces one that is killed, and serves meanwhile', async () => {
    const [victim = 0] = await workers();
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => isAlive(victim)).toBe(false);
    await soon(async () => {
      const now = await workers();
      expect([now.length, now.includes(victim)]).toEqual([WORKERS, false]);
    });
    await askAll(() => request(service.url).get('/readyz').expect(200));
    await expect.poll(() => log.split('"msg":"ready"').length - 1).toBe(WORKERS + 1);
    expect(log).toContain('"msg":"a worker ended"');
  });
});

it.each<[why: string, more: () => Record<string, string>, line: RegExp]>([
  [
    'there is no such database',
    () => ({ DATABASE_URL: withDatabase(database.url, 'formhost_no_such_database') }),
    /^formhost: the database of DATABASE_URL cannot be used: [^\n]+\n$/,
  ],
  [
    'its port is taken',
    () => ({ PORT: new URL(service.url).port }),
    /^formhost: PORT \d+ is in use: choose another port, or stop the program that listens on it\n$/,
  ],
])('a start with WORKERS=2 ends with exit code 1 and one line where %s', async (_why, more, line) => {
  const failed = await startServiceProcess({ ...settings(), METRICS_PORT: '', LOG_LEVEL: 'silent', ...more() });
  onTestFinished(() => void failed.child.kill('SIGKILL'));
  expect(await failed.result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
});
