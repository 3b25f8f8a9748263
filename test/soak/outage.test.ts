import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ms, record, timed } from '../support/figures.ts';
import {
  type Answer,
  answerTo,
  everyRequest,
  isUnavailable,
  prepare,
  recovery,
  startForOutage,
} from '../support/outage.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { getPage } from '../support/service.ts';

const OUTAGE_MS = 10_000;
const CROWD = 200;
const ENDED_WELL = { code: 0, stdout: '', stderr: '' };

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgresServer();
});
afterAll(() => postgres.close());

const OUTAGES = {
  stopped: { begin: () => postgres.stop(), end: () => postgres.start() },
  frozen: { begin: () => postgres.freeze(), end: () => postgres.thaw() },
};

const slowest = (took: readonly number[]): string => ms(Math.max(...took));

describe.each(Object.entries(OUTAGES))(`${OUTAGE_MS / 1_000} s with Postgres %s`, (name, outage) => {
  it('are answered with 503s, by a process that is itself again', async () => {
    const service = await startForOutage(postgres.url);
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
    const wrong = answers.filter((answer) => !isUnavailable(answer));
    record(`outage (${name})`, {
      'a 503': `${answers.length - wrong.length} of ${answers.length}`,
      'the slowest after': slowest(answers.map(({ tookMs }) => tookMs)),
      'pages served': pages.length,
      'the slowest page after': slowest(pages),
      '/healthz after at most': slowest(health),
      'recovered in': ms(recoveredIn),
    });
    expect(wrong.slice(0, 5)).toEqual([]);
    const { body } = await target.owner.get(`/webhooks/${target.form.id}`).expect(200);
    expect(body.webhooks.length, 'nothing that was refused was done').toBe(1);
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

it(`answers ${2 * CROWD} requests for a locked table with 503s`, async () => {
  const service = await startForOutage(postgres.url);
  await service.ready();
  const target = await prepare(service.url, postgres.url);
  const holder = new pg.Client({ connectionString: postgres.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE api_keys, deployments IN ACCESS EXCLUSIVE MODE');
  const submit = () => request(target.url).post(`/submit/${target.form.id}`).send({ a: 'b' });
  const answers = await Promise.all(
    Array.from({ length: 2 * CROWD }, (_, n) =>
      n < CROWD ? answerTo('read', () => target.owner.get(`/deploy/${target.form.id}`)) : answerTo('submit', submit),
    ),
  );
  await holder.query('ROLLBACK');
  const recoveredIn = await recovery(target, () => target.owner.get(`/deploy/${target.form.id}`).expect(200));
  const wrong = answers.filter((answer) => !isUnavailable(answer));
  record('outage (locked table)', {
    'a 503': `${answers.length - wrong.length} of ${answers.length}`,
    'the slowest after': slowest(answers.map(({ tookMs }) => tookMs)),
    'recovered in': ms(recoveredIn),
  });
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(await service.stop()).toEqual(ENDED_WELL);
});
