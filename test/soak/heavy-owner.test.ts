import { connect as connectSocket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { inParallel, median, ms, QUEUED_RATIO, record, timed } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { freePort, startProgram } from '../support/process.ts';
import { getPage, JSON_TYPE, UNKNOWN_ID } from '../support/service.ts';
import { testProcess } from '../support/test-process.ts';

const MIB = 1024 * 1024;
const QUIET_MS = 3_000;
const LOAD_MS = 5_000;
const CONNECTIONS = 32;
/** So many that none comes to its limit of submissions. */
const FORMS = 1_000;
const SLOW_READERS = 200;
const SLOW_MS = 20_000;
/** What the lists that they ask for have together, and the part of it that may be in memory. */
const ASKED_MIB = (SLOW_READERS * 12.6e6) / MIB;
const MOST_IN_MEMORY = 1 / 8;

const metricsPort = await freePort();
const { service, db, newOwner } = await testProcess(measurable(metricsPort));
const heavy = await newOwner('heavy');
const other = await newOwner('other');
const heavyPage = await heavy.deploy({ html: `<p>${'x"\n'.repeat((2 * MIB - 3) / 3)}` });
const [heavyForm, small, replayed] = [await heavy.deploy(), await heavy.deploy(), await heavy.deploy()];
const spammed = await heavy.deploy();
await heavy
  .patch(`/deploy/${spammed.id}`)
  .send({ spam: { blocklist: ['casino'], captcha: null } })
  .expect(200);
const forms: { id: string; slug: string }[] = [];
await inParallel(Array.from({ length: FORMS }), 8, async () => void forms.push(await other.deploy()));
// 100 submissions of 126 KB each: a page of the list is 12.6 MB.
await db.raw(
  `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
   SELECT ?, number, 'sub_' || lpad(number::text, 24, '0'), json_build_object('text', repeat(md5(number::text), 3938)), '127.0.0.1', now()
     FROM generate_series(1, 100) AS number`,
  [heavyForm.id],
);
await db('deployments').where({ id: heavyForm.id }).update({ submission_count: 100, last_submission_number: 100 });

let turn = 0;
/**
 * What others see for a time: how long each of their requests took, one after another, and what was answered that
 * wasn't a success.
 */
async function look(forMs: number): Promise<{ took: number[]; failed: number[] }> {
  const took: number[] = [];
  const failed: number[] = [];
  for (const start = performance.now(); performance.now() - start < forMs; ) {
    // Forms take turns.
    turn += 1;
    const form = forms[turn % forms.length];
    if (!form) throw new Error('There is no form');
    const submission = await timed(() =>
      fetch(`${service.url}/submit/${form.id}`, { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
      ),
    );
    const page = await getPage(service.url, form.slug);
    const status = await other.get(`/deploy/${form.id}`);
    took.push(submission.ms);
    failed.push(...[submission.result, page.status, status.status].filter((code) => code !== 200));
  }
  return { took, failed };
}

type Load = { method: string; path: string; body: string; more?: object; fill?: { text: string; times: number } };
const LOADS: Record<string, () => Load> = {
  'GET /submissions/:deployId of none': () => ({ method: 'GET', path: `/submissions/${small.id}`, body: '' }),
  'POST /submit/:deployId to one form': () => ({ method: 'POST', path: `/submit/${small.id}`, body: '{"a":"b"}' }),
  'POST /submit/:deployId of spam': () => ({
    ...{ method: 'POST', path: `/submit/${spammed.id}`, body: '{"text":"casino"}' },
  }),
  'POST /submit/:deployId of one submission, sent again and again': () => ({
    ...{ method: 'POST', path: `/submit/${replayed.id}`, body: '{"a":"b"}', more: { 'Idempotency-Key': 'flood' } },
  }),
  'GET /deploy/:id/html of 2 MiB': () => ({ method: 'GET', path: `/deploy/${heavyPage.id}/html`, body: '' }),
  'GET /submissions/:deployId of 12.6 MB': () => ({
    ...{ method: 'GET', path: `/submissions/${heavyForm.id}?limit=100`, body: '' },
  }),
  'PUT /deploy/:id of 12 MB': () => ({
    ...{ method: 'PUT', path: `/deploy/${heavyPage.id}`, body: '{"html":"FILL"}' },
    fill: { text: '\\u0041', times: 2 * MIB },
  }),
  // Without a key, for a deployment that never was.
  'POST /submit/:deployId of 1.5 MB': () => ({
    ...{ method: 'POST', path: `/submit/${UNKNOWN_ID}`, body: '{"a":"FILL"}' },
    fill: { text: '\\u0041', times: 256 * 1024 - 16 },
  }),
};

describe.each(Object.entries(LOADS))(`one sender’s %s over ${CONNECTIONS} connections`, (name, load) => {
  it('fails no request of another owner, and none of theirs stands in its queue', async () => {
    await look(QUIET_MS / 2);
    const quiet = await look(QUIET_MS);
    const { path, more, ...rest } = load();
    const headers = { Authorization: `Bearer ${heavy.key}`, ...JSON_TYPE, ...more };
    const task = JSON.stringify({ ...rest, url: service.url + path, headers, connections: CONNECTIONS });
    const { child, result } = startProgram(process.execPath, ['test/support/flood.ts', task], {});
    const loaded = await look(LOAD_MS);
    child.kill();
    const answers: Record<string, number> = JSON.parse((await result).stdout);
    record(`heavy-owner: ${name}`, {
      "another owner's submission, without": ms(median(quiet.took)),
      with: ms(median(loaded.took)),
      answered: JSON.stringify(answers),
    });
    expect({ quiet: quiet.failed, loaded: loaded.failed }).toEqual({ quiet: [], loaded: [] });
    // It was a load, and was not just refused; what was refused was told so.
    expect(answers['200'] ?? answers['404']).toBeGreaterThan(0);
    expect(Object.keys(answers).filter((status) => !['200', '404', '429', '503'].includes(status))).toEqual([]);
    expect(median(loaded.took)).toBeLessThan(QUEUED_RATIO * median(quiet.took));
  });
});

it(`keeps little in memory for ${SLOW_READERS} slow readers of 12.6 MB, serves others meanwhile, and cuts the slow`, async () => {
  await look(QUIET_MS);
  const before = await footprint(service, metricsPort);
  const { hostname, port } = new URL(service.url);
  const ask = `GET /submissions/${heavyForm.id}?limit=100 HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\nAuthorization: Bearer ${heavy.key}\r\n\r\n`;
  const readers = Array.from({ length: SLOW_READERS }, () => {
    const socket = connectSocket(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(ask);
    // A little now and then: it never stands still, and would take days.
    socket.pause();
    const trickle = setInterval(() => socket.read(1_024), 1_000);
    socket.once('close', () => clearInterval(trickle));
    return socket;
  });
  let most = 0;
  const watch = async (): Promise<void> => {
    for (const start = performance.now(); performance.now() - start < SLOW_MS; ) {
      most = Math.max(most, (await footprint(service, metricsPort)).residentMiB);
    }
  };
  const [{ failed }] = await Promise.all([look(SLOW_MS), watch()]);
  // A reader that doesn't read doesn't hear of its end either.
  const isCut = async (): Promise<boolean> =>
    (await footprint(service, metricsPort)).descriptors < before.descriptors + SLOW_READERS / 4;
  await expect.poll(isCut, { timeout: 120_000, interval: 500 }).toBe(true);
  for (const socket of readers) socket.destroy();
  record(`heavy-owner: ${SLOW_READERS} slow readers of 12.6 MB`, {
    'MiB resident': `${before.residentMiB} to ${most}`,
  });
  expect(failed).toEqual([]);
  expect(most - before.residentMiB).toBeLessThan(MOST_IN_MEMORY * ASKED_MIB);
});
