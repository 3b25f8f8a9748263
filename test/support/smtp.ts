import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { atEnd } from './at-end.ts';

/** A mail that a server was given: the envelope, and the message as it came over the wire, dots unstuffed. */
/** `to`: the envelope's, with `xn--` decoded by the server. */
type ReceivedMail = { from: string; to: string[]; raw: Buffer; user: string | undefined; isSecure: boolean };

/** `data` is while the message comes in, `message` after its end. */
export type Stage = 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message';

/**
 * A server's behaviour at a stage: it says nothing any more, nothing until the next `makeTrouble`, says a little over and over
 * and never finishes, cuts the connection, or refuses (not in `data`, where SMTP has no reply). `to`: only for this recipient,
 * at `rcpt`.
 */
export type Trouble = {
  at: Stage;
  does: 'hang' | 'wait' | 'drip' | 'close' | { code: number; text: string };
  to?: string;
};

export type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

const DRIP_MS = 10;
const CLOSE_MS = 1_000;

/**
 * A real SMTP server on a loopback port. It demands `login`, if there is one. `tls`: it offers STARTTLS, or speaks TLS
 * from the start, with a certificate that nobody signed. It takes no message of more than `maxBytes`, and answers each
 * after `delayMs`.
 */
export async function startSmtpServer({
  port = 0,
  login,
  tls,
  maxBytes,
  delayMs = 0,
}: {
  port?: number;
  login?: { user: string; password: string };
  tls?: 'starttls' | 'smtps';
  maxBytes?: number;
  delayMs?: number;
} = {}) {
  const received: ReceivedMail[] = [];
  const sockets = new Map<number, Socket>();
  const held: Readable[] = [];
  const late: (() => void)[] = [];
  let met = 0;
  const connections = { opened: 0, most: 0 };
  let trouble: Trouble | undefined;

  /** Calls back at once, unless there is trouble at this stage. */
  function pass(stage: Stage, session: { remotePort: number }, callback: (error?: Error) => void, to?: string): void {
    if (trouble?.at !== stage || (trouble.to ?? to) !== to) {
      callback();
      return;
    }
    const { does } = trouble;
    const socket = sockets.get(session.remotePort);
    met += 1;
    if (typeof does === 'object') callback(Object.assign(new Error(does.text), { responseCode: does.code }));
    else if (does === 'wait') late.push(callback);
    else if (does === 'close') socket?.destroy();
    else if (does === 'drip') {
      const code = stage === 'greeting' ? 220 : stage === 'auth' ? 235 : 250;
      const timer = setInterval(() => socket?.write(`${code}-wait\r\n`), DRIP_MS);
      socket?.once('close', () => clearInterval(timer));
    }
  }

  const options: SMTPServerOptions = {
    logger: false,
    name: 'mail.test',
    disableReverseLookup: true,
    closeTimeout: CLOSE_MS,
    allowInsecureAuth: true,
    secure: tls === 'smtps',
    size: maxBytes,
    rejectOversized: true,
    disabledCommands: [...(login ? [] : ['AUTH']), ...(tls === 'starttls' ? [] : ['STARTTLS'])],
    onConnect: (session, callback) => pass('greeting', session, callback),
    onMailFrom: (_address, session, callback) => pass('mail', session, callback),
    onRcptTo: ({ address }, session, callback) => pass('rcpt', session, callback, address),
    onAuth({ username, password }, session, callback) {
      pass('auth', session, (error) => {
        const isOwner = username === login?.user && password === login?.password;
        callback(error, isOwner ? { user: username } : { message: 'Who are you?' });
      });
    },
    onData(stream, session, callback) {
      if (trouble?.at === 'data') {
        stream.on('error', () => undefined).once('readable', () => pass('data', session, callback));
        held.push(stream);
        return;
      }
      buffer(stream).then(
        (raw) =>
          pass('message', session, (error) => {
            if (!error) {
              const { mailFrom, rcptTo } = session.envelope;
              received.push({
                from: mailFrom === false ? '' : mailFrom.address,
                to: rcptTo.map(({ address }) => address),
                raw,
                user: session.user,
                isSecure: session.secure,
              });
            }
            setTimeout(() => callback(error, 'kept as number 7'), delayMs);
          }),
        () => undefined,
      );
    },
  };
  const server = new SMTPServer(options);
  // Clients that go away in the middle.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    connections.opened += 1;
    connections.most = Math.max(connections.most, sockets.size);
    socket.once('close', () => sockets.delete(remotePort));
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');

  return {
    port: address.port,
    url: `${tls === 'smtps' ? 'smtps' : 'smtp'}://${login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''}127.0.0.1:${address.port}`,
    received,
    /** How many connections there have been, and how many at once. */
    connections,
    /** The connections that there are; without TLS. */
    sockets,
    /** How often trouble was met. */
    met: () => met,
    /** From now on; without an argument, no more: what is held in the middle of a message reads on. */
    makeTrouble(next?: Trouble) {
      trouble = next;
      for (const stream of held.splice(0)) stream.resume();
      for (const answer of late.splice(0)) answer();
    },
    async close() {
      // Node crashes where a socket goes away under a TLS handshake: there, the client ends it.
      if (tls === undefined) for (const socket of sockets.values()) socket.destroy();
      server.close();
      await once(server.server, 'close');
    },
  };
}

/** Starts a mail server for all tests of a file, which awaits it at its top. It is closed after them. */
export async function testSmtpServer(...settings: Parameters<typeof startSmtpServer>): Promise<SmtpServer> {
  const server = await startSmtpServer(...settings);
  atEnd(server.close);
  return server;
}

type Headers = [name: string, value: string][];

/**
 * A message (RFC 5322) of one part or several (RFC 2046): its headers unfolded, its parts' text decoded, lines ended by
 * LF.
 */
export type ReadMail = { headers: Headers; parts: { headers: Headers; text: string }[] };

export function readMail(raw: Buffer): ReadMail {
  const { headers, body } = split(raw.toString('latin1'));
  const [, boundary] = /boundary="([^"]+)"/.exec(headerOf(headers, 'Content-Type')) ?? [];
  const bodies =
    boundary === undefined
      ? []
      : `\r\n${body}`
          .split(`\r\n--${boundary}`)
          .slice(1, -1)
          .map((part) => split(part.slice(2)));
  return {
    headers,
    parts: bodies.map((part) => ({
      headers: part.headers,
      text: decode(part.body, headerOf(part.headers, 'Content-Transfer-Encoding')).toString().replaceAll('\r\n', '\n'),
    })),
  };
}

/** The value of the one header of that name; throws where there are none or several. */
export function headerOf(headers: Headers, name: string): string {
  const [value, ...others] = headers.filter(([each]) => each === name).map(([, each]) => each);
  if (value === undefined || others.length > 0) throw new Error(`The header ${name} is not there once`);
  return value;
}

/** Text without encoded words (RFC 2047). */
export const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding, word) =>
      /b/i.test(encoding)
        ? Buffer.from(word, 'base64').toString()
        : decode(word.replaceAll('_', ' '), 'quoted-printable').toString(),
    );

function split(text: string): { headers: Headers; body: string } {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  return {
    headers: lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    body: text.slice(end + 4),
  };
}

/** `text` has a character for each byte. */
function decode(text: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(text, 'latin1');
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1');
}
