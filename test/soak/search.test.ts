import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { median, ms, QUEUED_RATIO, record, timed } from '../support/figures.ts';
import type { ServiceProcess } from '../support/process.ts';
import { testProcess } from '../support/test-process.ts';

const SUBMISSIONS = 1_000_000;
const BATCH = 25_000;
/** How much more memory than before the service may have while it searches, as a part of that. */
const MOST_GROWTH = 0.5;

const { service, db, newOwner } = await testProcess();
const [searcher, other] = [await newOwner('searcher'), await newOwner('other')];
const searched = (await searcher.deploy()).id;
const form = (await other.deploy()).id;
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

/** Seconds of the processor that the service has used (Linux). */
async function workOf({ child }: ServiceProcess): Promise<number> {
  const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).replace(/.*\) /s, '').split(' ');
  // Of the program and of the kernel for it, in hundredths.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The most memory that the service has had, in MB (Linux). */
async function peakMb({ child }: ServiceProcess): Promise<number> {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

/** Searches to the end; how many requests and how much work it took, and what was found. */
async function search(q: string): Promise<{ requests: number; work: number; searched: number; found: string[] }> {
  const before = await workOf(service);
  const result = { requests: 0, work: 0, searched: 0, found: [] as string[] };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ q, ...(cursor && { cursor }) });
    const { body } = await searcher.get(`/submissions/${searched}/search?${query}`).expect(200);
    result.requests += 1;
    result.searched += body.searched;
    result.found.push(...body.submissions.map(({ data }: { data: { name: string } }) => data.name));
    cursor = body.next_cursor;
  }
  result.work = (await workOf(service)) - before;
  return result;
}

it(`searches ${SUBMISSIONS} submissions in constant memory, and other owners do not wait for it`, async () => {
  const look = async (isOver: () => boolean): Promise<number> => {
    const took: number[] = [];
    while (!isOver()) took.push((await timed(() => other.get(`/deploy/${form}`).expect(200))).ms);
    return median(took);
  };
  const start = performance.now();
  const quiet = await look(() => performance.now() - start > 2_000);
  let isOver = false;
  const loaded = look(() => isOver);
  // The first one loads code and fills buffers.
  await search('nothing');
  const memory = await peakMb(service);
  const first = await search('person 777777');
  const second = await search('NOWHERE');
  const grown = (await peakMb(service)) - memory;
  isOver = true;
  record(`search of ${SUBMISSIONS} submissions`, {
    requests: `${first.requests} and ${second.requests}`,
    'seconds of the processor': `${first.work.toFixed(1)} and ${second.work.toFixed(1)}`,
    'MB more': grown.toFixed(0),
    "others' median": `${ms(quiet)} to ${ms(await loaded)}`,
  });
  expect([first.found, first.searched, second.found, second.searched]).toEqual([
    ...[['Person 777777'], SUBMISSIONS, [], SUBMISSIONS],
  ]);
  expect(grown).toBeLessThan(MOST_GROWTH * memory);
  expect(await loaded).toBeLessThan(QUEUED_RATIO * quiet);
});
