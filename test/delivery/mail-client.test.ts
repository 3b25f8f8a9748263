import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { MailClient, type Message } from '../../src/delivery/mail/mail-client.ts';
import { aSentence } from '../support/answers.ts';
import { freePort } from '../support/process.ts';
import { headerOf, readMail, type Stage, startSmtpServer } from '../support/smtp.ts';
import { testLimits } from '../support/test-limits.ts';

const MAX_CONCURRENT_MAILS = testLimits().mail.concurrent;

const KIB = 1024;
const FROM = { name: 'Forms', address: 'forms@pages.example' };
const MESSAGE: Message = {
  id: 'dl_0123456789abcdefghijklmn',
  to: 'ada@owner.example',
  subject: 'New submission for my-page',
  text: 'name: Ada\n',
  html: '<p><b>name</b> Ada</p>\n',
};
/** More than the buffers between client and server hold. */
const HUGE = 'All work and no play.\n'.repeat(600 * KIB);
const LOGIN = { user: 'forms@pages.example', password: 'p@ss:w/rd' };
const TAKEN = { status: 250, response: '250 kept as number 7' };
const CLOSED = { error: 'the mail server closed the connection' };
const LATE = { error: 'the mail server did not answer in time' };
const DATE = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/);

/** Far longer than a case takes. */
const PATIENCE = { timeout: 60_000, interval: 10 };
const inTime = (): AbortSignal => AbortSignal.timeout(PATIENCE.timeout);

type Settings = Parameters<typeof startSmtpServer>[0] & { query?: string };

const clientOf = (smtpUrl: string) => new MailClient({ smtpUrl, from: FROM, limits: testLimits() });

/** A server, and what sends to it; both end with the test. */
async function start({ onTestFinished }: TestContext, { query = '', ...settings }: Settings = {}) {
  const server = await startSmtpServer(settings);
  const mail = clientOf(server.url + query);
  onTestFinished(async () => {
    mail.close();
    await server.close();
  });
  return {
    server,
    mail,
    send: (message: Partial<Message> = {}, signal = inTime()) => mail.send({ ...MESSAGE, ...message }, signal),
    /** The messages that arrived, as they read. */
    read: () => server.received.map(({ raw }) => readMail(raw)),
  };
}

const HEADER_NAMES = [
  ...['Auto-Submitted', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Reply-To', 'Subject', 'To'],
];
const namesOf = (headers: [string, string][]) => headers.map(([name]) => name).toSorted();

describe.concurrent('a mail', () => {
  it('arrives with this envelope, these headers and no others, and both parts', async (context) => {
    const { server, send, read } = await start(context);
    expect(await send({ replyTo: 'visitor@home.example' })).toEqual(TAKEN);
    const envelope = { from: 'forms@pages.example', to: ['ada@owner.example'], user: undefined, isSecure: false };
    expect(server.received).toEqual([{ ...envelope, raw: expect.any(Buffer) }]);
    const [arrived] = read();
    expect(Object.fromEntries(arrived?.headers ?? [])).toEqual({
      From: 'Forms <forms@pages.example>',
      To: 'ada@owner.example',
      'Reply-To': 'visitor@home.example',
      Subject: 'New submission for my-page',
      'Message-ID': '<dl_0123456789abcdefghijklmn@pages.example>',
      Date: DATE,
      'Auto-Submitted': 'auto-generated',
      'MIME-Version': '1.0',
      'Content-Type': expect.stringMatching(/^multipart\/alternative; boundary="[^"]+"$/),
    });
    expect(namesOf(arrived?.headers ?? [])).toEqual(HEADER_NAMES);
    expect(arrived?.parts.map(({ headers, text }) => [...namesOf(headers), headers[0]?.[1], text])).toEqual([
      ['Content-Transfer-Encoding', 'Content-Type', 'text/plain; charset=utf-8', MESSAGE.text],
      ['Content-Transfer-Encoding', 'Content-Type', 'text/html; charset=utf-8', MESSAGE.html],
    ]);
  });

  it('has a link that unsubscribes, in headers that are not folded into another', async (context) => {
    const { server, send, read } = await start(context);
    const url = `https://forms.pages.example/unsubscribe/d_${'1'.repeat(60)}?signature=${'s'.repeat(43)}`;
    await send({ unsubscribe: url });
    const [arrived] = read();
    expect(headerOf(arrived?.headers ?? [], 'List-Unsubscribe')).toBe(`<${url}>`);
    const lines = server.received[0]?.raw.toString('latin1').split('\r\n') ?? [];
    expect(lines.filter((line) => line.length > 998)).toEqual([]);
    // RFC 2369, 2: a URL is not broken up, and RFC 8058, 3.1: the second header is this text.
    const at = lines.findIndex((line) => line.startsWith('List-Unsubscribe:'));
    expect([`List-Unsubscribe: <${url}>`, 'List-Unsubscribe:']).toContain(lines[at]);
    expect(lines).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(namesOf(arrived?.headers ?? [])).toEqual(
      [...HEADER_NAMES.filter((name) => name !== 'Reply-To'), 'List-Unsubscribe', 'List-Unsubscribe-Post'].toSorted(),
    );
  });

  it.for([
    ['lines of 998 characters and one more', `${'x'.repeat(998)}\n${'y'.repeat(999)}\n`],
    ['characters of all planes', 'Grüße, Ωμέγα, 日本語, 👩🏽‍🚀, \u202eabc, \u0000\u0001\u007f\n'],
    ['dots at the starts of lines, and what ends a message', '.\n..\n.a\n\n.\nMAIL FROM:<eve@evil.example>\nDATA\n.'],
    ['256 KiB in many lines', '0123456789 ünd so weiter\n'.repeat(10 * KIB)],
  ])('arrives as it was: %s', async ([, text = ''], context) => {
    const { send, read, server } = await start(context);
    expect(await send({ text, html: `<pre>${text}` })).toEqual(TAKEN);
    expect(read().map(({ parts }) => parts.map((part) => part.text))).toEqual([[text, `<pre>${text}`]]);
    const lengths = server.received.flatMap(({ raw }) => raw.toString().split('\r\n')).map((line) => line.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(998);
  });
});

describe.concurrent('what a message says', () => {
  it.for<[string, Message]>([
    ['a subject with lines', { ...MESSAGE, subject: 'Hi\r\nBcc: eve@evil.example\r\n\r\nevil' }],
    ['an id with lines', { ...MESSAGE, id: 'dl_1>\r\nBcc: eve@evil.example\r\nX-A: <' }],
    ['a reply address with lines', { ...MESSAGE, replyTo: 'v@home.example\r\nBcc: eve@evil.example\r\n\r\nevil' }],
    ['two reply addresses', { ...MESSAGE, replyTo: 'v@home.example, eve@evil.example' }],
  ])('makes no header, recipient or part of its own: %s', async ([, message], context) => {
    const { mail, server, read } = await start(context);
    expect(await mail.send(message, inTime())).toEqual(TAKEN);
    expect(server.received.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 'forms@pages.example', to: ['ada@owner.example'] },
    ]);
    const [{ headers, parts } = { headers: [], parts: [] }] = read();
    expect(namesOf(headers)).toEqual(HEADER_NAMES.filter((name) => name !== 'Reply-To' || message.replyTo));
    expect([headerOf(headers, 'From'), headerOf(headers, 'To')]).toEqual([
      'Forms <forms@pages.example>',
      'ada@owner.example',
    ]);
    expect(parts.map(({ text }) => text)).toEqual([MESSAGE.text, MESSAGE.html]);
    const replies = headers.filter(([name]) => name === 'Reply-To');
    const replyTo = replies.map(([, value]) => value.replaceAll(/"[^"]*"/g, ''));
    expect(replyTo.filter((value) => value.includes(',') || value.split('@').length !== 2)).toEqual([]);
  });

  it.for([
    'ada@owner.example, eve@evil.example',
    'ada@owner.example\r\nBcc: eve@evil.example',
    'ada@owner.example>\r\nRCPT TO:<eve@evil.example',
    'Ada <eve@evil.example>',
    '',
  ])('sends nothing to the address %j, which is not one', async (to, context) => {
    const { server, send } = await start(context);
    expect(await send({ to })).toEqual(expect.objectContaining({ error: aSentence }));
    expect(server.received).toEqual([]);
    expect(await send()).toEqual(TAKEN);
  });

  it.for([{ path: '/etc/hostname' }, { href: 'http://127.0.0.1:9/' }])(
    'is text, and not what %o leads to',
    async (content, context) => {
      const { mail, server } = await start(context);
      const message: Message = JSON.parse(JSON.stringify({ ...MESSAGE, text: content }));
      expect(await mail.send(message, inTime())).toEqual({ error: aSentence });
      expect(server.received).toEqual([]);
    },
  );
});

describe.concurrent('an attempt', () => {
  it.for<[Stage, number]>([
    ['greeting', 554],
    ['mail', 550],
    ['rcpt', 450],
    ['rcpt', 550],
    ['message', 554],
  ])('that the server refuses (%s, %i) says so, and the next one is like any other', async ([at, code], context) => {
    const { server, send } = await start(context);
    server.makeTrouble({ at, does: { code, text: 'We do not like it' } });
    expect(await send()).toEqual({
      status: code,
      error: `the mail server answered ${code}`,
      response: `${code} We do not like it`,
      // For good, and because of the recipient or the mail: neither of the session nor of the sender.
      ...(['rcpt 550', 'message 554'].includes(`${at} ${code}`) && { isRefused: true }),
    });
    expect(server.received).toEqual([]);
    server.makeTrouble();
    expect(await send()).toEqual(TAKEN);
  });

  it.for<[Stage, string, boolean]>([
    ['rcpt', '5.1.1 No such mailbox', true],
    ['rcpt', '5.7.1 Client host is blocked', false],
    ['message', '5.2.1 Mailbox is disabled', true],
    ['message', '5.7.1 Spam', false],
  ])(
    'says whether the recipient is refused, by the code that the server adds (%s, %s)',
    async ([at, text, isRefused], context) => {
      const { server, send } = await start(context);
      server.makeTrouble({ at, does: { code: 550, text } });
      expect((await send()).isRefused ?? false).toBe(isRefused);
    },
  );

  it.for<Stage>(['greeting', 'auth', 'data', 'message'])(
    'over a connection that the server cuts (%s) says so, and the next one is like any other',
    async (at, context) => {
      const { server, send } = await start(context, { login: LOGIN });
      server.makeTrouble({ at, does: 'close' });
      expect(await send(at === 'data' ? { text: HUGE } : {})).toEqual(CLOSED);
      server.makeTrouble();
      expect(await send()).toEqual(TAKEN);
      expect(server.received).toHaveLength(1);
    },
  );

  it('says that nobody listens, until somebody does', async (context) => {
    const port = await freePort();
    const mail = clientOf(`smtp://127.0.0.1:${port}`);
    context.onTestFinished(() => mail.close());
    expect(await mail.send(MESSAGE, inTime())).toEqual({ error: 'the connection to the mail server was refused' });
    const server = await startSmtpServer({ port });
    expect(await mail.send(MESSAGE, inTime())).toEqual(TAKEN);
    await server.close();
  });

  it('says that who answers is no mail server', async (context) => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const mail = clientOf(`smtp://127.0.0.1:${port}`);
    context.onTestFinished(() => {
      mail.close();
      server.close();
    });
    expect(await mail.send(MESSAGE, inTime())).toEqual({ error: 'the mail server did not speak SMTP' });
  });
});

describe.concurrent('SMTP_URL', () => {
  it('may hold a user and a password, percent-encoded', async (context) => {
    const { send, server } = await start(context, { login: LOGIN });
    expect(await send()).toEqual(TAKEN);
    expect(server.received.map(({ user }) => user)).toEqual([LOGIN.user]);
  });

  it('with a wrong password is told, and the password is not, even by a server that repeats it', async (context) => {
    const { server } = await start(context, { login: LOGIN });
    const password = 'hunter-2';
    const mail = clientOf(server.url.replace(/:[^:@]*@/, `:${password}@`));
    context.onTestFinished(() => mail.close());
    const error = 'the mail server refused the user name or password';
    expect(await mail.send(MESSAGE, inTime())).toEqual({ status: 535, error, response: '535 Who are you?' });
    const token = Buffer.from(`\0${LOGIN.user}\0${password}`).toString('base64');
    const word = Buffer.from(password).toString('base64');
    server.makeTrouble({ at: 'auth', does: { code: 534, text: `No ${password} (${word}, ${token})` } });
    expect(await mail.send(MESSAGE, inTime())).toEqual({ status: 534, error, response: '534 No … (…, …)' });
    server.makeTrouble({ at: 'auth', does: { code: 454, text: 'Later' } });
    const later = { status: 454, error: 'the mail server answered 454', response: '454 Later' };
    expect(await mail.send(MESSAGE, inTime())).toEqual(later);
  });

  it.for<'starttls' | 'smtps'>(['starttls', 'smtps'])(
    'decides whether a certificate that nobody signed will do (%s)',
    async (tls, context) => {
      const strict = await start(context, { tls });
      expect(await strict.send()).toEqual({ error: 'the certificate of the mail server is not valid' });
      expect(strict.server.received).toEqual([]);
      const lenient = await start(context, { tls, query: '?tls.rejectUnauthorized=false' });
      expect(await lenient.send()).toEqual(TAKEN);
      expect(lenient.server.received.map(({ isSecure }) => isSecure)).toEqual([true]);
    },
  );
});

describe.concurrent('the connections', () => {
  it('are five at most, for many mails at once, of which each arrives once, and are used again', async (context) => {
    const { server, send, read } = await start(context);
    const ids = Array.from({ length: 15 }, (_, index) => `dl_${index}`);
    expect(await Promise.all(ids.map((id) => send({ id })))).toEqual(ids.map(() => TAKEN));
    expect([server.connections.most, server.connections.opened]).toEqual([MAX_CONCURRENT_MAILS, MAX_CONCURRENT_MAILS]);
    const arrived = read().map(({ headers }) => headerOf(headers, 'Message-ID'));
    expect(arrived.toSorted()).toEqual(ids.map((id) => `<${id}@pages.example>`).toSorted());
  });

  it.for<['end' | 'resetAndDestroy']>([['end'], ['resetAndDestroy']])(
    'that the server closed while they were idle (%s) fail no mail',
    async ([how], context) => {
      const { server, send } = await start(context);
      for (const moments of [0, 1, 2]) {
        const before = await Promise.all([send(), send()]);
        for (const socket of server.sockets.values()) socket[how]();
        for (let passed = 0; passed < moments; passed += 1) await new Promise((resolve) => setImmediate(resolve));
        expect([...before, ...(await Promise.all([send(), send()]))]).toEqual(Array.from({ length: 4 }, () => TAKEN));
      }
    },
  );

  it('end with close', async (context) => {
    const { server, mail, send } = await start(context);
    await Promise.all([send(), send()]);
    expect(server.sockets.size).toBe(2);
    server.makeTrouble({ at: 'message', does: 'hang' });
    const attempt = send();
    await vi.waitFor(() => expect(server.met()).toBe(1), PATIENCE);
    mail.close();
    await vi.waitFor(() => expect(server.sockets.size).toBe(0), PATIENCE);
    expect([await attempt, await send()]).toEqual([CLOSED, CLOSED]);
  });
});

describe.concurrent('the signal', () => {
  const late = Symbol('later than the signal');
  /** The value or error that a promise has settled with by now. */
  const now = <T>(promise: Promise<T>) =>
    Promise.race([promise, new Promise<typeof late>((resolve) => setImmediate(() => resolve(late)))]);

  it.for([
    ...(['greeting', 'rcpt', 'data'] as const).map((at) => ({ at, does: 'hang' }) as const),
    ...(['auth', 'message'] as const).map((at) => ({ at, does: 'drip' }) as const),
  ])(
    'ends an attempt at a server that only does $does ($at), its connection and its slot',
    async (trouble, context) => {
      const { server, send } = await start(context, { login: LOGIN, query: '?maxConnections=1' });
      const controller = new AbortController();
      server.makeTrouble(trouble);
      const attempt = send(trouble.at === 'data' ? { text: HUGE } : {}, controller.signal);
      await vi.waitFor(() => expect(server.met()).toBe(1), PATIENCE);
      expect(await now(attempt)).toBe(late);
      controller.abort();
      expect(await now(attempt)).toEqual(LATE);

      server.makeTrouble();
      expect(await send()).toEqual(TAKEN);
      await vi.waitFor(() => expect(server.sockets.size).toBe(1), PATIENCE);
      expect(server.received).toHaveLength(1);
    },
  );

  it('ends an attempt that waits for a connection, and no other', async (context) => {
    const { server, mail } = await start(context, { query: '?maxConnections=1' });
    server.makeTrouble({ at: 'message', does: 'hang' });
    const [first, second] = [new AbortController(), new AbortController()];
    const attempts = [first.signal, second.signal, inTime()].map((signal) => mail.send(MESSAGE, signal));
    await vi.waitFor(() => expect(server.met()).toBe(1), PATIENCE);
    second.abort();
    expect(await now(Promise.race(attempts))).toEqual(LATE);
    server.makeTrouble();
    first.abort();
    expect(await Promise.all(attempts)).toEqual([LATE, LATE, TAKEN]);
    expect(server.received).toHaveLength(1);
  });

  it('that has fired before lets nothing begin', async (context) => {
    const { server, send } = await start(context);
    expect(await send({}, AbortSignal.abort())).toEqual(LATE);
    expect(await send()).toEqual(TAKEN);
    expect([server.received.length, server.connections.opened]).toEqual([1, 1]);
  });
});
