import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/db/account/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { median, ms, QUEUED_RATIO, quantile, record, timed } from '../support/figures.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { type ServiceProcess, startProgram, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, getPage, JSON_TYPE, type Owner, PAGES_DOMAIN } from '../support/service.ts';

const ROUNDS = 3;
const ROUND_MS = 2_000;
const CONNECTIONS = 32;

let database: FreshDatabase;
let service: ServiceProcess;
let flooder: Owner;
let other: Owner;
let flooded: { id: string; slug: string };
let replayed: { id: string; slug: string };
let forms: { id: string; slug: string }[];
beforeAll(async () => {
  database = await cloneDatabase();
  service = await startServiceProcess({ BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  await service.ready();
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  const newOwner = async (email: string): Promise<Owner> =>
    asOwner(service.url, await createKey(db, { email, plan: undefined, defaultPlan: 'unlimited' }));
  flooder = await newOwner('flooder@test.example');
  other = await newOwner('other@test.example');
  await db.close();
  flooded = await flooder.deploy();
  replayed = await flooder.deploy();
  forms = await Promise.all(Array.from({ length: 40 }, () => other.deploy()));
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const FLOODS = {
  'one owner’s flood of the API': () => ({
    ...{ method: 'GET', url: `${service.url}/submissions/${flooded.id}` },
    ...{ headers: { Authorization: `Bearer ${flooder.key}` }, body: '' },
  }),
  'one deployment’s flood of submissions': () => ({
    ...{ method: 'POST', url: `${service.url}/submit/${flooded.id}` },
    ...{ headers: JSON_TYPE, body: '{"a":"b"}' },
  }),
  'one deployment’s flood of one submission, sent again and again': () => ({
    ...{ method: 'POST', url: `${service.url}/submit/${replayed.id}` },
    ...{ headers: { ...JSON_TYPE, 'Idempotency-Key': 'flood' }, body: '{"a":"b"}' },
  }),
};

type Kind = 'page' | 'API' | 'submission';
const KINDS: readonly Kind[] = ['page', 'API', 'submission'];

/** How long a kind of request took, in milliseconds. */
interface Took {
  median: number;
  p99: number;
}

/** What others see for a time, requests one after another. */
async function look(forMs: number): Promise<Record<Kind, Took>> {
  const [form] = forms;
  if (!form) throw new Error('There is no form');
  const took: Record<Kind, number[]> = { page: [], API: [], submission: [] };
  // Forms take turns, so that none comes to its limit.
  let turn = 0;
  for (const start = performance.now(); performance.now() - start < forMs; ) {
    took.page.push((await timed(() => getPage(service.url, form.slug).expect(200))).ms);
    took.API.push((await timed(() => other.get(`/deploy/${form.id}`).expect(200))).ms);
    const target = forms[turn % forms.length] ?? form;
    turn += 1;
    const { ms: submission } = await timed(() =>
      fetch(`${service.url}/submit/${target.id}`, { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' }).then(
        (response) => response.arrayBuffer(),
      ),
    );
    took.submission.push(submission);
  }
  const summary = (values: number[]): Took => ({ median: median(values), p99: quantile(values, 0.99) });
  return { page: summary(took.page), API: summary(took.API), submission: summary(took.submission) };
}

describe.each(Object.entries(FLOODS))('%s', (name, target) => {
  it('does not make others stand in its queue', async () => {
    await look(ROUND_MS);
    const quiet: Record<Kind, Took>[] = [];
    const loaded: Record<Kind, Took>[] = [];
    const answers: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      quiet.push(await look(ROUND_MS));
      const task = JSON.stringify({ ...target(), connections: CONNECTIONS });
      const { child, result } = startProgram(process.execPath, ['test/support/flood.ts', task], {});
      await look(ROUND_MS / 2);
      loaded.push(await look(ROUND_MS));
      child.kill();
      answers.push((await result).stdout);
    }
    const inTheMiddle = (rounds: Record<Kind, Took>[], kind: Kind, figure: keyof Took): number =>
      median(rounds.map((round) => round[kind][figure]));
    const told = (kind: Kind, figure: keyof Took): string =>
      `${ms(inTheMiddle(quiet, kind, figure))} to ${ms(inTheMiddle(loaded, kind, figure))}`;
    const figures = KINDS.flatMap((kind) => [
      [`${kind}, median of others`, told(kind, 'median')],
      [`${kind}, p99 of others`, told(kind, 'p99')],
    ]);
    record(`floods: ${name}`, { ...Object.fromEntries(figures), answered: answers.at(-1) ?? '' });
    const ratio = (kind: Kind): number => inTheMiddle(loaded, kind, 'median') / inTheMiddle(quiet, kind, 'median');
    expect(KINDS.filter((kind) => ratio(kind) > QUEUED_RATIO)).toEqual([]);
  });
});
