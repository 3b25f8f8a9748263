import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { inParallel, median, ms, QUEUED_RATIO, quantile, record, timed } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { freePort } from '../support/process.ts';
import { testProcess } from '../support/test-process.ts';
import { BASE_URL, getPage, PAGES_DOMAIN } from '../support/test-service.ts';

const HALF_OPEN = 1_000;
const STALLED = 2_000;
const LEFT = 8_000;
const READ_BY_NOBODY = 50;
const AT_ONCE = 100;
/** Pages that are asked for while nothing else goes on. */
const QUIET = 200;
/** So much longer than the time after which who does not move is cut. */
const SLOW_UPLOAD_MS = 24_000;
/** So many times as much memory as before. */
const HEAP_RATIO = 1.4;
const RESIDENT_RATIO = 2;
const MORE_DESCRIPTORS = 20;
const MIB = 1024 * 1024;

const metricsPort = await freePort();
const { service, newOwner } = await testProcess({ LOG_LEVEL: 'error', ...measurable(metricsPort) });
const owner = await newOwner('owner');
const form = await owner.deploy();
const large = await owner.deploy({ html: 'x'.repeat(2 * MIB) });
afterAll(async () => expect(await service.stop()).toEqual({ code: 0, stdout: '', stderr: '' }));

/** A connection; `ended` says when the service has ended it, and with what it was answered. */
function open() {
  const { hostname, port } = new URL(service.url);
  const socket = connectSocket(Number(port), hostname);
  const openedAt = performance.now();
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => undefined);
  const ended = new Promise<{ afterMs: number; answer: string }>((resolve) => {
    socket.once('close', () => resolve({ afterMs: performance.now() - openedAt, answer }));
  });
  return { socket, ended };
}

const connected = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('connect', () => resolve()));

const UPLOAD_BYTES = 200_000;
const uploadHead = (length: number): string =>
  `POST /submit/${form.id} HTTP/1.1\r\nHost: ${new URL(BASE_URL).host}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const halfAnUpload = (): string => `${uploadHead(UPLOAD_BYTES)}{"a":"${'x'.repeat(20_000)}`;

/** Uploads whose clients go away in the middle. */
const leave = (count: number): Promise<void> =>
  inParallel(Array.from({ length: count }), AT_ONCE, async () => {
    const { socket, ended } = open();
    await connected(socket);
    await new Promise<void>((resolve) => socket.write(halfAnUpload(), () => resolve()));
    socket.destroy();
    await ended;
  });

const use = () => footprint(service, metricsPort);

it('serves pages while a thousand connections are half open, cuts who does not move, and keeps nothing of them', async () => {
  // A first round grows the process to its working size, so that only what is kept later is counted.
  await leave(1_000);
  await getPage(service.url, large.slug).expect(200);
  const idle = await Promise.all(
    Array.from({ length: HALF_OPEN }, async () => {
      const { socket, ended } = open();
      await connected(socket);
      socket.destroy();
      await ended;
    }),
  );
  expect(idle.length).toBe(HALF_OPEN);
  await expect.poll(async () => (await use()).descriptors).toBeLessThan(200);
  const before = await use();

  const look = async () => (await timed(() => getPage(service.url, form.slug).expect(200))).ms;
  const quiet: number[] = [];
  while (quiet.length < QUIET) quiet.push(await look());

  // Some of them drip a header now and then: that is no progress either.
  const halfOpen = Array.from({ length: HALF_OPEN }, open);
  halfOpen.forEach(({ socket }, index) => {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    if (index % 4 !== 0) return;
    const dripping = setInterval(() => socket.write('X: y\r\n'), 3_000);
    socket.once('close', () => clearInterval(dripping));
  });
  await Promise.all(halfOpen.map(({ socket }) => (socket.connecting ? connected(socket) : undefined)));

  const slow = open();
  const body = JSON.stringify({ slow: 'x'.repeat(300) });
  const slowStart = performance.now();
  slow.socket.write(uploadHead(body.length));
  const dripBody = async (): Promise<void> => {
    const step = Math.ceil(body.length / (SLOW_UPLOAD_MS / 1_000));
    for (let at = 0; at < body.length; at += step) {
      await delay(1_000);
      slow.socket.write(body.slice(at, at + step));
    }
  };
  const dripped = dripBody();

  const pages: number[] = [];
  while (performance.now() - slowStart < 6_000) {
    pages.push(await look());
  }

  const stalled = Array.from({ length: STALLED }, open);
  for (const { socket } of stalled) socket.write(halfAnUpload());
  const unread = Array.from({ length: READ_BY_NOBODY }, open);
  for (const { socket } of unread) {
    socket.pause();
    // Ten answers, for one fits into the kernel's buffers.
    socket.write(`GET / HTTP/1.1\r\nHost: ${large.slug}.${PAGES_DOMAIN}\r\n\r\n`.repeat(10));
  }
  await leave(LEFT);

  const cutHalfOpen = await Promise.all(halfOpen.map(({ ended }) => ended));
  await dripped;
  slow.socket.once('data', () => slow.socket.end());
  const { answer, afterMs: slowMs } = await slow.ended;
  const cutStalled = await Promise.all(stalled.map(({ ended }) => ended));
  const isLevel = async (): Promise<void> => {
    const { descriptors, heapMiB, residentMiB } = await use();
    expect(descriptors).toBeLessThanOrEqual(before.descriptors + MORE_DESCRIPTORS);
    expect(heapMiB).toBeLessThan(HEAP_RATIO * before.heapMiB);
    expect(residentMiB).toBeLessThan(RESIDENT_RATIO * before.residentMiB);
  };
  await vi.waitFor(isLevel, { timeout: 30_000, interval: 500 }).catch(() => undefined);
  const after = await use();
  for (const { socket } of unread) socket.destroy();

  const cutAfter = [...cutHalfOpen, ...cutStalled].map(({ afterMs }) => afterMs);
  const seconds = (value: number): string => (value / 1_000).toFixed(1);
  record('slow-clients', {
    "a page's median": `${ms(median(quiet))}, beside ${HALF_OPEN} half-open connections ${ms(median(pages))}`,
    "a page's p99": `${ms(quantile(quiet, 0.99))}, ${ms(quantile(pages, 0.99))}`,
    'half-open connections and stalled uploads cut': cutAfter.length,
    'cut after seconds': `${seconds(Math.min(...cutAfter))} to ${seconds(Math.max(...cutAfter))}`,
    'uploads broken off': LEFT,
    'resident, MiB': `${before.residentMiB} to ${after.residentMiB}`,
    'heap, MiB': `${before.heapMiB} to ${after.heapMiB}`,
    descriptors: `${before.descriptors} to ${after.descriptors}`,
    'a slow upload was answered': `${answer.slice(9, 12)} after ${seconds(slowMs)} s`,
  });
  expect(median(pages)).toBeLessThan(QUEUED_RATIO * median(quiet));
  expect(answer.slice(0, 15)).toBe('HTTP/1.1 200 OK');
  // Not at once.
  expect(Math.min(...cutAfter)).toBeGreaterThan(slowMs / 4);
  await isLevel();
});
