import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HttpError } from '../../src/http/errors.ts';
import { createOwnerConcurrency, type OwnerConcurrency } from '../../src/http/owner-concurrency.ts';
import { LIMITS } from '../../src/limits.ts';
import { testLimits } from '../support/limits.ts';

const { requestWaitTimeoutMs, waitingRequests } = LIMITS.owners;

/** Requests of an owner (the path says whose), which are answered when the test says so. */
async function startServer(concurrency: OwnerConcurrency) {
  const working: { request: IncomingMessage; response: ServerResponse; owner: number }[] = [];
  const refused: number[] = [];
  const server = createServer((request, response) => {
    const owner = Number(request.url?.slice(1));
    concurrency.begin(request, response, owner).then(
      () => void working.push({ request, response, owner }),
      (error) => {
        refused.push(owner);
        response.writeHead(error instanceof HttpError ? error.status : 500).end();
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  function send(owner: number): Socket {
    const socket = connect(address === null || typeof address === 'string' ? 0 : address.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET /${owner} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return socket;
  }
  const owners = (): number[] => working.map(({ owner }) => owner).toSorted();
  return { working, refused, send, owners };
}

/** A request that gets no slot is refused soon. */
const soonRefused = testLimits({ owners: { requestWaitTimeoutMs: 100 } });

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 5 });

it('lets two requests of an owner work at a time, and others beside them', async () => {
  const { working, send, owners } = await startServer(createOwnerConcurrency(testLimits()));
  for (let count = 0; count < 5; count += 1) send(1);
  await until(() => expect(owners()).toEqual([1, 1]));
  send(2);
  await until(() => expect(owners()).toEqual([1, 1, 2]));
  working[0]?.response.end();
  await until(() => expect(owners()).toEqual([1, 1, 1, 2]));
});

it('gives the slot of a request that waits for its client to the next, and gets it back before those that have not begun', async () => {
  const concurrency = createOwnerConcurrency(testLimits());
  const { working, send, owners } = await startServer(concurrency);
  for (let count = 0; count < 4; count += 1) send(1);
  await until(() => expect(owners()).toEqual([1, 1]));
  const [first] = working;
  if (!first) throw new Error('Nothing works');
  concurrency.release(first.request);
  await until(() => expect(owners()).toEqual([1, 1, 1]));
  let resumed = false;
  const resuming = concurrency.resume(first.request).then(() => {
    resumed = true;
  });
  working[1]?.response.end();
  await resuming;
  expect([resumed, owners()]).toEqual([true, [1, 1, 1]]);
  first.response.end();
  await until(() => expect(owners()).toEqual([1, 1, 1, 1]));
});

it('refuses what has waited too long, however long those before it take, and never works on more', async () => {
  const { working, refused, send, owners } = await startServer(createOwnerConcurrency(soonRefused));
  const sockets = Array.from({ length: 6 }, () => send(1));
  const answers = sockets.slice(2).map(async (socket) => String(await once(socket, 'data')).slice(0, 12));
  expect(await Promise.all(answers)).toEqual(Array(4).fill('HTTP/1.1 503'));
  expect([refused, owners()]).toEqual([
    [1, 1, 1, 1],
    [1, 1],
  ]);
  for (const { response } of working) response.end();
  await until(() => expect(working.every(({ response }) => response.closed)).toBe(true));
  send(1);
  await until(() => expect(owners()).toEqual([1, 1, 1]));
});

it('counts the work for a client that has left until it is answered all the same', async () => {
  const { working, refused, send, owners } = await startServer(createOwnerConcurrency(soonRefused));
  const sockets = Array.from({ length: 2 }, () => send(1));
  await until(() => expect(owners()).toEqual([1, 1]));
  for (const socket of sockets) socket.destroy();
  await until(() => expect(working.every(({ response }) => response.closed)).toBe(true));
  const answers = Array.from({ length: 2 }, () => send(1)).map(async (socket) => {
    return String(await once(socket, 'data')).slice(0, 12);
  });
  expect(await Promise.all(answers)).toEqual(Array(2).fill('HTTP/1.1 503'));
  expect([refused, owners()]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  for (const { response } of working) response.end();
  for (let count = 0; count < 2; count += 1) send(1);
  await until(() => expect(owners()).toEqual([1, 1, 1, 1]));
});

it('begins no work for clients that leave before it, and loses no slot to them', async () => {
  const concurrency = createOwnerConcurrency(testLimits());
  const { working, refused, send, owners } = await startServer(concurrency);
  const sockets = Array.from({ length: 6 }, () => send(1));
  await until(() => expect(owners()).toEqual([1, 1]));
  const [first, second] = working;
  if (!first || !second) throw new Error('Nothing works');
  concurrency.release(first.request);
  await until(() => expect(owners()).toEqual([1, 1, 1]));
  const resuming = concurrency.resume(first.request);
  for (const socket of sockets) socket.destroy();
  await expect(resuming).rejects.toThrow(HttpError);
  await until(() => expect(refused).toEqual([1, 1, 1]));
  expect(owners()).toEqual([1, 1, 1]);
  for (const { response } of working) response.end();
  for (let count = 0; count < 3; count += 1) send(1);
  await until(() => expect(owners()).toEqual([1, 1, 1, 1, 1]));
});

describe('the slots of an owner, by themselves', () => {
  /** Requests that are begun, resumed and ended by name; `log` says what became of each. */
  function startRequests() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const concurrency = createOwnerConcurrency(LIMITS);
    const requests = new Map<string, { request: IncomingMessage; response: ServerResponse }>();
    const log: string[] = [];
    const of = (name: string): { request: IncomingMessage; response: ServerResponse } => {
      const known = requests.get(name);
      if (known) return known;
      const request = new IncomingMessage(new Socket());
      const made = { request, response: new ServerResponse(request) };
      requests.set(name, made);
      return made;
    };
    return {
      log,
      async begin(name: string, ownerId = 1): Promise<void> {
        const { request, response } = of(name);
        concurrency.begin(request, response, ownerId).then(
          () => log.push(`${name} works`),
          (error) => log.push(`${name}: ${error instanceof HttpError ? error.status : error}`),
        );
        await nextTurn();
      },
      async release(name: string): Promise<void> {
        concurrency.release(of(name).request);
        await nextTurn();
      },
      async resume(name: string): Promise<void> {
        concurrency.resume(of(name).request).then(
          () => log.push(`${name} works again`),
          (error) => log.push(`${name}: ${error instanceof HttpError ? error.status : error}`),
        );
        await nextTurn();
      },
      async end(name: string): Promise<void> {
        of(name).response.end();
        of(name).response.emit('close');
        await nextTurn();
      },
    };
  }

  it('are two, however often requests begin and end', async () => {
    const { log, begin, end } = startRequests();
    for (const name of ['a', 'b', 'c']) await begin(name);
    await end('a');
    await end('b');
    for (const name of ['d', 'e']) await begin(name);
    expect(log).toEqual(['a works', 'b works', 'c works', 'd works']);
    for (const name of ['c', 'd', 'e']) await end(name);
    for (const name of ['f', 'g', 'h']) await begin(name);
    expect(log.slice(4)).toEqual(['e works', 'f works', 'g works']);
  });

  it('are given back once by each, however often it says so', async () => {
    const { log, begin, release, end } = startRequests();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await begin(name);
    await release('a');
    await release('a');
    await end('a');
    expect(log).toEqual(['a works', 'b works', 'c works']);
    // One that has none gives none.
    await release('d');
    expect(log.length).toBe(3);
  });

  it('are had again at once where one is free, and first of those that wait where none is', async () => {
    const { log, begin, release, resume, end } = startRequests();
    for (const name of ['a', 'b']) await begin(name);
    await release('a');
    await resume('a');
    // One that has its slot needs no other.
    await resume('a');
    expect(log).toEqual(['a works', 'b works', 'a works again', 'a works again']);
    for (const name of ['c', 'd', 'e']) await begin(name);
    await release('a');
    await release('b');
    for (const name of ['a', 'b']) await resume(name);
    expect(log.slice(4)).toEqual(['c works', 'd works']);
    await end('c');
    await end('d');
    expect(log.slice(6)).toEqual(['a works again', 'b works again']);
    await end('a');
    expect(log.slice(8)).toEqual(['e works']);
  });

  it('count a request that resumes as one that works', async () => {
    const { log, begin, release, resume } = startRequests();
    for (const name of ['a', 'b']) await begin(name);
    for (const name of ['a', 'b']) await release(name);
    for (const name of ['a', 'b']) await resume(name);
    await begin('c');
    expect(log).toEqual(['a works', 'b works', 'a works again', 'b works again']);
  });

  it('are not kept by a request that has ended, before or while it resumes', async () => {
    const { log, begin, release, resume, end } = startRequests();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await begin(name);
    await release('a');
    await release('b');
    expect(log.slice(2)).toEqual(['c works', 'd works']);
    await end('a');
    await resume('a');
    await resume('b');
    await end('b');
    await end('c');
    expect(log.slice(4)).toEqual(['a: 503', 'b: 503', 'e works']);
    await end('d');
    expect(log.slice(7)).toEqual(['f works']);
  });

  it('are asked for by no request that never began', async () => {
    const { log, begin, resume } = startRequests();
    await resume('x');
    for (const name of ['a', 'b']) await begin(name);
    expect(log).toEqual(['x works again', 'a works', 'b works']);
  });

  it('are waited for by a thousand, for requestWaitTimeoutMs', async () => {
    const { log, begin, end } = startRequests();
    for (const name of ['a', 'b']) await begin(name);
    for (let count = 0; count < waitingRequests; count += 1) await begin(`${count}`);
    await begin('one too many');
    await begin('another’s', 2);
    expect(log.slice(2)).toEqual(['one too many: 503', 'another’s works']);
    vi.advanceTimersByTime(requestWaitTimeoutMs - 1);
    await end('a');
    expect([log.slice(4), vi.getTimerCount()]).toEqual([['0 works'], waitingRequests - 1]);
    vi.advanceTimersByTime(1);
    await nextTurn();
    expect(log.slice(5)).toEqual(Array.from({ length: waitingRequests - 1 }, (_, count) => `${count + 1}: 503`));
    expect(vi.getTimerCount()).toBe(0);
    await end('b');
    await begin('c');
    expect(log.slice(4 + waitingRequests)).toEqual(['c works']);
  });
});
