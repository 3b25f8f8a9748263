// @module-tag slow
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/db/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { failure } from '../support/answers.ts';
import { runSql } from '../support/database.ts';
import { ms, timed } from '../support/figures.ts';
import { testLimits } from '../support/limits.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, getPage, type Owner, PAGES_DOMAIN } from '../support/service.ts';

const OUTAGE_MS = 10_000;
const ANSWER_MS = 3_000;
const RECOVERY_MS = 5_000;
const SETTINGS = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
const ENDED_WELL = { code: 0, stdout: '', stderr: '' };

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgresServer();
});
afterAll(() => postgres.close());

async function newKey(databaseUrl: string): Promise<string> {
  const db = connect({ connectionString: databaseUrl }, { limits: testLimits() });
  try {
    return await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  } finally {
    await db.close();
  }
}

type Target = { url: string; owner: Owner; form: { id: string; slug: string }; webhookId: string };

async function prepare(url: string, databaseUrl: string): Promise<Target> {
  const owner = asOwner(url, await newKey(databaseUrl));
  const form = await owner.deploy({ html: 'kept' });
  const { body } = await owner.post(`/webhooks/${form.id}`).send({ url: 'http://127.0.0.1:9/' }).expect(201);
  await getPage(url, form.slug).expect(200, 'kept');
  return { url, owner, form, webhookId: body.id };
}

/** Every endpoint; each is to change something, where it is one that does. */
const everyRequest = ({ url, owner, form, webhookId }: Target): Record<string, () => request.Test> => ({
  'POST /deploy': () => owner.post('/deploy').send({ html: 'x' }),
  'GET /deploy/:id': () => owner.get(`/deploy/${form.id}`),
  'PUT /deploy/:id': () => owner.put(`/deploy/${form.id}`).send({ html: 'lost' }),
  'PATCH /deploy/:id': () => owner.patch(`/deploy/${form.id}`).send({ email_notifications: true }),
  'DELETE /deploy/:id': () => owner.delete(`/deploy/${form.id}`),
  'GET /submissions/:deployId': () => owner.get(`/submissions/${form.id}`),
  'POST /webhooks/:deployId': () => owner.post(`/webhooks/${form.id}`).send({ url: 'http://127.0.0.1:9/' }),
  'GET /webhooks/:deployId': () => owner.get(`/webhooks/${form.id}`),
  'DELETE /webhooks/:deployId/:webhookId': () => owner.delete(`/webhooks/${form.id}/${webhookId}`),
  'POST /submit/:deployId': () => request(url).post(`/submit/${form.id}`).send({ a: 'b' }),
  'POST / of a page': () => request(url).post('/').set('Host', `${form.slug}.${PAGES_DOMAIN}`).send({ a: 'b' }),
  'GET /readyz': () => request(url).get('/readyz'),
});

type Answer = { name: string; status: number; retryAfter: string | undefined; body: unknown; tookMs: number };

async function answerTo(name: string, send: () => request.Test): Promise<Answer> {
  const { ms: tookMs, result } = await timed(() => send());
  return { name, status: result.status, retryAfter: result.headers['retry-after'], body: result.body, tookMs };
}

/** What is wrong about an answer that should say that the service is unavailable. */
const isUnavailable = ({ status, retryAfter, body, tookMs }: Answer): boolean =>
  status === 503 &&
  /^[1-9]\d*$/.test(retryAfter ?? '') &&
  tookMs < ANSWER_MS &&
  JSON.stringify(Object.keys(Object(body))) === JSON.stringify(Object.keys(failure));

/** Milliseconds until a submission is accepted and /readyz is 200. */
async function recovery({ url, form }: Target, isBack: () => Promise<unknown>): Promise<number> {
  const { ms: took } = await timed(() =>
    vi.waitFor(
      async () => {
        await request(url).post(`/submit/${form.id}`).send({ a: 'b' }).expect(200);
        await request(url).get('/readyz').expect(200);
        await isBack();
      },
      { timeout: 30_000, interval: 20 },
    ),
  );
  return took;
}

const OUTAGES = {
  stopped: { begin: () => postgres.stop(), end: () => postgres.start() },
  frozen: { begin: () => postgres.freeze(), end: () => postgres.thaw() },
};

describe.each(Object.entries(OUTAGES))(`${OUTAGE_MS / 1_000} s with Postgres %s`, (name, outage) => {
  it('are answered with 503s in time, by a process that is itself again within 5 s', async () => {
    const service = await startServiceProcess({ ...SETTINGS, DATABASE_URL: postgres.url });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const requests = Object.entries(everyRequest(target));

    await outage.begin();
    const start = performance.now();
    const answers: Answer[] = [];
    const pages: number[] = [];
    const health: number[] = [];
    const isOver = (): boolean => performance.now() - start > OUTAGE_MS;
    await Promise.all([
      ...requests.map(async ([each, send]) => {
        while (!isOver()) {
          answers.push(await answerTo(each, send));
          await delay(50);
        }
      }),
      (async () => {
        while (!isOver()) {
          pages.push((await timed(() => getPage(service.url, target.form.slug).expect(200, 'kept'))).ms);
          health.push((await timed(() => request(service.url).get('/healthz').expect(200))).ms);
          await delay(20);
        }
      })(),
    ]);

    await outage.end();
    const recoveredIn = await recovery(target, () => target.owner.get(`/deploy/${target.form.id}`).expect(200));
    const { body: webhooks } = await target.owner.get(`/webhooks/${target.form.id}`).expect(200);
    const wrong = answers.filter((answer) => !isUnavailable(answer));
    console.log(
      `outage (${name}): ${answers.length - wrong.length} of ${answers.length} answers a 503 in time, the slowest after ` +
        `${ms(Math.max(...answers.map(({ tookMs }) => tookMs)))}; ${pages.length} pages served, the slowest after ` +
        `${ms(Math.max(...pages))}, /healthz after ${ms(Math.max(...health))}; recovered in ${ms(recoveredIn)}`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(recoveredIn).toBeLessThan(RECOVERY_MS);
    expect(webhooks.webhooks.length, 'nothing that was refused was done').toBe(1);
    await getPage(service.url, target.form.slug).expect(200, 'kept');
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

describe('a database that only reads', () => {
  it('is answered with a 503 where it would have to write, and with what is there where not', async () => {
    const service = await startServiceProcess({ ...SETTINGS, DATABASE_URL: postgres.url });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const readOnly = async (on: boolean): Promise<void> => {
      await runSql(postgres.url, `ALTER SYSTEM SET default_transaction_read_only = ${on}`);
      await runSql(postgres.url, 'SELECT pg_reload_conf()');
    };
    await readOnly(true);
    onTestFinished(() => readOnly(false));
    const all = everyRequest(target);
    await vi.waitFor(async () => expect((await all['POST /submit/:deployId']?.())?.status).toBe(503));
    const answers = await Promise.all(Object.entries(all).map(([name, send]) => answerTo(name, send)));
    const reads = answers.filter(({ name }) => /^GET \/(deploy|submissions|webhooks)/.test(name));
    const writes = answers.filter(({ name }) => !name.startsWith('GET '));
    expect(reads.map(({ name, status }) => [name, status])).toEqual(reads.map(({ name }) => [name, 200]));
    expect(writes.filter((answer) => !isUnavailable(answer))).toEqual([]);
    await readOnly(false);
    const recoveredIn = await recovery(target, () =>
      target.owner.patch(`/deploy/${target.form.id}`).send({}).expect(200),
    );
    console.log(`read-only: ${writes.length} of ${writes.length} writes a 503, recovered in ${ms(recoveredIn)}`);
    expect(recoveredIn).toBeLessThan(RECOVERY_MS);
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

describe('a table that somebody has locked', () => {
  it('is answered with 503s in time, however many ask, and pages go on', async () => {
    const service = await startServiceProcess({ ...SETTINGS, DATABASE_URL: postgres.url });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    onTestFinished(() => holder.end());
    const crowd = Array.from({ length: 200 }, (_, n) => `${n}`);
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE api_keys, deployments IN ACCESS EXCLUSIVE MODE');
    const asked = [
      ...crowd.map((name) => answerTo(name, () => target.owner.get(`/deploy/${target.form.id}`))),
      ...crowd.map((name) =>
        answerTo(name, () => request(target.url).post(`/submit/${target.form.id}`).send({ a: 'b' })),
      ),
    ];
    await getPage(target.url, target.form.slug).expect(200, 'kept');
    const answers = await Promise.all(asked);
    await holder.query('ROLLBACK');
    const recoveredIn = await recovery(target, () => target.owner.get(`/deploy/${target.form.id}`).expect(200));
    const wrong = answers.filter((answer) => !isUnavailable(answer));
    console.log(
      `pool exhausted: ${answers.length - wrong.length} of ${answers.length} answers a 503 in time, the slowest after ` +
        `${ms(Math.max(...answers.map(({ tookMs }) => tookMs)))}; recovered in ${ms(recoveredIn)}`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(recoveredIn).toBeLessThan(RECOVERY_MS);
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

describe('a connection that is lost while Postgres commits', () => {
  it('is never answered with a success', async () => {
    let isArmed = false;
    let swallowed = 0;
    /** What the messages to Postgres end a piece of work with: the statement that writes by itself, or the COMMIT. */
    const commits = /COMMIT|store-submissions/i;
    const writesAlone = /\b(insert into|update|delete from) "?(deployments|pages|webhooks)\b/i;
    const proxy = await proxyTo(
      postgres.url,
      () => ({ isIn: false, isDoomed: false }),
      (link) => {
        link.client.on('data', (bytes: Buffer) => {
          const text = bytes.toString('latin1');
          if (/\bBEGIN\b/i.test(text)) link.isIn = true;
          if (isArmed && (commits.test(text) || (!link.isIn && writesAlone.test(text)))) link.isDoomed = true;
          if (/COMMIT|ROLLBACK/i.test(text)) link.isIn = false;
          link.postgres.write(bytes);
        });
        link.postgres.on('data', (bytes: Buffer) => {
          if (!link.isDoomed) link.client.write(bytes);
          else {
            swallowed += 1;
            link.end();
          }
        });
      },
    );
    onTestFinished(proxy.close);
    const service = await startServiceProcess({ ...SETTINGS, DATABASE_URL: proxy.url });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const writes = Object.entries(everyRequest(target)).filter(([name]) => !name.startsWith('GET '));
    const answers: Answer[] = [];
    // The deployment's own end comes last.
    const isLast = ([name]: [string, unknown]): number => Number(name === 'DELETE /deploy/:id');
    for (const [name, send] of writes.toSorted((a, b) => isLast(a) - isLast(b))) {
      isArmed = false;
      await vi.waitFor(() => request(service.url).get('/readyz').expect(200), { timeout: 5_000 });
      isArmed = true;
      answers.push(await answerTo(name, send));
    }
    isArmed = false;
    console.log(
      `COMMIT: ${answers.filter(isUnavailable).length} of ${answers.length} kinds of writes whose answer was lost ` +
        `got a 503 (${swallowed} answers lost)`,
    );
    expect(answers.filter((answer) => !isUnavailable(answer))).toEqual([]);
    expect(swallowed).toBeGreaterThanOrEqual(writes.length);
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

describe('a database that is absent at start', () => {
  it('is waited for, and the log says so', async () => {
    await postgres.stop();
    const service: ServiceProcess = await startServiceProcess({
      ...{ ...SETTINGS, LOG_LEVEL: 'info', DATABASE_URL: postgres.url },
    });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    let log = '';
    service.child.stderr?.on('data', (text) => {
      log += text;
    });
    await vi.waitFor(() => request(service.url).get('/healthz').expect(200), { timeout: 10_000 });
    await vi.waitFor(() => expect(log).toContain('the database is out of reach; trying again'), { timeout: 5_000 });
    const readyz = await answerTo('GET /readyz', () => request(service.url).get('/readyz'));
    const submit = await answerTo('submit', () =>
      request(service.url).post('/submit/d_000000000000000000000000').send({}),
    );
    expect([isUnavailable(readyz), isUnavailable(submit)]).toEqual([true, true]);
    await postgres.start();
    const { ms: took } = await timed(() => service.ready());
    console.log(`absent at start: ready ${ms(took)} after the database was`);
    expect(took).toBeLessThan(RECOVERY_MS);
    expect((await service.stop()).code).toBe(0);
  });
});
