import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/db/account/owners.ts';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { SIZES } from '../../src/limits.ts';
import { inParallel, median, ms, QUEUED_RATIO, record, timed } from '../support/figures.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { readMetrics } from '../support/metrics.ts';
import { freePort, type ServiceProcess, startProgram, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, JSON_TYPE, type Owner, PAGES_DOMAIN } from '../support/service.ts';

const POSTS = 10_000;
const CONNECTIONS = 128;
/** Forms take turns, so that none comes to its limit. */
const OTHER_FORMS = 200;

let database: FreshDatabase;
let service: ServiceProcess;
let metricsPort: number;
let db: Database;
let owner: Owner;
beforeAll(async () => {
  database = await cloneDatabase();
  metricsPort = await freePort();
  service = await startServiceProcess({
    ...{ BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
    ...{ METRICS_PORT: String(metricsPort), TRUST_PROXY: '1' },
  });
  await service.ready();
  db = connect({ connectionString: database.url }, { limits: testLimits() });
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  owner = asOwner(service.url, key);
});
afterAll(async () => {
  await service.stop();
  await db.close();
  await database.drop();
});

const send = (id: string, body: string, address = '192.0.2.1'): Promise<number> =>
  fetch(`${service.url}/submit/${id}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, 'X-Forwarded-For': address },
    body,
  }).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  });

const deployWith = async (spam: object): Promise<string> => {
  const { id } = await owner.deploy();
  await owner.patch(`/deploy/${id}`).send({ spam }).expect(200);
  return id;
};

const dropped = async (): Promise<number> =>
  (await readMetrics(metricsPort)).get('formhost_submissions_total{outcome="spam-dropped"}') ?? 0;

describe.each([
  ['without a solution', { captcha: { provider: 'altcha' } }, '{"name":"Robot"}'],
  ['with a word of the blocklist', { blocklist: ['casino'] }, `{"text":"casino ${'x'.repeat(2_000)}"}`],
])(`${POSTS} posts of spam %s to one form`, (name, spam, body) => {
  it(`keep ${SIZES.spam.rateMax} a minute, and others do not stand in their queue`, async () => {
    const flooded = await deployWith(spam);
    const others: string[] = [];
    await inParallel(Array.from({ length: OTHER_FORMS }), 8, async () => {
      others.push(await deployWith({ blocklist: ['casino'] }));
    });
    let turn = 0;
    /** How long some submissions to other forms take. A refusal costs less than what is stored. */
    const look = async (count: number): Promise<number[]> => {
      const took: number[] = [];
      for (let n = 0; n < count; n += 1) {
        turn += 1;
        const id = others[turn % OTHER_FORMS] ?? '';
        const { ms: one, result: status } = await timed(() => send(id, '{"name":"Ada"}'));
        expect([200, 429]).toContain(status);
        if (status === 200) took.push(one);
      }
      return took;
    };
    const quiet = await look(100);

    const startedAt = performance.now();
    const task = JSON.stringify({
      ...{ method: 'POST', url: `${service.url}/submit/${flooded}`, connections: CONNECTIONS },
      ...{ headers: { ...JSON_TYPE, 'X-Forwarded-For': '198.51.100.7' }, body },
    });
    const { child, result } = startProgram(process.execPath, ['test/support/flood.ts', task], {});
    const droppedBefore = await dropped();
    const loaded: number[] = [];
    while ((await dropped()) < droppedBefore + POSTS) loaded.push(...(await look(20)));
    child.kill();
    const { stdout: answered } = await result;
    const seconds = (performance.now() - startedAt) / 1_000;

    const [{ count: kept }] = (await db.raw('SELECT count(*) FROM spam_submissions WHERE deployment_id = ?', [flooded]))
      .rows;
    record(`spam: ${POSTS} posts ${name}`, {
      'in seconds': seconds.toFixed(1),
      "another form's median": `${ms(median(quiet))} to ${ms(median(loaded))} (${loaded.length} submissions)`,
      kept,
      answered,
    });
    expect(Object.keys(JSON.parse(answered))).toEqual(['200']);
    expect((await dropped()) - droppedBefore).toBeGreaterThanOrEqual(POSTS);
    expect(kept).toBeLessThanOrEqual(SIZES.spam.rateMax * Math.ceil(seconds / 60 + 1));
    expect(kept).toBeGreaterThanOrEqual(SIZES.spam.rateMax);
    expect(kept).toBeLessThanOrEqual(SIZES.spam.max);
    expect(median(loaded)).toBeLessThan(QUEUED_RATIO * median(quiet));
  });
});
