// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../src/db/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { median, ms, timed } from '../support/figures.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, type Owner, PAGES_DOMAIN } from '../support/service.ts';

const SUBMISSIONS = 1_000_000;
const BATCH = 25_000;
/** A request ends after a second, so their number is a time: 10 on a quiet machine, and more on a busy one. */
const MAX_REQUESTS = 30;
/** For medians of others' requests, beside a search and without one. */
const MAX_RATIO = 10;
const NOISE_MS = 10;

let database: FreshDatabase;
let service: ServiceProcess;
let searcher: Owner;
let other: Owner;
let searched: string;
let form: string;
beforeAll(async () => {
  database = await cloneDatabase();
  service = await startServiceProcess({ BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  await service.ready();
  const db = connect({ connectionString: database.url });
  const newOwner = async (email: string): Promise<Owner> =>
    asOwner(service.url, await createKey(db, { email, plan: undefined, defaultPlan: 'unlimited' }));
  [searcher, other] = [await newOwner('searcher@test.example'), await newOwner('other@test.example')];
  searched = (await searcher.deploy()).id;
  form = (await other.deploy()).id;
  for (let from = 1; from <= SUBMISSIONS; from += BATCH) {
    await db.raw(
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT :id, n, 'sub_' || substr(:id, 3, 18) || lpad(n::text, 8, '0'),
              json_build_object('name', 'Person ' || n, 'email', n || '@example.org', 'message', repeat('some words ', 12)),
              '192.0.2.1', timestamptz '2026-01-01' + n * interval '1 second'
         FROM generate_series(CAST(:from AS int), CAST(:to AS int)) AS n`,
      { id: searched, from, to: from + BATCH - 1 },
    );
  }
  await db('deployments')
    .where({ id: searched })
    .update({ submission_count: SUBMISSIONS, last_submission_number: SUBMISSIONS });
  await db.close();
}, 180_000);
afterAll(async () => {
  await service.stop();
  await database.drop();
});

/** Searches to the end; how many requests it took, and what they found. */
async function search(q: string): Promise<{ requests: number; searched: number; found: string[] }> {
  const result = { requests: 0, searched: 0, found: [] as string[] };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ q, ...(cursor && { cursor }) });
    const { body } = await searcher.get(`/submissions/${searched}/search?${query}`).expect(200);
    result.requests += 1;
    result.searched += body.searched;
    result.found.push(...body.submissions.map(({ data }: { data: { name: string } }) => data.name));
    cursor = body.next_cursor;
  }
  return result;
}

it(`searches ${SUBMISSIONS} submissions in at most ${MAX_REQUESTS} requests, and does not slow other owners`, async () => {
  const look = async (isOver: () => boolean): Promise<number> => {
    const took: number[] = [];
    while (!isOver()) took.push((await timed(() => other.get(`/deploy/${form}`).expect(200))).ms);
    return median(took);
  };
  const start = performance.now();
  const quiet = await look(() => performance.now() - start > 2_000);
  let isOver = false;
  const loaded = look(() => isOver);
  const first = await search('person 777777');
  const second = await search('NOWHERE');
  isOver = true;
  console.log(
    `search: ${SUBMISSIONS} submissions in ${first.requests} and ${second.requests} requests; ` +
      `others' median ${ms(quiet)} without, ${ms(await loaded)} with`,
  );
  expect([first.found, first.searched, second.found, second.searched]).toEqual([
    ...[['Person 777777'], SUBMISSIONS, [], SUBMISSIONS],
  ]);
  expect(Math.max(first.requests, second.requests)).toBeLessThanOrEqual(MAX_REQUESTS);
  expect(await loaded).toBeLessThan(MAX_RATIO * quiet + NOISE_MS);
});
