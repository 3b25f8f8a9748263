import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { publishSite } from '../../support/publish-site.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const MIB = 1024 * 1024;
/** More than the kernel takes for a client that reads nothing. */
const film = randomBytes(16 * MIB);

const service = await testService(
  { MAX_HTML_BYTES: '1000', MAX_SITE_FILE_BYTES: String(film.length), MAX_SITE_BYTES: String(2 * film.length) },
  undefined,
  { limits: { requests: { memoryBudgetBytes: 2 * MIB } } },
);
const owner = await service.owner();

/** Asks for a file from an address, and reads only the first bytes of the answer. */
function begin(slug: string, localAddress: string): Promise<string> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /film.mp4 HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once('data', (bytes) => {
      socket.pause();
      resolve(bytes.toString('latin1').slice(9, 12));
    });
  });
}

it('paused downloads of one network keep neither other visitors nor the owner from the file', async () => {
  const { id, slug } = await publishSite(owner, { 'index.html': '<p>', 'film.mp4': film });
  const statuses: string[] = [];
  while (!statuses.includes('503') && statuses.length < 30) statuses.push(await begin(slug, '127.0.0.2'));
  expect(statuses).toEqual(['200', '200', '200', '200', '503']);
  const others = [await begin(slug, '127.0.0.3'), await begin(slug, '127.0.0.4')];
  expect(others).toEqual(['200', '200']);
  const own = await fetch(`${service.url}/deploy/${id}/files/film.mp4`, {
    headers: { Authorization: `Bearer ${owner.key}` },
  });
  expect(own.status).toBe(200);
  expect(Buffer.from(await own.arrayBuffer()).equals(film)).toBe(true);
});
