import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientAddressFrom, proxiesOf } from '../../src/http/request/client-address.ts';
import { HttpServer } from '../../src/http/server.ts';
import { LIMITS, type Limits } from '../../src/limits.ts';
import { testLimits } from '../support/test-limits.ts';

type Asked = { request: IncomingMessage; response: ServerResponse };
type Client = { socket: Socket; isClosed(): boolean; received(): string };

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const [ATTACKER, OTHER, ANOTHER] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

/** A server that notes what it is asked, and answers when the test does. */
async function startServer(server: Partial<Limits['server']>, trust: readonly string[] | 0 = 0) {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const http = new HttpServer((request, response) => void asked.push({ request, response }), testLimits({ server }), {
    baseUrl: 'http://api.test',
    isProxy: proxiesOf(trust),
    clientAddress: clientAddressFrom(trust),
  });
  const { port } = await http.listen(0, '127.0.0.1');
  onTestFinished(async () => {
    for (const { request } of asked) request.socket.destroy();
    for (const socket of sockets) socket.destroy();
    await http.close();
  });
  async function open(localAddress: string, text = ''): Promise<Client> {
    let received = '';
    let isClosed = false;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket
      .setEncoding('latin1')
      .on('data', (piece: string) => {
        received += piece;
      })
      .on('error', () => undefined)
      .on('close', () => {
        isClosed = true;
      });
    sockets.add(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    if (text !== '') socket.write(text);
    return { socket, isClosed: () => isClosed, received: () => received };
  }
  return {
    asked,
    open,
    /** A client with a request that is not answered yet. */
    async ask(localAddress: string, text = REQUEST): Promise<Client> {
      const before = asked.length;
      const client = await open(localAddress, text);
      await expect.poll(() => asked.length).toBe(before + 1);
      return client;
    },
  };
}

const areClosed = (clients: readonly Client[]) => expect.poll(() => clients.map((client) => client.isClosed()));

describe('the connections of a network', () => {
  it('are as many as its share: beyond it the oldest idle one is closed, and no other network notices', async () => {
    const { open, ask, asked } = await startServer({ connectionsOfNetwork: 3 });
    const other = await open(OTHER);
    const inUse = await ask(ATTACKER);
    const idle = [await open(ATTACKER), await open(ATTACKER), await open(ATTACKER), await open(ATTACKER)];
    await areClosed([other, inUse, ...idle]).toEqual([false, false, true, true, false, false]);
    asked[0]?.response.end('answered');
    await expect.poll(() => inUse.received()).toContain('answered');
    other.socket.write(REQUEST);
    await expect.poll(() => asked.length).toBe(2);
  });

  it('close when the newest comes and all are in use: the newest one', async () => {
    const { open, ask } = await startServer({ connectionsOfNetwork: 2 });
    const inUse = [await ask(ATTACKER), await ask(ATTACKER)];
    const newest = await open(ATTACKER);
    await areClosed([...inUse, newest]).toEqual([false, false, true]);
  });

  it('are found again once some have closed', async () => {
    const { open, ask } = await startServer({ connectionsOfNetwork: 2 });
    const inUse = [await ask(ATTACKER), await ask(ATTACKER)];
    const refused = [await open(ATTACKER), await open(ATTACKER), await open(ATTACKER)];
    await areClosed(refused).toEqual([true, true, true]);
    inUse[0]?.socket.destroy();
    await expect
      .poll(async () => {
        const again = await open(ATTACKER, REQUEST);
        await new Promise((resolve) => setImmediate(resolve));
        return again.isClosed();
      })
      .toBe(false);
  });
});

describe('the connections of a process', () => {
  it('are of all networks: one more takes the place of an idle one of the network with the most', async () => {
    const { open, ask } = await startServer({ connections: 5, connectionsOfNetwork: 4 });
    const few = await open(OTHER);
    const many = [await open(ATTACKER), await ask(ATTACKER), await open(ATTACKER), await open(ATTACKER)];
    const newest = [await ask(ANOTHER), await ask(ANOTHER)];
    await areClosed([few, ...many, ...newest]).toEqual([false, true, false, true, false, false, false]);
  });

  it('are taken from the network with the most, where all are in use, and never from one with as few', async () => {
    const { open, ask } = await startServer({ connections: 3 });
    const many = [await ask(ATTACKER), await ask(ATTACKER), await ask(ATTACKER)];
    await open(OTHER);
    await expect.poll(() => many.filter((client) => client.isClosed()).length).toBe(1);
    const equal = await startServer({ connections: 2 });
    const each = [await equal.ask(ATTACKER), await equal.ask(OTHER), await equal.open(ANOTHER)];
    await areClosed(each).toEqual([false, false, true]);
  });
});

describe('the connections of a proxy that is trusted', () => {
  const from = (address: string): string => REQUEST.replace('\r\n\r\n', `\r\nX-Forwarded-For: ${address}\r\n\r\n`);

  it('may be all of the process, and each client has a share of the requests under way', async () => {
    const { asked, open, ask } = await startServer({ connectionsOfNetwork: 2 }, [ATTACKER]);
    const idle = await Promise.all(Array.from({ length: 5 }, () => open(ATTACKER)));
    await ask(ATTACKER, from('203.0.113.1'));
    await ask(ATTACKER, from('2001:db8::1'));
    await ask(ATTACKER, from('203.0.113.1'));
    const refused = await open(ATTACKER, from('203.0.113.1'));
    await expect.poll(() => refused.received()).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: \d+\r\n.*"error":/s);
    await ask(ATTACKER, from('203.0.113.2'));
    // The address is in the network of the one above.
    await ask(ATTACKER, from('2001:db8::2'));
    const alsoRefused = await open(ATTACKER, from('2001:db8:0:1::3'));
    await expect.poll(() => alsoRefused.received()).toMatch(/^HTTP\/1\.1 503 /);
    asked[0]?.response.end();
    await expect.poll(() => asked[0]?.response.closed).toBe(true);
    await ask(ATTACKER, from('203.0.113.1'));
    expect(idle.map((client) => client.isClosed())).toEqual(idle.map(() => false));
  });
});

describe('a client that goes on with the body of a request that was answered without it', () => {
  it('is disconnected after refusedBodyTimeoutMs, and not when the body has come', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { asked, ask } = await startServer({});
    const head = REQUEST.replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\n');
    const [slow, done] = [await ask(OTHER, head), await ask(OTHER, head)];
    for (const { response } of asked) response.end('answered');
    await expect.poll(() => [slow, done].every((client) => client.received().endsWith('answered'))).toBe(true);
    done.socket.write('hello');
    await expect.poll(() => asked[1]?.request.complete).toBe(true);
    slow.socket.write('h');
    vi.advanceTimersByTime(testLimits().requests.refusedBodyTimeoutMs - 1);
    expect(asked.map(({ request }) => request.socket.destroyed)).toEqual([false, false]);
    vi.advanceTimersByTime(LIMITS.server.readingPaceCheckIntervalMs);
    expect(asked.map(({ request }) => request.socket.destroyed)).toEqual([true, false]);
  });
});
