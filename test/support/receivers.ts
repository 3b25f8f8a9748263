import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/*
 * Receivers of webhooks, well-behaved or not. Each runs until the test or the file that starts it has ended, or until its
 * `close`.
 */

/** A request as it was received. */
export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** Answers a request. */
export type Answer = (response: ServerResponse, request: Received) => void;

/** Called with each connection, at its beginning. */
export type Conduct = (socket: Socket) => void;

/** A private key and a certificate for it, in PEM. */
export type Certificate = { key: string; cert: string };

export type Receiver = {
  port: number;
  /** Where it listens, by its address. */
  url: string;
  /** How many connections there have been, and how many there are. */
  connections: { made: number; open: number };
  /** Ends its connections and stops listening. */
  close(): Promise<void>;
};

/** Where to listen: 127.0.0.1 and a free port, unless it says otherwise. */
type Place = { host?: string; port?: number };

const urlOf = (scheme: string, host: string, port: number): string =>
  `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`;

async function listen(server: Server, scheme: string, { host = '127.0.0.1', port = 0 }: Place): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const connections = { made: 0, open: 0 };
  server.on('connection', (socket) => {
    sockets.add(socket);
    connections.made += 1;
    connections.open += 1;
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open -= 1;
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');

  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  if (TestRunner.getCurrentTest()) onTestFinished(close);
  else afterAll(close);
  return { port: address.port, url: urlOf(scheme, host, address.port), connections, close };
}

/** Speaks HTTP, notes each request once it is whole, and answers 200 unless `answer` does otherwise. */
export async function startReceiver(
  answer: Answer = (response) => void response.end(),
  { certificate, ...place }: Place & { certificate?: Certificate } = {},
): Promise<Receiver & { received: Received[] }> {
  const received: Received[] = [];
  const server = certificate ? createHttpsServer(certificate) : createHttpServer();
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => void chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const noted = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      received.push(noted);
      answer(response, noted);
    });
  });
  return { ...(await listen(server, certificate ? 'https' : 'http', place)), received };
}

/** Returns these statuses in turn, and goes on with the last. */
export function inTurn(...statuses: number[]): Answer {
  const left = [...statuses];
  return (response) => void response.writeHead((left.length > 1 ? left.shift() : left[0]) ?? 200).end();
}

/** A receiver that answers as it was last told to: with a status, or not yet. */
export async function startToldReceiver(status?: number) {
  let now = status;
  const waiting: ServerResponse[] = [];
  const receiver = await startReceiver((response) => {
    if (now === undefined) waiting.push(response);
    else response.writeHead(now).end();
  });
  return {
    ...receiver,
    tell(next: number) {
      now = next;
      for (const response of waiting.splice(0)) response.writeHead(next).end();
    },
  };
}

/** Calls `conduct` for each connection. */
export const startRawReceiver = (conduct: Conduct, place: Place = {}): Promise<Receiver> =>
  listen(createServer(conduct), 'http', place);

/** Reads, and never answers. */
export const neverAnswers: Conduct = (socket) => void socket.resume();

export const closesAtOnce: Conduct = (socket) => void socket.resume().end();

export const resetsAtOnce: Conduct = (socket) => void socket.resetAndDestroy();

/** When a request comes, sends a text, and then leaves the connection open, closes it or resets it. */
export const says =
  (text: string, then: 'stays' | 'closes' | 'resets' = 'stays'): Conduct =>
  (socket) =>
    void socket.once('data', () => {
      socket.write(text);
      if (then === 'closes') socket.end();
      // A moment later, because what is sent with a reset may never be read.
      if (then === 'resets') setTimeout(() => socket.resetAndDestroy(), 20);
    });

/** When a request comes, sends a text, and then a piece every few milliseconds for as long as it can. */
export const drips =
  (text: string, piece: string): Conduct =>
  (socket) =>
    void socket.once('data', () => {
      socket.write(text);
      const timer = setInterval(() => socket.write(piece), 5);
      socket.on('close', () => clearInterval(timer));
    });

/** When a request comes, sends a text and a number of zero bytes, as fast as they are read. */
export const pours =
  (text: string, bytes: number): Conduct =>
  (socket) =>
    void socket.once('data', () => {
      let left = bytes;
      const pour = (): void => {
        while (left > 0 && !socket.destroyed) {
          const size = Math.min(left, 64 * 1024);
          left -= size;
          if (!socket.write(Buffer.alloc(size))) return;
        }
      };
      socket.on('drain', pour).write(text);
      pour();
    });

/** An address to which no connection can be made: a listener that never accepts, with a full queue. */
export async function startFullReceiver({ host = '127.0.0.1' }: Place = {}): Promise<{ port: number; url: string }> {
  const program = `
    const server = require('node:net').createServer();
    server.listen({ host: '${host}', port: 0, backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [written] = await once(child.stdout, 'data');
  const port = Number(written);
  const sockets = Array.from({ length: 8 }, () => connect(port, host).on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.race(sockets.map((socket) => once(socket, 'connect')));
  return { port, url: urlOf('http', host, port) };
}

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const derOid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const derTime = (time: Date): Buffer => der(0x17, Buffer.from(time.toISOString().replaceAll(/^..|[-T:]|\.\d+/g, '')));
const derHost = (host: string): Buffer =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

/**
 * A new self-signed certificate for host names and IPv4 addresses (RFC 5280), valid for some hours, or until so many
 * ago.
 */
export function makeCertificate(hosts: readonly string[], { expired = false, lasts = 1 } = {}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const hours = (count: number): Date => new Date(Date.now() + count * 3_600_000);
  const ecdsaWithSha256 = sequence(derOid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(derOid('550403'), der(0x0c, Buffer.from('receiver')))));
  const alternativeNames = sequence(derOid('551d11'), der(0x04, sequence(...hosts.map(derHost))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(derTime(hours(-2)), derTime(hours(expired ? -lasts : lasts))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const certificate = sequence(content, ecdsaWithSha256, signature).toString('base64');
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
