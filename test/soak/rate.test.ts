import { expect, it, onTestFinished } from 'vitest';
import { inParallel, record } from '../support/figures.ts';
import { cloneDatabase } from '../support/fresh-database.ts';
import { startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, JSON_TYPE, PAGES_DOMAIN } from '../support/service.ts';
import { keyIn } from '../support/test-process.ts';

const ROUNDS = 200;
const POSTS = 50;
/** Several deployments at a time, so that batches mix them. */
const AT_ONCE = 4;

it('takes exactly 10 of 50 submissions that come at once over two processes, 200 times', async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
  const services = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
  onTestFinished(async () => void (await Promise.all(services.map((service) => service.stop()))));
  await Promise.all(services.map((service) => service.ready()));
  const key = await keyIn(database.url);
  const urls = services.map(({ url }) => url);
  const owner = asOwner(services[0].url, key);
  const wrong: object[] = [];
  await inParallel(Array.from({ length: ROUNDS }), AT_ONCE, async () => {
    const { id } = await owner.deploy();
    const answers = Array.from({ length: POSTS }, async (_, n) => {
      const sent = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ n }) };
      const response = await fetch(`${urls[n % urls.length]}/submit/${id}`, sent);
      await response.arrayBuffer();
      return response.status;
    });
    const statuses = (await Promise.all(answers)).toSorted().join();
    const { total } = (await owner.get(`/submissions/${id}`).expect(200)).body;
    if (total !== 10 || statuses !== [...Array(10).fill(200), ...Array(40).fill(429)].join())
      wrong.push({ statuses, total });
  });
  record('rate', { rounds: ROUNDS, 'not exactly 10 of 50': wrong.length });
  expect(wrong).toEqual([]);
});
