import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientAddressFrom, proxiesOf } from '../../src/http/request/client-address.ts';
import { endEarly } from '../../src/http/response/errors.ts';
import { HttpServer } from '../../src/http/server.ts';
import { LIMITS, withLimits } from '../../src/limits.ts';

/** Where a test waits for a real time to pass, it is short; those that end a connection in real time never pass. */
const limits = withLimits({ server: { lingerMs: 20, drainTimeoutMs: 600_000 } });
const { drainTimeoutMs, keepAliveMs, progressTimeoutMs } = limits.server;
const {
  readingPaceBytes: PACE_BYTES,
  readingPaceMs: PACE_MS,
  readingPaceCheckIntervalMs: PACE_CHECK_MS,
} = LIMITS.server;

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** The server's half of a connection on which a request has come. */
type Asked = { request: IncomingMessage; response: ServerResponse; socket: Socket };

/** A server that notes what it is asked, and answers when the test does. */
async function startServer(used = limits, trust: readonly string[] | 0 = 0) {
  const asked: Asked[] = [];
  let wake = Promise.withResolvers<void>();
  const server = new HttpServer(
    (request, response) => {
      asked.push({ request, response, socket: request.socket });
      wake.resolve();
      wake = Promise.withResolvers();
    },
    used,
    { baseUrl: 'http://api.test', isProxy: proxiesOf(trust), clientAddress: clientAddressFrom(trust) },
  );
  const { port } = await server.listen(0, '127.0.0.1');
  const open: Socket[] = [];
  onTestFinished(async () => {
    for (const { request } of asked) request.socket.destroy();
    for (const socket of open) socket.destroy();
    vi.useRealTimers();
    await server.close();
  });
  return {
    close: () => server.close(),
    /** A client's connection. */
    open(options: { allowHalfOpen?: boolean } = {}): Socket {
      const socket = connect({ ...options, port, host: '127.0.0.1' }).on('error', () => undefined);
      open.push(socket);
      return socket;
    },
    /** The request that came as the so-manieth, from 0. */
    async request(index: number): Promise<Asked> {
      for (;;) {
        const found = asked[index];
        if (found) return found;
        await wake.promise;
      }
    },
  };
}

/** Answers a request; settles when the connection may be idle. */
async function answer({ response }: Asked): Promise<void> {
  response.end('answered');
  await once(response, 'close');
}

/** Emits the event with which Node reports that nothing has moved on a connection for its time-out. */
const beQuiet = (socket: Socket): boolean => socket.emit('timeout');

describe('a connection on which nothing moves', () => {
  it('is kept once it was used, until keepAliveMs are over', async () => {
    const server = await startServer();
    server.open().resume().write(REQUEST);
    const first = await server.request(0);
    const { socket } = first;
    await answer(first);
    expect(socket.timeout).toBe(progressTimeoutMs);
    beQuiet(socket);
    expect([socket.destroyed, socket.timeout]).toEqual([false, keepAliveMs - progressTimeoutMs]);
    beQuiet(socket);
    expect(socket.destroyed).toBe(true);
  });

  it('is kept no longer for a request that was given more time, and gives none of it to the next', async () => {
    const server = await startServer();
    const client = server.open().resume();
    client.write(REQUEST);
    const first = await server.request(0);
    const { socket } = first;
    socket.setTimeout(40_000);
    await answer(first);
    beQuiet(socket);
    expect([socket.destroyed, socket.timeout]).toEqual([false, keepAliveMs - 40_000]);
    client.write(REQUEST);
    expect((await server.request(1)).socket.timeout).toBe(progressTimeoutMs);
  });

  it.each([0, 1])('is cut while a request is not answered, with %i behind it that are', async (behind) => {
    const server = await startServer();
    server
      .open()
      .resume()
      .write(REQUEST.repeat(1 + behind));
    const first = await server.request(0);
    const { response, socket } = await server.request(behind);
    if (behind > 0) response.end();
    beQuiet(first.socket);
    expect(socket.destroyed).toBe(true);
  });

  it('is kept when all of several requests are answered', async () => {
    const server = await startServer();
    server.open().resume().write(REQUEST.repeat(3));
    const all = [await server.request(0), await server.request(1), await server.request(2)];
    for (const each of all) await answer(each);
    const [{ socket } = await server.request(0)] = all;
    beQuiet(socket);
    expect(socket.destroyed).toBe(false);
  });
});

/** The text that a client has received when its connection ends. */
async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  await once(socket, 'close');
  return text;
}

describe('a server that is told to stop', () => {
  it('answers what is under way, and says with what comes behind it that the connection ends', async () => {
    const server = await startServer();
    const client = server.open();
    const received = textOf(client);
    client.write(REQUEST);
    const first = await server.request(0);
    const closed = server.close();
    client.write(REQUEST);
    const second = await server.request(1);
    first.response.end();
    second.response.end();
    await closed;
    expect((await received).match(/^Connection: .*$/gim)).toEqual(['Connection: keep-alive', 'Connection: close']);
  });

  it('answers what comes on connections that wait in the queue of the kernel, or that were kept', async () => {
    const server = await startServer(withLimits({ server: { lingerMs: 600_000 } }));
    const kept = server.open();
    const receivedByKept = textOf(kept);
    kept.write(REQUEST);
    await answer(await server.request(0));
    const received = Array.from({ length: 20 }, async (_, index) => {
      const client = server.open();
      client.write(REQUEST);
      void server.request(1 + index).then(answer);
      return await textOf(client);
    });
    const closed = server.close();
    const answered = expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*answered$/s);
    expect(await Promise.all(received)).toEqual(received.map(() => answered));
    kept.write(REQUEST);
    await answer(await server.request(21));
    expect((await receivedByKept).match(/^Connection: .*$/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: close',
    ]);
    await closed;
  });

  it('ends connections that are idle, that never carried anything, and that become idle', async () => {
    const server = await startServer();
    const [unused, idle, busy] = [server.open(), server.open(), server.open()];
    const ends = [unused, idle, busy].map(textOf);
    await once(unused, 'connect');
    idle.write(REQUEST);
    await answer(await server.request(0));
    busy.write(REQUEST);
    const underWay = await server.request(1);
    const closed = server.close();
    expect(await Promise.all(ends.slice(0, 2))).toEqual(['', expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n/)]);
    underWay.response.end();
    expect(await ends[2]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await closed;
  });

  it('does not wait for a client that was refused, and neither sends the rest of its request nor leaves', async () => {
    const server = await startServer();
    const [inBody, unreadable] = [server.open(), server.open({ allowHalfOpen: true })];
    const ends = [inBody, unreadable].map(textOf);
    inBody.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    endEarly((await server.request(0)).response, 'refused', limits);
    unreadable.write('not HTTP\r\n\r\n');
    await once(unreadable, 'data');
    await server.close();
    unreadable.destroy();
    expect(await Promise.all(ends)).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n.*refused/s),
      expect.stringMatching(/^HTTP\/1\.1 400 /),
    ]);
  });

  it('does not wait for the end of headers of which no more come', async () => {
    const server = await startServer();
    const client = server.open();
    const received = textOf(client);
    client.write(`${REQUEST}GET / HTTP/1.1\r\nHost`);
    await answer(await server.request(0));
    await server.close();
    expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answered$/s);
  });

  it('cuts what is still under way after drainTimeoutMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await startServer();
    const client = server.open();
    const received = textOf(client);
    client.write(REQUEST);
    const { socket } = await server.request(0);
    const closed = server.close();
    vi.advanceTimersByTime(drainTimeoutMs - 1);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await received).toBe('');
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a reader', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** An answer that is under way, of which the server writes what the test says. */
  async function startAnswer() {
    const server = await startServer();
    const client = server.open();
    client.write(REQUEST);
    const { response, socket } = await server.request(0);
    response.flushHeaders();
    await once(client, 'data');
    /** Lets a time go by in which the reader takes so many bytes, while there are always more for it. */
    function take(bytes: number, ms: number): void {
      // Corked data waits as it would for a reader whose buffers are full.
      socket.cork();
      socket.write(Buffer.alloc(bytes));
      vi.advanceTimersByTime(ms);
      socket.uncork();
    }
    return { client: client.resume(), socket, take };
  }

  it('that takes enough is never cut', async () => {
    const { socket, take } = await startAnswer();
    for (let times = 0; times < 20; times += 1) {
      take(PACE_BYTES, PACE_MS - PACE_CHECK_MS);
      while (socket.writableLength > 0) await nextTurn();
    }
    expect(socket.destroyed).toBe(false);
  });

  it('that takes too little is cut, though it takes some all the time', async () => {
    const { socket, take } = await startAnswer();
    const bytes = Math.floor(PACE_BYTES / (PACE_MS / PACE_CHECK_MS)) - 1;
    for (let ms = 0; ms < PACE_MS; ms += PACE_CHECK_MS) take(bytes, PACE_CHECK_MS);
    expect(socket.destroyed).toBe(false);
    take(bytes, PACE_CHECK_MS);
    expect(socket.destroyed).toBe(true);
  });

  it('that takes nothing is cut after PACE_MS, and others are not', async () => {
    const [slow, other] = [await startAnswer(), await startAnswer()];
    slow.socket.cork();
    slow.socket.write('waits');
    vi.advanceTimersByTime(PACE_CHECK_MS + PACE_MS - 1);
    expect(slow.socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect([slow.socket.destroyed, other.socket.destroyed]).toEqual([true, false]);
  });

  it('whose answer waits for the service is not cut, and has its time anew when there is more', async () => {
    const { socket, take } = await startAnswer();
    for (let times = 0; times < 5; times += 1) {
      take(1, PACE_MS);
      // It has taken all there is.
      while (socket.writableLength > 0) await nextTurn();
      vi.advanceTimersByTime(4 * PACE_MS);
    }
    expect(socket.destroyed).toBe(false);
  });

  it('that the kernel takes much for, and reads none of it, is cut', async () => {
    const server = await startServer();
    const client = server.open();
    client.write(REQUEST);
    const { response, socket } = await server.request(0);
    client.pause();
    response.end(Buffer.alloc(64 * 1024 * 1024));
    await vi.waitFor(() => {
      vi.advanceTimersByTime(PACE_CHECK_MS);
      expect(socket.destroyed).toBe(true);
    }, 60_000);
  });
});
