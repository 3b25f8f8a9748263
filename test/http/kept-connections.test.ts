import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { multipartBody } from '../support/multipart.ts';
import { openSocket, PAGES_DOMAIN, startTestService } from '../support/service.ts';

const KEEP_ALIVE_MS = 2_500;
/** How long a connection is kept at least; the rest is for clocks that differ. */
const KEPT_MS = KEEP_ALIVE_MS - 100;

it('a connection without a request is kept for a time, which begins anew with each request', async () => {
  const server = { keepAliveMs: KEEP_ALIVE_MS, progressTimeoutMs: 2_000 };
  const service = await startTestService({}, undefined, { limits: { server } });
  onTestFinished(service.close);
  const form = await (await service.owner()).deploy();
  const page = `GET / HTTP/1.1\r\nHost: ${form.slug}.${PAGES_DOMAIN}\r\n\r\n`;
  const file = multipartBody(['name="f"; filename="f.txt"', Buffer.from('Hello.')]);
  const upload = `POST /submit/${form.id} HTTP/1.1\r\nHost: api.test\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${file.length}\r\n\r\n${file}`;

  /** A connection on which these are asked, one after another; how long it is kept after the last was sent. */
  async function keptAfter(...requests: string[]): Promise<number> {
    const socket = openSocket(service.url);
    const closed = once(socket, 'close');
    let sentAt = performance.now();
    for (const [index, request] of requests.entries()) {
      if (index > 0) await delay(KEEP_ALIVE_MS / 2);
      const answered = once(socket, 'data');
      sentAt = performance.now();
      socket.write(request);
      expect(String(await answered)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
    await closed;
    return performance.now() - sentAt;
  }
  const kept = await Promise.all([keptAfter(page), keptAfter(upload), keptAfter(page, page)]);
  for (const keptMs of kept) expect(keptMs).toBeGreaterThan(KEPT_MS);
});
