import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { median, ms, QUEUED_RATIO, quantile, record, timed } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { freePort, startProgram, startServiceProcess } from '../support/process.ts';
import type { Rotation } from '../support/rotation.ts';
import { openSocket, PAGES_DOMAIN } from '../support/service.ts';
import { testProcess } from '../support/test-process.ts';

const MIB = 1024 * 1024;
const HTML_BYTES = 2 * MIB;
const PLACEHOLDER = '{{FORM_ACTION}}';
const PAGE_CACHE_MB = 8;
/** Compressed, more than the page cache holds. */
const PAGES = 24;
const READERS = 16;
const ROUNDS = 3;
const ROUND_MS = 2_000;
const INTERVAL_MS = 10;
const UNREAD = 60;
/** The part of what they ask for that may be in memory: the cache, an owner's share, and the pages that go beyond it. */
const MOST_IN_MEMORY = 0.6;

const { service, settings, newOwner } = await testProcess({ PAGE_CACHE_MB: String(PAGE_CACHE_MB) });
const heavy = await newOwner('heavy');
const small = await (await newOwner('other')).deploy();
// The other half does not get smaller by compression.
const html =
  PLACEHOLDER.repeat(HTML_BYTES / 2 / PLACEHOLDER.length) + randomBytes(HTML_BYTES * 0.375 - 3).toString('base64');
const pages: { id: string; slug: string }[] = [];
for (let count = 0; count < PAGES; count += 1) pages.push(await heavy.deploy({ html }));

/** How long others wait for a small page that is in memory, asked for at even intervals for a time. */
async function look(forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(service.url);
  const headers = { Host: `${small.slug}.${PAGES_DOMAIN}` };
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      request({ agent, hostname, port, headers }, (response) => response.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });
  const asked: Promise<{ ms: number }>[] = [];
  for (const start = performance.now(); performance.now() - start < forMs; ) {
    asked.push(timed(ask));
    await delay(INTERVAL_MS);
  }
  const took = await Promise.all(asked);
  agent.destroy();
  return took.map(({ ms }) => ms);
}

/**
 * What others wait without a load and beside it, in rounds by turns; how many of the load's requests were answered, by
 * status.
 */
async function compare(load: Omit<Rotation, 'url'>) {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-load-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'load.json');
  await writeFile(file, JSON.stringify({ ...load, url: service.url } satisfies Rotation));
  const [quiet, loaded]: [number[], number[]] = [[], []];
  const statuses: Record<string, number> = {};
  let loadMs = 0;
  await look(ROUND_MS / 4);
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(...(await look(ROUND_MS)));
    const { child, result } = startProgram(process.execPath, ['test/support/rotation.ts', file], {});
    const { ms: lasted } = await timed(async () => {
      await look(ROUND_MS / 4);
      loaded.push(...(await look(ROUND_MS)));
      child.kill();
      for (const [status, count] of Object.entries(JSON.parse((await result).stdout))) {
        statuses[status] = (statuses[status] ?? 0) + Number(count);
      }
    });
    loadMs += lasted;
  }
  return { quiet, loaded, statuses, aSecond: ((statuses[200] ?? 0) * 1_000) / loadMs };
}

const figures = (took: readonly number[]): string =>
  `${ms(median(took))} (p90 ${ms(quantile(took, 0.9))}, p99 ${ms(quantile(took, 0.99))}, at most ${ms(Math.max(...took))})`;

it('does not make others wait while one owner’s large pages are asked for in rotation, more than the cache holds', async () => {
  const targets = pages.map(({ slug }) => ({
    path: '/',
    headers: { Host: `${slug}.${PAGES_DOMAIN}`, 'Accept-Encoding': 'br' },
  }));
  const load = { method: 'GET', targets, body: '', connections: READERS };
  const { quiet, loaded, statuses, aSecond } = await compare(load);
  record(`heavy-work: ${PAGES} pages of 2 MiB of placeholders in rotation`, {
    'answers a second': aSecond.toFixed(0),
    'a page of others': figures(quiet),
    'beside it': figures(loaded),
  });
  expect(median(loaded)).toBeLessThan(QUEUED_RATIO * median(quiet));
  expect(statuses[200]).toBeGreaterThan(0);
});

/** Asks for a page, uncompressed, and reads no further than the status. */
function askOnly(url: string, slug: string): Promise<string> {
  const socket = openSocket(url);
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
  const metricsPort = await freePort();
  const own = await startServiceProcess({ ...settings, ...measurable(metricsPort) });
  await own.ready();
  const before = await footprint(own, metricsPort);
  const statuses: Record<string, number> = {};
  for (let turn = 0; turn < UNREAD; turn += 1) {
    const status = await askOnly(own.url, pages[turn % PAGES]?.slug ?? '');
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const after = await footprint(own, metricsPort);
  record(`heavy-work: ${UNREAD} clients that never read, of ${PAGES} large pages`, {
    answered: JSON.stringify(statuses),
    'heap, MiB': `${before.heapMiB} to ${after.heapMiB}`,
  });
  expect(after.heapMiB - before.heapMiB).toBeLessThan((MOST_IN_MEMORY * UNREAD * HTML_BYTES) / MIB);
  expect(Object.keys(statuses)).toEqual(['200', '503']);
  expect((await own.stop()).code).toBe(0);
});
