import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { multipartBody } from '../support/multipart.ts';
import { openSocket, PAGES_DOMAIN, startTestService } from '../support/service.ts';

/** Longer than the minute for which proxies keep one. */
const KEPT_MS = 64_500;
/** How much later it may be noticed that a connection is to be closed. */
const NOTICED_MS = 6_000;

it('a connection without a request is kept for as long as proxies do, and no longer', {
  tags: 'slow',
  timeout: 2 * KEPT_MS,
}, async () => {
  const service = await startTestService();
  onTestFinished(service.close);
  const form = await (await service.owner()).deploy();
  const page = `GET / HTTP/1.1\r\nHost: ${form.slug}.${PAGES_DOMAIN}\r\n\r\n`;
  const file = multipartBody(['name="f"; filename="f.txt"', Buffer.from('Hello.')]);
  const upload = `POST /submit/${form.id} HTTP/1.1\r\nHost: api.test\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${file.length}\r\n\r\n${file}`;
  const ask = async (socket: Socket, bytes: string): Promise<string> => {
    const answered = once(socket, 'data');
    socket.write(bytes);
    const [answer] = await answered;
    return String(answer).slice(0, 15);
  };
  const open = () => {
    const socket = openSocket(service.url);
    const openedAt = performance.now();
    return { socket, ended: once(socket, 'close').then(() => performance.now() - openedAt) };
  };
  const [left, sent, taken] = [open(), open(), open()];
  expect(await Promise.all([ask(left.socket, page), ask(sent.socket, upload), ask(taken.socket, page)])).toEqual(
    Array(3).fill('HTTP/1.1 200 OK'),
  );
  // Halfway it is used once more: from then on it is kept as long again.
  await delay(KEPT_MS / 2);
  expect(await ask(taken.socket, page)).toBe('HTTP/1.1 200 OK');
  for (const keptMs of await Promise.all([left.ended, sent.ended])) {
    expect(keptMs).toBeGreaterThan(KEPT_MS);
    expect(keptMs).toBeLessThan(KEPT_MS + NOTICED_MS);
  }
  expect(await ask(taken.socket, page)).toBe('HTTP/1.1 200 OK');
});
