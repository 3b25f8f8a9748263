import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type BodyReader, createBodyReader } from '../src/http/body.ts';
import { HttpError } from '../src/http/errors.ts';

const MIB = 1024 * 1024;
/** Two of these fit into the memory that large bodies may have, and three don't. */
const LARGE = 50 * MIB;
const LIMIT = 100 * MIB;

// Hundreds of megabytes go through here, on whatever machine.
vi.setConfig({ testTimeout: 60_000 });

/** A server that reads bodies, and answers with their sizes, or with the status of their refusal. */
async function startReader(read: (body: BodyReader, request: IncomingMessage) => Promise<Buffer>) {
  const body = createBodyReader({ largest: 1 });
  const server = createServer((request, response) => {
    read(body, request).then(
      (bytes) => response.end(String(bytes.length)),
      (error) => {
        request.resume();
        response.end(error instanceof HttpError ? `${error.status}` : String(error));
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return async (content: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(`http://127.0.0.1:${address.port}`, { method: 'POST', body: content, headers })).text();
}

it('counts a body that is held until it is let go, and refuses only large ones for it', async () => {
  const stored = Promise.withResolvers<void>();
  let read = 0;
  const send = await startReader(async (body, request) => {
    using hold = body.hold();
    const bytes = await body.bytes(request, LIMIT, { hold });
    read += 1;
    if (bytes.length === LARGE) await stored.promise;
    return bytes;
  });
  const held = [send(new Uint8Array(LARGE)), send(new Uint8Array(LARGE))];
  await vi.waitFor(() => expect(read).toBe(2), { timeout: 30_000 });
  expect(await send(new Uint8Array(LARGE))).toBe('503');
  expect(await send(new Uint8Array(64 * 1024))).toBe('65536');
  stored.resolve();
  expect(await Promise.all(held)).toEqual([`${LARGE}`, `${LARGE}`]);
  expect(await send(new Uint8Array(LARGE))).toBe(`${LARGE}`);
});

it('counts a body that was refused no longer', async () => {
  const send = await startReader(async (body, request) => {
    using hold = body.hold();
    return await body.bytes(request, LIMIT, { hold });
  });
  // What is no gzip is refused when all of it has come.
  for (let count = 0; count < 3; count += 1) {
    expect(await send(new Uint8Array(LARGE), { 'Content-Encoding': 'gzip' })).toBe('400');
  }
  expect(await send(new Uint8Array(LARGE))).toBe(`${LARGE}`);
});

it('counts what a compressed body has become', async () => {
  const stored = Promise.withResolvers<void>();
  let read = 0;
  const send = await startReader(async (body, request) => {
    using hold = body.hold();
    const bytes = await body.bytes(request, LIMIT, { hold });
    read += 1;
    if (bytes.length === LIMIT) await stored.promise;
    return bytes;
  });
  const held = send(new Uint8Array(gzipSync(Buffer.alloc(LIMIT))), { 'Content-Encoding': 'gzip' });
  await vi.waitFor(() => expect(read).toBe(1), { timeout: 30_000 });
  expect(await send(new Uint8Array(LARGE))).toBe('503');
  stored.resolve();
  expect(await held).toBe(`${LIMIT}`);
  expect(await send(new Uint8Array(LARGE))).toBe(`${LARGE}`);
});
