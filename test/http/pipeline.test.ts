import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Network } from '../../src/http/connection-shares.ts';
import { ReleasedPipelines } from '../../src/http/pipeline.ts';
import { HttpServer } from '../../src/http/server.ts';
import { LIMITS, type Limits } from '../../src/limits.ts';
import { testLimits } from '../support/test-limits.ts';

const { pipelinedRequests: MAX } = LIMITS.server;

type Asked = { request: IncomingMessage; response: ServerResponse };

/** A server that leaves each request to `answer`, and notes how many of one connection were unanswered at most. */
async function startServer(answer: (asked: Asked) => void, server: Partial<Limits['server']> = {}) {
  let [unanswered, most] = [0, 0];
  /** Both halves: a server does not notice that a client has left while it reads nothing of it. */
  const sockets = new Set<Socket>();
  const http = new HttpServer(
    (request, response) => {
      sockets.add(request.socket);
      unanswered += 1;
      most = Math.max(most, unanswered);
      response.on('close', () => {
        unanswered -= 1;
      });
      answer({ request, response });
    },
    testLimits({ server }),
    { baseUrl: 'http://api.test', isProxy: () => false, clientAddress: ({ socket }) => socket.remoteAddress ?? '' },
  );
  const { port } = await http.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await http.close();
  });
  return {
    most: () => most,
    open(localAddress = '127.0.0.1'): Socket {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
      sockets.add(socket);
      return socket;
    },
  };
}

/** Answers with what was sent, in the turn after all of it has come. */
async function echo({ request, response }: Asked): Promise<void> {
  const body = await text(request);
  await nextTurn();
  response.end(`<${request.url} ${body}>`);
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
/** In chunks of one byte, with an extension each, and trailers. */
const chunked = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${Array.from(body, (byte) => `1;x=y\r\n${byte}\r\n`).join('')}0\r\nTrailer: ${path}\r\n\r\n`;

/** Returns the text that a client receives until this many answers have come. */
async function receive(socket: Socket, answers: number): Promise<string[]> {
  let received = '';
  for await (const piece of socket.setEncoding('latin1')) {
    received += piece;
    const found = received.match(/<[^>]*>/g) ?? [];
    if (found.length >= answers) return found;
  }
  return received.match(/<[^>]*>/g) ?? [];
}

describe('a client that sends many requests at once', () => {
  /** More than node:http reads at a time. */
  const COUNT = 3_000;
  const requests = Array.from({ length: COUNT }, (_, number) => {
    const path = `/${number}`;
    return [get(path), post(path, 'hello'), chunked(path, 'bye')][number % 3] ?? '';
  });
  const answers = requests.map((_, number) => `</${number} ${['', 'hello', 'bye'][number % 3]}>`);

  it('gets all answers in order, and a few requests are under way at a time', async () => {
    const { most, open } = await startServer(echo);
    const client = open();
    client.write(requests.join(''));
    expect(await receive(client, COUNT)).toEqual(answers);
    expect(most()).toBe(MAX);
  });

  it('gets them when its bytes come one after the other', async () => {
    const { most, open } = await startServer(echo);
    const client = open().setNoDelay();
    const received = receive(client, 30);
    for (const byte of requests.slice(0, 30).join('')) {
      client.write(byte);
      await nextTurn();
    }
    expect(await received).toEqual(answers.slice(0, 30));
    expect(most()).toBeLessThanOrEqual(MAX);
  });

  it('has no further request begun until enough are answered', async () => {
    const asked: Asked[] = [];
    const { open } = await startServer((one) => void asked.push(one));
    const client = open();
    client.write(get('/').repeat(3_000));
    await expect.poll(() => asked.length).toBe(MAX);
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect(asked.length).toBe(MAX);
    // Half of them are answered: as many begin.
    for (const { response } of asked.slice(0, MAX / 2)) response.end('<>');
    await expect.poll(() => asked.length).toBe(MAX + MAX / 2);
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect(asked.length).toBe(MAX + MAX / 2);
  });

  it('has fewer under way while its network has many', async () => {
    const asked: Asked[] = [];
    const { open } = await startServer((one) => void asked.push(one), { connectionsOfNetwork: 4 });
    const [first, second] = [open('127.0.0.2'), open('127.0.0.2')];
    first.write(get('/').repeat(100));
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    second.write(get('/').repeat(100));
    await expect.poll(() => new Set(asked.map(({ request }) => request.socket)).size).toBe(2);
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    expect(asked.length).toBeLessThan(MAX);
    for (let at = 0; at < 200; at += 1) {
      await expect.poll(() => asked.length).toBeGreaterThan(at);
      asked[at]?.response.end('<>');
    }
  });

  it('is disconnected when too much of its network waits, and other networks are answered', async () => {
    const asked: Asked[] = [];
    const { open } = await startServer(
      (one) => {
        if (one.request.url === '/now') void echo(one);
        else asked.push(one);
      },
      { pipelinedBytesOfNetwork: 100_000 },
    );
    const clients = Array.from({ length: 3 }, () => open('127.0.0.2'));
    const ends = clients.map(
      (client) => new Promise<number>((resolve) => client.on('close', () => resolve(asked.length))),
    );
    for (const client of clients) client.resume().write(get('/').repeat(3_000));
    await Promise.race(ends);
    await expect.poll(() => asked.filter(({ request }) => !request.destroyed).length).toBeLessThanOrEqual(2 * MAX);
    const other = open('127.0.0.3');
    other.write(get('/now').repeat(100));
    expect(await receive(other, 100)).toHaveLength(100);
  });

  it('has as few begun with requests to upgrade', async () => {
    const asked: Asked[] = [];
    const { open } = await startServer((one) => void asked.push(one));
    const client = open().setNoDelay();
    const upgrade = get('/').replace('Host: a', 'Host: a\r\nConnection: upgrade\r\nUpgrade: other');
    while (asked.length < MAX) {
      const before = asked.length;
      client.write(upgrade);
      await expect.poll(() => asked.length).toBe(before + 1);
    }
    for (let count = 0; count < 20; count += 1) {
      client.write(upgrade);
      await nextTurn();
    }
    expect(asked.length).toBe(MAX);
  });
});

describe('a wrong request behind many', () => {
  const TUNNEL = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
  it.each<[what: string, wrong: string, before: (path: string) => string]>([
    ['not HTTP', 'nonsense\r\n\r\n', get],
    ['a tunnel', TUNNEL, get],
    ['not HTTP, behind chunks', 'nonsense\r\n\r\n', (path) => chunked(path, '')],
    ['a tunnel, behind chunks', TUNNEL, (path) => chunked(path, '')],
  ])('ends the connection when those before it are answered: %s', async (_what, wrong, before) => {
    const { open } = await startServer(echo);
    const client = open();
    const good = Array.from({ length: 100 }, (_, number) => before(`/${number}`)).join('');
    client.write(good + wrong + get('/never').repeat(200));
    client.write(get('/never'));
    expect(await receive(client, 101)).toEqual(Array.from({ length: 100 }, (_, number) => `</${number} >`));
  });
});

describe('a body in very small chunks', () => {
  it('is read in parts, between which others have their turn', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1_000;
      return now;
    });
    let [pieces, most, inTurn] = [0, 0, 0];
    const endTurn = (): void => {
      inTurn = 0;
    };
    const { open } = await startServer(({ request, response }) => {
      request.on('data', () => {
        pieces += 1;
        if (inTurn === 0) setImmediate(endTurn);
        inTurn += 1;
        most = Math.max(most, inTurn);
      });
      request.on('end', () => response.end(`<${pieces}>`));
    });
    const client = open();
    client.write(chunked('/', 'x'.repeat(20_000)));
    client.write(chunked('/', 'x'.repeat(20_000)));
    expect(await receive(client, 2)).toEqual(['<20000>', '<40000>']);
    // A slice of 1,024 bytes has a tenth as many chunks, and two may be read in a turn.
    expect(most).toBeLessThan(300);
  });
});

describe('ReleasedPipelines', () => {
  it('goes on with one connection of each network in a turn', async () => {
    const log: string[] = [];
    const released = new ReleasedPipelines();
    const [a, b] = [new Network('a', false), new Network('b', false)];
    for (const [network, name] of [
      [a, 'a1'],
      [a, 'a2'],
      [b, 'b1'],
      [a, 'a3'],
    ] as const) {
      released.add({ network, release: () => void log.push(name) });
    }
    const turns: string[] = [];
    while (log.length < 4) {
      await nextTurn();
      turns.push(log.join(' '));
    }
    expect(turns).toEqual(['a1 b1', 'a1 b1 a2', 'a1 b1 a2 a3']);
  });
});
