import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MailClient, type Message } from '../../src/delivery/mail/mail-client.ts';
import { LIMITS } from '../../src/limits.ts';
import { type Stage, startSmtpServer, type Trouble } from '../support/smtp.ts';

const MESSAGE: Message = {
  ...{ id: 'dl_1', to: 'ada@owner.example', subject: 'New submission', text: 'name: Ada\n', html: '<p>Ada</p>\n' },
};
const LOGIN = { user: 'forms@pages.example', password: 'secret' };
const TAKEN = { status: 250, response: '250 kept as number 7' };
const LATE = { error: 'the mail server did not answer in time' };
const STAGES: readonly Stage[] = ['greeting', 'auth', 'mail', 'rcpt', 'message'];
const COMMANDS = STAGES.filter((stage) => stage !== 'message');
const { commandTimeoutMs, contentTimeoutMs } = LIMITS.mail;

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

/** The promise's value, if it has one by now. */
const now = <T>(promise: Promise<T>): Promise<T | 'pending'> =>
  Promise.race([promise, new Promise<'pending'>((resolve) => setImmediate(() => resolve('pending')))]);

function clientOf(smtpUrl: string) {
  const from = { name: 'Forms', address: 'forms@pages.example' };
  const client = new MailClient({ smtpUrl: `${smtpUrl}?maxConnections=1`, from, limits: LIMITS });
  onTestFinished(() => client.close());
  return () => client.send(MESSAGE, new AbortController().signal);
}

/** A mail that a server has begun to get, and holds up. Time passes when the test lets it. */
async function begin(trouble: Trouble) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startSmtpServer({ login: LOGIN });
  onTestFinished(server.close);
  server.makeTrouble(trouble);
  const send = clientOf(server.url);
  const sent = send();
  await eventually(() => expect(server.met()).toBe(1));
  return { server, send, sent };
}

it.each([
  ...COMMANDS.flatMap((at) => (['hang', 'drip'] as const).map((does) => ({ at, does, ms: commandTimeoutMs }))),
  { at: 'message', does: 'hang', ms: contentTimeoutMs } as const,
  { at: 'message', does: 'drip', ms: contentTimeoutMs } as const,
])('gives a server up that does only $does ($at) after $ms ms, and sends the next mail', async ({ ms, ...trouble }) => {
  const { server, send, sent } = await begin(trouble);
  vi.advanceTimersByTime(0.9 * ms);
  expect(await now(sent)).toBe('pending');
  vi.advanceTimersByTime(0.1 * ms);
  expect(await sent).toEqual(LATE);
  await eventually(() => expect(server.sockets.size).toBe(0));
  server.makeTrouble();
  expect([await send(), server.received.length]).toEqual([TAKEN, 1]);
});

it('sends one mail to a server that is late at each step, and over one connection', async () => {
  const { server, sent } = await begin({ at: 'greeting', does: 'wait' });
  // Each is met when the answer before it has been read: MAIL and RCPT are sent together.
  for (const [index, next] of (['auth', 'rcpt', 'message', undefined] as const).entries()) {
    await eventually(() => expect(server.met()).toBe(index + 1));
    vi.advanceTimersByTime(0.9 * (next ? commandTimeoutMs : contentTimeoutMs));
    expect(await now(sent)).toBe('pending');
    server.makeTrouble(next && { at: next, does: 'wait' });
  }
  expect([await sent, server.received.length, server.connections.opened]).toEqual([TAKEN, 1, 1]);
});

it('a server that does not answer RSET after a refusal keeps no other mail waiting', async () => {
  const sockets: Socket[] = [];
  const refused = '550 5.1.1 No such user';
  const server = createServer((socket) => {
    const isFirst = sockets.push(socket) === 1;
    let isContent = false;
    socket.on('error', () => undefined).write('220 mail.test\r\n');
    socket.on('data', (bytes) => {
      const text = bytes.toString();
      if (isContent) isContent = !text.endsWith('\r\n.\r\n');
      if (isContent || text.startsWith('RSET')) return;
      isContent = text.startsWith('DATA');
      socket.write(text.startsWith('RCPT') && isFirst ? `${refused}\r\n` : `${isContent ? 354 : 250} ok\r\n`);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  const send = clientOf(`smtp://127.0.0.1:${address.port}`);
  expect(await send()).toMatchObject({ status: 550, response: refused });
  expect(await send()).toMatchObject({ status: 250 });
  expect(sockets.length).toBe(2);
});
