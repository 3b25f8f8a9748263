import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SIZES } from '../../src/sizes.ts';
import { inParallel, median, ms, QUEUED_RATIO, record, timed } from '../support/figures.ts';
import type { Flood, Target } from '../support/flood.ts';
import { footprint, measurable } from '../support/memory.ts';
import { multipartBody } from '../support/multipart-body.ts';
import { freePort, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testProcess } from '../support/test-process.ts';
import { getPage, JSON_TYPE, openSocket, PAGES_DOMAIN, UNKNOWN_ID } from '../support/test-service.ts';

/*
 * Loads by one client or owner, and what another owner's visitors see beside them. How long their requests take, and the
 * memory that is left, depend on the machine, and are printed.
 */

const MIB = 1024 * 1024;
const HTML_BYTES = 2 * MIB;
const QUIET_MS = 3_000;
const LOAD_MS = 5_000;
const CONNECTIONS = 32;
/** So many that none comes to its limit of submissions. */
const FORMS = 1_000;
const SLOW_READERS = 200;
const SLOW_MS = 20_000;
/** The lists that slow readers ask for have so much together, of which a part may be in memory. */
const ASKED_MIB = (SLOW_READERS * 12.6e6) / MIB;
const MOST_IN_MEMORY = 1 / 8;
/** Compressed, more pages than the cache holds. */
const PAGES = 24;
const UNREAD = 60;
/** The part of pages that may be in memory: the cache, an owner's share, and the pages that go beyond it. */
const MOST_PAGES_IN_MEMORY = 0.6;
/** How much more heap there may be after a load. */
const MOST_LEFT_MIB = 50;
const HOUR_MS = 3_600_000;
const SEARCHED = 100_000;
/** Bytes of a file that is downloaded. */
const FILE_BYTES = 10 * MIB;
/** Rows and fields of an export that has all the columns it may have. */
const EXPORTED = { rows: 4_000, fields: 4, columns: SIZES.export.maxFieldColumns };

const metricsPort = await freePort();
const { service, db, newOwner } = await testProcess({
  ...{ PAGE_CACHE_MB: '8', STORAGE_LIMITS: 'free:50MB,unlimited:none', PLAN_LIMITS: 'free:16,unlimited:none' },
  ...measurable(metricsPort),
});
const [heavy, second, free] = [await newOwner('heavy'), await newOwner('second'), await newOwner('free', 'free')];
const other = await newOwner('other');
const heavyPage = await heavy.deploy({ html: `<p>${'x"\n'.repeat((HTML_BYTES - 3) / 3)}` });
// Half of each does not get smaller by compression.
const placeholders = '{{FORM_ACTION}}'.repeat(HTML_BYTES / 2 / 15);
const html = placeholders + randomBytes(HTML_BYTES * 0.375 - 3).toString('base64');
const pages: { slug: string }[] = [];
while (pages.length < PAGES) pages.push(await heavy.deploy({ html }));
const [small, replayed] = [await heavy.deploy(), await heavy.deploy()];
const [spammed, searched] = [await heavy.deploy(), await heavy.deploy()];
await heavy.change(spammed.id, { spam: { blocklist: ['casino'], captcha: null } });
const words = JSON.stringify({ words: `${'word '.repeat(49_000)}\\` });
for (let sent = 0; sent < 10; sent += 1) await heavy.send('POST', `/submit/${searched.id}`, words);
const forms: { id: string; slug: string }[] = [];
await inParallel(Array.from({ length: FORMS }), 8, async () => void forms.push(await other.deploy()));
/** A form with so many submissions, whose data is an SQL expression of their number `n`. */
async function filled(count: number, data: string): Promise<string> {
  const { id } = await heavy.deploy();
  await db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n, ${data}, '127.0.0.1', now() FROM generate_series(1, CAST(:count AS int)) AS n`,
    { id, count },
  );
  await db('deployments').where({ id }).update({ submission_count: count, last_submission_number: count });
  return id;
}
// 100 submissions of 126 KB each: a page of the list is 12.6 MB.
const listed = await filled(100, "json_build_object('text', repeat(md5(n::text), 3938))");
const many = await filled(SEARCHED, "json_build_object('name', 'Person ' || n, 'message', repeat('some words ', 12))");
const wide = await filled(
  EXPORTED.rows,
  `(SELECT json_object_agg('f' || (n * ${EXPORTED.fields} + k) % ${EXPORTED.columns}, 'x') FROM generate_series(1, ${EXPORTED.fields}) AS k)`,
);
const upload = new FormData();
upload.append('film', new Blob([randomBytes(FILE_BYTES)]), 'film.bin');
await fetch(`${service.url}/submit/${small.id}`, { method: 'POST', body: upload });
const film: string = (await heavy.get(`/submissions/${small.id}`)).body.submissions[0].data.film.url;

const PLAIN = ['{"a":"b"}', JSON_TYPE] as const;
const COMPRESSED = [gzipSync('{"a":"b"}'), { ...JSON_TYPE, 'Content-Encoding': 'gzip' }] as const;
let turn = 0;

/**
 * Requests of others for a time, one after another: how long their submissions took, and the statuses that were no
 * success.
 */
async function look(forMs: number): Promise<{ took: number[]; failed: number[] }> {
  const took: number[] = [];
  const failed: number[] = [];
  for (const start = performance.now(); performance.now() - start < forMs; ) {
    // Forms take turns.
    turn += 1;
    const form = forms[turn % forms.length];
    if (!form) throw new Error('There is no form');
    const [body, headers] = turn % 2 === 0 ? PLAIN : COMPRESSED;
    const submission = await timed(() => other.send('POST', `/submit/${form.id}`, body, headers));
    const answers = [
      ...[submission.result, await getPage(service.url, form.slug)],
      ...[await other.get(`/deploy/${form.id}`), await other.get('/healthz')],
    ];
    took.push(submission.ms);
    failed.push(...answers.map(({ status }) => status).filter((status) => status !== 200));
  }
  return { took, failed };
}

const target = (method: string, path: string, body = '', more: Record<string, string> = {}): Target => ({
  ...{ method, path, body },
  headers: { Authorization: `Bearer ${heavy.key}`, ...JSON_TYPE, ...more },
});
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';
/** A submission that is a few bytes for many. */
const compressed = (id: string, body: string | Buffer, type: string): Target =>
  target('POST', `/submit/${id}`, brotliCompressSync(body).toString('latin1'), {
    ...{ 'Content-Type': type, 'Content-Encoding': 'br' },
  });
const keyOf = ({ key }: { key: string }) => ({ Authorization: `Bearer ${key}` });
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const spamWithFile = multipartBody(['name="text"', 'casino'], ['name="file"; filename="a"', Buffer.alloc(MIB)]);
/** An element inside the other, very many times: it takes long to check. */
const deepPage = JSON.stringify({ html: `<form>${'<b>'.repeat(500_000)}` });

const LOADS: Record<string, { targets: Target[]; connections?: number }> = {
  'lists without submissions': { targets: [target('GET', `/submissions/${small.id}`)] },
  'lists of 12.6 MB': { targets: [target('GET', `/submissions/${listed}?limit=100`)] },
  'searches of many submissions': { targets: [target('GET', `/submissions/${many}/search?q=nobody`)] },
  'exports of 10,000 columns': {
    targets: ['csv', 'xlsx'].map((format) => target('GET', `/submissions/${wide}/export.${format}`)),
  },
  'downloads of a large file': { targets: [target('GET', film)] },
  'searches of large submissions': { targets: [target('GET', `/submissions/${searched.id}/search?q=nothing+like`)] },
  'submissions to one form': { targets: [target('POST', `/submit/${small.id}`, '{"a":"b"}')] },
  'spam without files': { targets: [target('POST', `/submit/${spammed.id}`, '{"text":"casino"}')] },
  'spam with files': {
    targets: [target('POST', `/submit/${spammed.id}`, spamWithFile.toString('latin1'), { 'Content-Type': MULTIPART })],
  },
  'one submission, sent again and again': {
    targets: [target('POST', `/submit/${replayed.id}`, '{"a":"b"}', { 'Idempotency-Key': 'flood' })],
  },
  'submissions of 1.5 MB, one to a form that never was': {
    targets: [UNKNOWN_ID, small.id].map((id) =>
      target('POST', `/submit/${id}`, `{"a":"${'\\u0041'.repeat(256 * 1024 - 16)}"}`),
    ),
  },
  'forms of escapes, in 23 bytes': {
    targets: [UNKNOWN_ID, small.id].map((id) => compressed(id, `a=${'%41'.repeat(256 * 1024 - 2)}`, FORM)),
  },
  'files of 20 MB in base64 and in quoted-printable, in a few bytes': {
    targets: [
      ['base64', 'QUJD'],
      ['quoted-printable', '=41='],
    ].map(([encoding, content = '']) => {
      const header = `name=f; filename=x\r\nContent-Transfer-Encoding: ${encoding}`;
      return compressed(small.id, multipartBody([header, content.repeat(5 * MIB)]), MULTIPART);
    }),
  },
  'JSON of millions of small values': {
    targets: [
      target('POST', '/deploy', `{"html":[${'[],'.repeat(4 * MIB)}0]}`),
      target('POST', `/submit/${small.id}`, `{"a":[${'[],'.repeat(87_000)}0]}`),
    ],
  },
  'the HTML of a large page': { targets: [target('GET', `/deploy/${heavyPage.id}/html`)] },
  'changes of a page, of 12 MB each': {
    targets: [target('PUT', `/deploy/${heavyPage.id}`, `{"html":"${'\\u0041'.repeat(HTML_BYTES)}"}`)],
  },
  'large pages in rotation, more than the cache holds': {
    targets: pages.map(({ slug }) =>
      target('GET', '/', '', { Host: `${slug}.${PAGES_DOMAIN}`, 'Accept-Encoding': 'br' }),
    ),
  },
  'the largest pages, published and deleted': {
    targets: [
      { ...target('POST', '/deploy', JSON.stringify({ html: 'x'.repeat(HTML_BYTES) }), keyOf(free)), isUndone: true },
    ],
  },
  'fourteen bytes that become 1.8 MB': {
    targets: [
      target('POST', '/deploy', brotliCompressSync(Buffer.alloc(1_800_000, ' ')).toString('latin1'), {
        'Content-Encoding': 'br',
      }),
    ],
    connections: 300,
  },
  'checks that take too long, of two owners': {
    targets: [target('POST', '/check', deepPage), target('POST', '/check', deepPage, keyOf(second))],
    connections: 8,
  },
  'statistics over ranges that slide': {
    targets: Array.from({ length: 500 }, (_, n) => {
      const range = new URLSearchParams({ by: 'hour', from: ago(720 * HOUR_MS + n * 1_000), to: ago(n * 1_000) });
      return target('GET', `/deploy/${small.id}/stats?${range}`);
    }),
  },
  'the largest cookies': { targets: [target('GET', '/me', '', { Cookie: `a=${'x'.repeat(60_000)}` })] },
  'keys that nobody has': {
    targets: Array.from({ length: 5_000 }, (_, n) =>
      target('GET', '/me', '', keyOf({ key: `fh_${String(n).padStart(43, '0')}` })),
    ),
  },
};

describe.each(Object.entries(LOADS))('one sender’s %s', (name, { targets, connections = CONNECTIONS }) => {
  it('fail no request of another owner, make none wait in their queue, and leave nothing in memory', async () => {
    const file = join(await emptyFolder(), 'flood.json');
    await writeFile(file, JSON.stringify({ url: service.url, targets, connections } satisfies Flood));
    await look(QUIET_MS / 2);
    const quiet = await look(QUIET_MS);
    const before = await footprint(service, metricsPort);
    const { child, result } = startProgram(process.execPath, ['test/support/flood.ts', file], {});
    const loaded = await look(LOAD_MS);
    child.kill();
    const { stdout } = await result;
    record(`heavy-owner: ${name}`, {
      "another owner's submission, without": ms(median(quiet.took)),
      with: ms(median(loaded.took)),
      answered: stdout,
    });
    expect({ quiet: quiet.failed, loaded: loaded.failed }).toEqual({ quiet: [], loaded: [] });
    // It was a load, and was not just refused; no refusal was a fault.
    const statuses = Object.keys(JSON.parse(stdout)).filter((status) => status !== '429' && status !== '503');
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status >= '500')).toEqual([]);
    expect(median(loaded.took)).toBeLessThan(QUEUED_RATIO * median(quiet.took));
    // Threads that have nothing to do end after some time.
    const grown = async () => (await footprint(service, metricsPort)).heapMiB - before.heapMiB;
    await expect.poll(grown, { timeout: 60_000, interval: 500 }).toBeLessThan(MOST_LEFT_MIB);
  });
});

it(`keeps little in memory for ${SLOW_READERS} slow readers of 12.6 MB, serves others meanwhile, and cuts the slow`, async () => {
  await look(QUIET_MS);
  const before = await footprint(service, metricsPort);
  const { hostname, port } = new URL(service.url);
  const ask = `GET /submissions/${listed}?limit=100 HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\nAuthorization: Bearer ${heavy.key}\r\n\r\n`;
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

/** Asks for a page, uncompressed, and reads no further than the status. */
function askOnly(slug: string): Promise<string> {
  const socket = openSocket(service.url);
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    let head = '';
    socket.setEncoding('latin1').on('data', (text) => {
      head += text;
      if (head.length < 12) return;
      socket.pause();
      resolve(head.slice(9, 12));
    });
    socket.once('close', () => resolve('closed'));
    socket.write(`GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n`);
  });
}

it('keeps no more pages in memory for clients that never read than one owner may have there', async () => {
  const before = await footprint(service, metricsPort);
  const statuses: Record<string, number> = {};
  for (let asked = 0; asked < UNREAD; asked += 1) {
    const status = await askOnly(pages[asked % PAGES]?.slug ?? '');
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const after = await footprint(service, metricsPort);
  record(`heavy-owner: ${UNREAD} clients that never read, of ${PAGES} large pages`, {
    answered: JSON.stringify(statuses),
    'heap, MiB': `${before.heapMiB} to ${after.heapMiB}`,
  });
  expect(after.heapMiB - before.heapMiB).toBeLessThan((MOST_PAGES_IN_MEMORY * UNREAD * HTML_BYTES) / MIB);
  expect(Object.keys(statuses)).toEqual(['200', '503']);
});
