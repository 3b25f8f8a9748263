import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Resolver } from 'node:dns/promises';
import { getEventListeners } from 'node:events';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Resolve, resolveName } from '../../src/delivery/webhooks/resolve.ts';
import { secondsOf, WebhookClient } from '../../src/delivery/webhooks/webhook-client.ts';
import { parseCidr } from '../../src/lib/public-address.ts';
import { SIZES } from '../../src/sizes.ts';
import { aSentence } from '../support/answers.ts';
import { startNameServer, type Zone } from '../support/dns-server.ts';
import {
  type Answer,
  type Conduct,
  closesAtOnce,
  drips,
  makeCertificate,
  neverAnswers,
  pours,
  type Receiver,
  resetsAtOnce,
  says,
  startFullReceiver,
  startRawReceiver,
  startReceiver,
} from '../support/receivers.ts';
import { testLimits } from '../support/test-limits.ts';
import { ownAddress } from '../support/test-own-address.ts';

const KIB = 1024;
const LOOPBACK = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')];
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const MESSAGE = { id: 'msg_1', secrets: [SECRET], headers: { 'formhost-slug': 'a-form' }, body: '{"a":1}' };

const TIMED_OUT = 'the receiver did not answer completely within the time limit';
const CUT_OFF = 'the connection was closed before the answer was complete';
const NOT_HTTP = 'the answer is not HTTP';
const LONG_HEADERS = `the answer has more than ${SIZES.webhook.maxHeaderBytes} bytes of headers`;
const LONG_INTERIM = `the receiver sent more than ${SIZES.webhook.maxAnswerBytes} bytes with a status of 1xx`;
const SWITCHED = { status: 101, error: 'the receiver answered 101' };
const NO_STATUS = { status: 99, error: 'the receiver answered 99' };
const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${OK}content-length: 0\r\n\r\n`;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const BAD_CERTIFICATE = 'the certificate is not valid';

const toLoopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];

const toTwo: Resolve = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));

/** Sends to loopback; every name is 127.0.0.1 unless `resolve` says otherwise. */
function startSender(resolve: Resolve = toLoopback) {
  const client = new WebhookClient({ limits: testLimits(), allowedNetworks: LOOPBACK, own: ownAddress(), resolve });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= client.close());
  onTestFinished(close);
  return {
    close,
    // Other tests are about the text of an answer: delivery-attempts.test.ts.
    async send(url: string, signal = AbortSignal.timeout(15_000), message: Partial<typeof MESSAGE> = {}) {
      const { response: _text, ...attempt } = await client.send({ ...MESSAGE, ...message, url }, signal);
      return attempt;
    },
  };
}

/** One after the other, each in a turn of its own: a connection is free a turn after its answer. */
async function repeat<T>(times: number, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let count = 0; count < times; count += 1) {
    results.push(await act());
    await nextTurn();
  }
  return results;
}

const eventually = (check: () => void) => vi.waitFor(check, { interval: 5, timeout: 60_000 });

const isLetGo = (receiver: Receiver) => eventually(() => expect(receiver.connections.open).toBe(0));

function trust(...certificates: string[]): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, ...certificates]);
  onTestFinished(() => setDefaultCACertificates(trusted));
}

function atTime(time: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) });
  onTestFinished(() => void vi.useRealTimers());
}

describe('a webhook request', () => {
  it('is a signed POST of the body, and nothing else', async () => {
    atTime('2026-11-03T10:00:00.900Z');
    const receiver = await startReceiver();
    const { send } = startSender();
    const body = '{"naïve":"😀 \\u00e9 \u2028","b":1.10}';
    expect(await send(`${receiver.url}/hook/%2e?a=1&b=é#c`, undefined, { body })).toEqual({ status: 200 });
    expect(receiver.received).toEqual([
      {
        method: 'POST',
        path: '/hook/?a=1&b=%C3%A9',
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'user-agent': 'formhost',
          'webhook-id': 'msg_1',
          'webhook-timestamp': '1793700000',
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
          'formhost-delivery': 'msg_1',
          'formhost-slug': 'a-form',
          'content-length': String(Buffer.byteLength(body)),
        },
        body,
      },
    ]);
  });
});

describe('an answer', () => {
  it('is a success with a 2xx, and a failure with any other status, to which no redirect is an exception', async () => {
    const target = await startReceiver();
    const receiver = await startReceiver(
      (response, { path }) => void response.writeHead(Number(path.slice(1)), { location: target.url }).end(),
    );
    const { send } = startSender();
    for (const status of [200, 201, 204, 299]) expect(await send(`${receiver.url}/${status}`)).toEqual({ status });
    for (const status of [300, 301, 302, 307, 308, 304, 400, 410, 429, 500, 599]) {
      const failed = { status, error: `the receiver answered ${status}` };
      expect(await send(`${receiver.url}/${status}`)).toEqual(failed);
    }
    expect(target.connections.made).toBe(0);
  });

  it.each<[string, Conduct, object]>([
    ['none: closed at once', closesAtOnce, { error: CUT_OFF }],
    ['none: reset at once', resetsAtOnce, { error: CUT_OFF }],
    ['half a body, closed', says(`${OK}content-length: 10\r\n\r\nabc`, 'closes'), { status: 200, error: CUT_OFF }],
    [
      'no last chunk',
      says(`${OK}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`, 'closes'),
      { status: 200, error: CUT_OFF },
    ],
    [
      'half the body of a failure',
      says('HTTP/1.1 503 No\r\nretry-after: 7\r\ncontent-length: 10\r\n\r\nabc', 'closes'),
      { status: 503, error: 'the receiver answered 503', retryAfter: 7 },
    ],
    ['another protocol', says('SSH-2.0-OpenSSH_9.6\r\n'), { error: NOT_HTTP }],
    ['a switch of it', says(`HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n${EMPTY}`), SWITCHED],
    ['a switch of it that names none', says(`HTTP/1.1 101 Go\r\n\r\n${EMPTY}`), SWITCHED],
    ['a status below 100', says('HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n', 'closes'), NO_STATUS],
    ['a part of an interim response', says('HTTP/1.1 100 Continue\r\n', 'closes'), { error: CUT_OFF }],
    ['an interim response alone', says(CONTINUE, 'closes'), { error: CUT_OFF }],
    ['interim responses without an end', pours(CONTINUE.repeat(10_000), 0), { error: LONG_INTERIM }],
    [
      'a long header of an interim response',
      says(`HTTP/1.1 103 Hints\r\nlink: ${'a'.repeat(17 * KIB)}\r\n\r\n${EMPTY}`),
      { error: LONG_HEADERS },
    ],
    [
      'a long header',
      says(`${OK}x: ${'a'.repeat(SIZES.webhook.maxHeaderBytes + KIB)}\r\n\r\n`),
      { error: LONG_HEADERS },
    ],
  ])('%s is a failure, and the connection is let go', async (_kind, conduct, attempt) => {
    const receiver = await startRawReceiver(conduct);
    expect(await startSender().send(receiver.url)).toEqual(attempt);
    await isLetGo(receiver);
    expect(receiver.connections.made).toBe(1);
  });

  it('of 50 MB is not read, and counts', async () => {
    const sockets: Socket[] = [];
    const size = 50_000_000;
    const receiver = await startRawReceiver((socket) => {
      sockets.push(socket);
      pours(`HTTP/1.1 500 X\r\ncontent-length: ${size}\r\n\r\n`, size)(socket);
    });
    expect(await startSender().send(receiver.url)).toEqual({ status: 500, error: 'the receiver answered 500' });
    await isLetGo(receiver);
    expect(sockets.map(({ bytesWritten }) => bytesWritten < size)).toEqual([true]);
  });

  it('that refuses the connection is a failure', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { send } = startSender(toTwo);
    const refused = { error: 'the connection was refused' };
    expect(await send(receiver.url)).toEqual(refused);
    expect(await send(`http://two.test:${receiver.port}`)).toEqual(refused);
  });

  it('does not come from a name that has no address', async () => {
    const { send } = startSender(() => Promise.reject(new Error('queryA ENOTFOUND nowhere.test')));
    expect(await send('http://nowhere.test/')).toEqual({ error: 'the name could not be resolved' });
  });
});

describe('responses before the answer', () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n';
  it.each<[string, string]>([
    ['100', CONTINUE],
    ['100 with headers of an answer', 'HTTP/1.1 100 Continue\r\nServer: IIS\r\nContent-Length: 284\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['100 that closes', 'HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n'],
    ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
    ['100 with line ends of LF', 'HTTP/1.1 100 Continue\n\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', hints],
    ['an unknown one', 'HTTP/1.1 177 Later\r\n\r\n'],
    ['several kinds', `${CONTINUE}HTTP/1.1 102 Processing\r\n\r\n${hints}${CONTINUE}`],
    ['two thousand', CONTINUE.repeat(2_000)],
  ])('are passed over, asked for or not, on one connection: %s', async (_kind, interim) => {
    let requests = 0;
    const receiver = await startRawReceiver((socket) => {
      socket.on('data', () => {
        requests += 1;
        socket.write(interim + (requests === 2 ? 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n' : EMPTY));
      });
    });
    const { send } = startSender();
    expect(await repeat(3, () => send(receiver.url))).toEqual([
      { status: 200 },
      { status: 500, error: 'the receiver answered 500' },
      { status: 200 },
    ]);
    expect([requests, receiver.connections.made]).toEqual([3, 1]);
  });

  it('may come one by one, over TLS too', async () => {
    const certificate = makeCertificate(['127.0.0.1']);
    trust(certificate.cert);
    const answer: Answer = async (response) => {
      for (let count = 0; count < 3; count += 1) {
        await new Promise<void>((resolve) => void response.writeEarlyHints({ link: '</a>; rel=preload' }, resolve));
        response.writeContinue();
        response.writeProcessing();
      }
      response.writeHead(201).end('done');
    };
    const receivers = [await startReceiver(answer), await startReceiver(answer, { certificate })];
    const { send } = startSender();
    for (const { url } of receivers) expect(await repeat(2, () => send(url))).toEqual(Array(2).fill({ status: 201 }));
  });

  it('end with the deadline, if no answer comes', async () => {
    const receiver = await startRawReceiver(drips(CONTINUE, 'HTTP/1.1 102 Processing\r\n\r\n'));
    const deadline = new AbortController();
    const sent = startSender().send(receiver.url, deadline.signal);
    await expect.poll(() => receiver.connections.open).toBe(1);
    deadline.abort();
    expect(await sent).toEqual({ error: TIMED_OUT });
    await isLetGo(receiver);
  });
});

describe('bytes after an answer', () => {
  it.each<[string, string, object]>([
    ['content of a 204', 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok', { status: 204 }],
    ['another answer', `${EMPTY}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`, { status: 200 }],
    ['no HTTP', `${EMPTY}unasked\r\n\r\n`, { status: 200 }],
  ])('change nothing, and no other request uses the connection: %s', async (_kind, text, attempt) => {
    const receiver = await startRawReceiver((socket) => void socket.on('data', () => socket.write(text)));
    const { send } = startSender();
    for (let count = 0; count < 3; count += 1) {
      expect(await send(receiver.url)).toEqual(attempt);
      await isLetGo(receiver);
    }
    expect(receiver.connections.made).toBe(3);
  });

  it('are no part of an answer that ends with its connection, closed or reset', async () => {
    const closed = await startRawReceiver(says('HTTP/1.1 200 OK\r\n\r\nthanks', 'closes'));
    const reset = await startRawReceiver(says('HTTP/1.1 200 OK\r\n\r\nthanks', 'resets'));
    const { send } = startSender();
    for (const { url } of [closed, reset]) expect(await send(url)).toEqual({ status: 200 });
  });
});

describe('a Google Apps Script', () => {
  const OUTPUT = 'https://script.googleusercontent.com/macros/echo?user_content_key=k&lib=l';
  const hosts = ['script.google.com', 'script.google.com.evil.test', 'xscript.google.com', 'google.com'];
  // One for all: of two trusted ones of the same name, the wrong one may be tried.
  const certificate = makeCertificate(hosts);

  /** Posts to a host, which leads to `location`. */
  async function post(location: string, { host = 'script.google.com', status = 302, scheme = 'https' } = {}) {
    trust(certificate.cert);
    const secure = scheme === 'https' ? { certificate } : {};
    const receiver = await startReceiver(
      (response) => void response.writeHead(status, { location }).end('Moved'),
      secure,
    );
    const attempt = await startSender().send(`${scheme}://${host}:${receiver.port}/macros/s/AKfycb/exec`);
    return { attempt, received: receiver.received.length };
  }

  it('that leads to its output has run: a success, and the way is not followed', async () => {
    expect(await post(OUTPUT)).toEqual({ attempt: { status: 302 }, received: 1 });
    expect(await post('HTTPS://SCRIPT.googleusercontent.com:443')).toEqual({ attempt: { status: 302 }, received: 1 });
  });

  it.each<[string, string, Parameters<typeof post>[1]]>([
    ['a page that signs in', 'https://accounts.google.com/ServiceLogin?continue=https://script.google.com', {}],
    ['a look-alike', 'https://script.googleusercontent.com.evil.test/', {}],
    ['a look-alike before it', 'https://evil.test/script.googleusercontent.com', {}],
    ['a user name', 'https://script.googleusercontent.com@evil.test/', {}],
    ['a subdomain', 'https://a.script.googleusercontent.com/', {}],
    ['another port', 'https://script.googleusercontent.com:8443/', {}],
    ['http', 'http://script.googleusercontent.com/', {}],
    ['a path', '/macros/echo', {}],
    ['nothing', '', {}],
    ['its output, from a look-alike', OUTPUT, { host: 'script.google.com.evil.test' }],
    ['its output, from a longer name', OUTPUT, { host: 'xscript.google.com' }],
    ['its output, from a shorter name', OUTPUT, { host: 'google.com' }],
    ['its output, without TLS', OUTPUT, { scheme: 'http' }],
    ['its output, with another status', OUTPUT, { status: 307 }],
  ])('has failed when it leads to %s', async (_where, location, from) => {
    const status = from?.status ?? 302;
    const error = `the receiver answered ${status}`;
    expect(await post(location, from)).toEqual({ attempt: { status, error }, received: 1 });
  });
});

describe('Retry-After', () => {
  it.each<[string, number]>([
    ['120', 120],
    ['007', 7],
    // It is ten seconds and a half past the hour.
    ['Tue, 03 Nov 2026 10:01:00 GMT', 50],
    ['Tue, 03 Nov 2026 10:00:11 GMT', 1],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Tuesday, 03-Nov-26 10:01:00 GMT', 50],
    ['Tue Nov  3 10:01:00 2026', 50],
  ])('%j is %d seconds', (value, seconds) => {
    atTime('2026-11-03T10:00:10.500Z');
    expect(secondsOf(value)).toBe(seconds);
  });

  it.each([
    ...['', '-1', '1.5', '1e3', '0x10', '5, 6', 'soon', '2026-11-03T10:01:00Z', 'Tue, 03 Nov 2026 10:01:00'],
    ...[
      'Tue, 03 Nov 2026 10:01:00 +0100',
      'Tue, 99 Nov 2026 10:01:00 GMT',
      'Tue, 03 Foo 2026 10:01:00 GMT',
      'Tue Foo  3 10:01:00 2026',
    ],
  ])('%j is ignored', (value) => {
    expect(secondsOf(value)).toBeUndefined();
  });

  it('is ignored when there are two, and read on a redirect too', async () => {
    const twice = await startReceiver(
      (response) => void response.writeHead(503, ['retry-after', '1', 'retry-after', '2']).end(),
    );
    const moved = await startReceiver((response) => void response.writeHead(302, { 'retry-after': '3' }).end());
    const { send } = startSender();
    expect(await send(twice.url)).toEqual({ status: 503, error: 'the receiver answered 503' });
    expect(await send(moved.url)).toEqual({ status: 302, error: 'the receiver answered 302', retryAfter: 3 });
  });
});

describe('the deadline', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
  const failed = 'HTTP/1.1 503 No\r\nretry-after: 7\r\ncontent-length: 1000000\r\n\r\n';

  it.each<[string, 'http' | 'https', Conduct, number, object]>([
    ['an answer', 'http', neverAnswers, 0, { error: TIMED_OUT }],
    ['a TLS handshake', 'https', neverAnswers, 0, { error: TIMED_OUT }],
    ['the rest of the body', 'http', drips(head, 'a'), head.length + 20, { status: 200, error: TIMED_OUT }],
    [
      'the rest of a failure',
      'http',
      drips(failed, 'a'),
      failed.length + 20,
      { status: 503, error: 'the receiver answered 503', retryAfter: 7 },
    ],
  ])('ends the wait for %s, and lets the connection go', async (_kind, scheme, conduct, bytes, attempt) => {
    const sockets: Socket[] = [];
    const receiver = await startRawReceiver((socket) => {
      sockets.push(socket);
      conduct(socket);
    });
    const deadline = new AbortController();
    const { send, close } = startSender();
    const sent = send(receiver.url.replace('http', scheme), deadline.signal);
    await expect
      .poll(() => sockets.map(({ bytesRead, bytesWritten }) => bytesRead > 0 && bytesWritten >= bytes))
      .toEqual([true]);
    // The reader has read two turns later what was written.
    for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
    deadline.abort();
    expect(await sent).toEqual(attempt);
    // Otherwise a handshake goes on for a while.
    await close();
    await isLetGo(receiver);
    expect(receiver.connections.made).toBe(1);
  });

  it('ends connecting, and close leaves no socket behind', async () => {
    const full = await startFullReceiver();
    const sockets: boolean[] = [];
    const note = (message: unknown): void => {
      if (!(message instanceof Object && 'socket' in message && message.socket instanceof Socket)) return;
      const at = sockets.push(false) - 1;
      message.socket.once('close', () => {
        sockets[at] = true;
      });
    };
    subscribe('net.client.socket', note);
    onTestFinished(() => void unsubscribe('net.client.socket', note));
    const deadline = new AbortController();
    const { send, close } = startSender();
    const sent = send(full.url, deadline.signal);
    await expect.poll(() => sockets).toEqual([false]);
    deadline.abort();
    expect(await sent).toEqual({ error: TIMED_OUT });
    await close();
    await expect.poll(() => sockets).toEqual([true]);
  });

  it('does not wait for a name to be looked up', async () => {
    const looking = vi.fn<Resolve>(() => new Promise(() => {}));
    const deadline = new AbortController();
    const sent = startSender(looking).send('http://slow.test/', deadline.signal);
    await expect.poll(() => looking).toHaveBeenCalledTimes(1);
    deadline.abort();
    expect(await sent).toEqual({ error: TIMED_OUT });
    expect(looking.mock.calls).toEqual([['slow.test']]);
  });

  it('that has passed lets nothing begin', async () => {
    const receiver = await startReceiver();
    expect(await startSender().send(receiver.url, AbortSignal.abort())).toEqual({ error: TIMED_OUT });
    expect(receiver.connections.made).toBe(0);
  });

  it('is not used up by an address that never answers', async () => {
    const full = await startFullReceiver();
    const receiver = await startReceiver(undefined, { host: '127.0.0.2', port: full.port });
    const { send } = startSender(toTwo);
    expect(await send(`http://two.test:${full.port}`, AbortSignal.timeout(5_000))).toEqual({ status: 200 });
    expect(receiver.received.length).toBe(1);
  });
});

describe('connections', () => {
  it('are used again after an answer, short or long, in chunks, or of a failure', async () => {
    const receiver = await startReceiver((response, { path }) => {
      response.writeHead(path === '/500' ? 500 : 200).write('no');
      response.end(path === '/long' ? Buffer.alloc(64 * KIB - 2) : '');
    });
    const { send } = startSender();
    for (const path of ['', '500', 'long', '']) await repeat(3, () => send(`${receiver.url}/${path}`));
    expect([receiver.received.length, receiver.connections]).toEqual([12, { made: 1, open: 1 }]);
  });

  it('that are kept and then end: the request is sent once', async () => {
    let requests = 0;
    const receiver = await startRawReceiver((socket) => {
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        else socket.end();
      });
    });
    const { send } = startSender();
    expect(await repeat(2, () => send(receiver.url))).toEqual([{ status: 200 }, { error: CUT_OFF }]);
    expect([requests, receiver.connections.made]).toEqual([2, 1]);
  });

  it('are as many as there are attempts at a time, and no more', async () => {
    const receiver = await startReceiver();
    const { send } = startSender();
    const signal = new AbortController().signal;
    await Promise.all(Array.from({ length: 16 }, () => repeat(5, () => send(receiver.url, signal))));
    expect([receiver.received.length, receiver.connections]).toEqual([80, { made: 16, open: 16 }]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('end with close, idle or in use', async () => {
    const receiver = await startReceiver((response, { path }) => path === '/quick' && response.end());
    const { send, close } = startSender();
    await send(`${receiver.url}/quick`);
    await nextTurn();
    const sent = [send(`${receiver.url}/held`), send(`${receiver.url}/held`)];
    await expect.poll(() => receiver.received.length).toBe(3);
    await close();
    expect(await Promise.all(sent)).toEqual([{ error: aSentence }, { error: aSentence }]);
    await isLetGo(receiver);
  });
});

describe('https', () => {
  it.each([
    ['that is not trusted', ['127.0.0.1', 'a.test'], false],
    ['of another host', ['127.0.0.2', 'b.test'], true],
  ])('refuses a certificate %s', async (_which, hosts, isTrusted) => {
    const certificate = makeCertificate(hosts);
    if (isTrusted) trust(certificate.cert);
    const receiver = await startReceiver(undefined, { certificate });
    const { send } = startSender();
    for (const host of ['127.0.0.1', 'a.test']) {
      expect(await send(`https://${host}:${receiver.port}`)).toEqual({ error: BAD_CERTIFICATE });
    }
    await isLetGo(receiver);
    expect(receiver.received).toEqual([]);
  });

  it('sends to a trusted receiver, on a connection that is used again and closed', async () => {
    const certificate = makeCertificate(['a.test', '127.0.0.1']);
    trust(certificate.cert);
    const receiver = await startReceiver(undefined, { certificate });
    const { send, close } = startSender();
    const urls = [`https://a.test:${receiver.port}/`, `https://127.0.0.1:${receiver.port}/`];
    for (const url of urls) expect(await repeat(2, () => send(url))).toEqual(Array(2).fill({ status: 200 }));
    expect([receiver.received.length, receiver.connections]).toEqual([4, { made: 2, open: 2 }]);
    await close();
    await isLetGo(receiver);
  });

  it('fails at a receiver that speaks no TLS', async () => {
    const receiver = await startRawReceiver(says('HTTP/1.1 400 Bad Request\r\n\r\n', 'closes'));
    const error = 'no secure connection could be made';
    expect(await startSender().send(receiver.url.replace('http', 'https'))).toEqual({ error });
    await isLetGo(receiver);
  });
});

describe('resolveName', () => {
  async function startResolve(zone: Zone, { timeout = 60_000, ipv6TimeoutMs = 60_000 } = {}) {
    const server = await startNameServer(zone);
    const dns = new Resolver({ timeout, tries: 1 });
    dns.setServers([server.address]);
    onTestFinished(() => dns.cancel());
    const limits = testLimits({ delivery: { ipv6TimeoutMs } });
    return { resolve: (name: string) => resolveName(name, dns, limits), asked: server.asked, dns };
  }

  it.each<[string, string[], string[]]>([
    ['both families, IPv4 first', ['2606:4700::1', '192.0.2.1'], ['192.0.2.1', '2606:4700::1']],
    ['IPv4 alone', ['192.0.2.1'], ['192.0.2.1']],
    ['IPv6 alone', ['2606:4700::1'], ['2606:4700::1']],
    ['IPv4 where nobody answers for IPv6', ['192.0.2.1', 'silent'], ['192.0.2.1']],
    ['IPv6 where nobody answers for IPv4', ['2606:4700::1', 'silent'], ['2606:4700::1']],
    ['an alias', ['other.test'], ['192.0.2.9', '2606:4700::9']],
  ])('gives %s', async (_kind, known, addresses) => {
    const zone = { 'a.test': known, 'other.test': ['192.0.2.9', '2606:4700::9'] };
    const { resolve } = await startResolve(zone, known.includes('silent') ? { timeout: 1_000 } : {});
    expect(await resolve('a.test')).toEqual(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  });

  it('does not wait long for who never answers for IPv6', async () => {
    const { resolve, dns } = await startResolve({ 'a.test': ['192.0.2.1', 'silent'] }, { ipv6TimeoutMs: 50 });
    const unanswered = dns.resolve6('a.test').catch((error) => error.code);
    expect(await Promise.race([unanswered, resolve('a.test')])).toEqual([{ address: '192.0.2.1', family: 4 }]);
  });

  it('asks anew each time', async () => {
    const { resolve, asked } = await startResolve({ 'a.test': ['192.0.2.1'] });
    await repeat(2, () => resolve('a.test'));
    expect(asked).toEqual(['a.test', 'a.test', 'a.test', 'a.test']);
  });

  it.each(['LocalHost', 'a.b.localhost.'])('asks nobody for %s', async (name) => {
    const { resolve, asked } = await startResolve({ [name]: ['192.0.2.1'] });
    expect(await resolve(name)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(asked).toEqual([]);
  });

  it('rejects a name that nobody knows, one without an address, and one that nobody answers for', async () => {
    const { resolve } = await startResolve({ 'empty.test': [], 'silent.test': ['silent'] }, { timeout: 1_000 });
    await expect(resolve('nowhere.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolve('empty.test')).rejects.toThrow();
    await expect(resolve('silent.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });
});
