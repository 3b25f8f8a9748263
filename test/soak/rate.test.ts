import { expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/db/account/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { record } from '../support/figures.ts';
import { cloneDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { startServiceProcess } from '../support/process.ts';
import { wrongRounds } from '../support/rate-rounds.ts';
import { asOwner, BASE_URL, PAGES_DOMAIN } from '../support/service.ts';

const ROUNDS = 200;

it('takes exactly 10 of 50 submissions that come at once over two processes, 200 times', async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
  const services = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
  onTestFinished(async () => void (await Promise.all(services.map((service) => service.stop()))));
  await Promise.all(services.map((service) => service.ready()));
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await db.close();
  const urls = services.map(({ url }) => url);
  const wrong = await wrongRounds(asOwner(services[0].url, key), urls, ROUNDS);
  record('rate', { rounds: ROUNDS, 'not exactly 10 of 50': wrong.length });
  expect(wrong).toEqual([]);
});
