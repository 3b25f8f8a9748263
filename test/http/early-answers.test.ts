import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { HttpError, writeError } from '../../src/http/response/errors.ts';
import { LIMITS } from '../../src/limits.ts';
import { serve } from '../support/http-server.ts';

const { refusedBodyTimeoutMs } = LIMITS.requests;

const LENGTH = 16 * 1024 * 1024;
const REFUSAL = '{"error":"The body is too large: send less."}';

afterEach(() => void vi.useRealTimers());

const refuse = (response: ServerResponse): void =>
  writeError(
    response,
    new HttpError(413, 'The body is too large: send less.'),
    {},
    { config: { baseUrl: 'http://localhost' }, limits: LIMITS },
  );

/** An upload to a server that answers with `answer`: a client's connection, and what the server has of it. */
async function startUpload(headers: string, length = LENGTH, answer = refuse) {
  const asked = Promise.withResolvers<ServerResponse>();
  const { port } = await serve((_request, response) => {
    answer(response);
    asked.resolve(response);
  });
  const client = connect(port, '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void client.destroy());
  const failures: Error[] = [];
  client.on('error', (error) => failures.push(error));
  let received = '';
  client.on('data', (text) => {
    received += text;
  });
  client.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${length}\r\n\r\n`);
  const response = await asked.promise;
  return {
    client,
    response,
    failures,
    /** Settles when so many refusals have come. */
    async refused(times = 1): Promise<void> {
      while (received.split(REFUSAL).length <= times) await once(client, 'data');
    },
  };
}

/** Sends so many bytes, as fast as they are taken. */
async function upload(client: Socket, bytes: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024);
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (!client.write(piece.subarray(0, Math.min(piece.length, bytes - sent)))) await once(client, 'drain');
  }
}

it.each(['', 'Connection: close\r\n'])(
  'a refusal reaches a client whole while it is still sending, which may send all of it then: %j',
  async (headers) => {
    const { client, response, failures, refused } = await startUpload(headers);
    const closed = new Promise((resolve) => client.once('close', resolve));
    // Nothing of the body has been sent yet.
    await refused();
    expect([client.readableEnded, response.writableEnded]).toEqual([false, false]);
    await upload(client, LENGTH);
    await once(response, 'close');
    if (headers !== '') await closed;
    else {
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await refused(2);
    }
    expect(failures).toEqual([]);
  },
);

it('a client that never stops sending what was refused is cut after refusedBodyTimeoutMs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { client, response, refused } = await startUpload('Connection: close\r\n', Number.MAX_SAFE_INTEGER);
  const closed = new Promise((resolve) => client.once('close', resolve));
  const { socket } = response.req;
  await refused();
  await upload(client, LENGTH);
  vi.advanceTimersByTime(refusedBodyTimeoutMs - 1);
  await upload(client, LENGTH);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
  await closed;
});

it.each(['sends the rest', 'leaves'])('a client that %s is not waited for any longer', async (what) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { client, response } = await startUpload('');
  const { socket } = response.req;
  expect(vi.getTimerCount()).toBe(1);
  const over = once(response, 'close');
  if (what === 'leaves') client.destroy();
  else await upload(client, LENGTH);
  await over;
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(refusedBodyTimeoutMs);
  expect(socket.destroyed).toBe(what === 'leaves');
});

it.each(['has sent all', 'has left'])('a client that %s before it is answered is not waited for', async (what) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { client, response } = await startUpload('', LENGTH, ({ req }) => void req.resume());
  const over = new Promise((resolve) => response.req.once('close', resolve));
  if (what === 'has left') client.destroy();
  else await upload(client, LENGTH);
  await over;
  refuse(response);
  expect([response.writableEnded, vi.getTimerCount()]).toEqual([true, 0]);
});
