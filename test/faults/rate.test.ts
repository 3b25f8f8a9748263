// @module-tag slow
import { expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/db/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { inParallel } from '../support/figures.ts';
import { cloneDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, JSON_TYPE, PAGES_DOMAIN } from '../support/service.ts';

const ROUNDS = 200;
const POSTS = 50;
const ALLOWED = 10;
/** Several deployments at a time, so that batches mix them. */
const AT_ONCE = 4;

it('takes exactly 10 of 50 submissions that come at once over two processes, 200 times', async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
  const services = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
  onTestFinished(async () => void (await Promise.all(services.map((service) => service.stop()))));
  await Promise.all(services.map((service) => service.ready()));
  const [first, second] = services;
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await db.close();
  const owner = asOwner(first.url, key);

  const rounds: { accepted: number; refused: number; listed: number }[] = [];
  await inParallel(Array.from({ length: ROUNDS }), AT_ONCE, async () => {
    const { id } = await owner.deploy();
    const answers = Array.from({ length: POSTS }, async (_, n) => {
      const service = n % 2 === 0 ? first : second;
      const sent = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ n }) };
      const response = await fetch(`${service.url}/submit/${id}`, sent);
      await response.arrayBuffer();
      return response.status;
    });
    const statuses = await Promise.all(answers);
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    rounds.push({
      accepted: statuses.filter((status) => status === 200).length,
      refused: statuses.filter((status) => status === 429).length,
      listed: body.total,
    });
  });
  const exact = { accepted: ALLOWED, refused: POSTS - ALLOWED, listed: ALLOWED };
  const wrong = rounds.filter((round) => JSON.stringify(round) !== JSON.stringify(exact));
  console.log(`rate: ${rounds.length - wrong.length} of ${ROUNDS} rounds of ${POSTS} posts took exactly ${ALLOWED}`);
  expect(wrong).toEqual([]);
  expect(rounds.length).toBe(ROUNDS);
});
