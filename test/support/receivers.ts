import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, isIP, isIPv6, type Server, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
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

/**
 * The names that a DNS server knows: addresses, or whose alias one is; with `silent` it never says that it has none. A
 * name that begins with `*.` stands for all others at its place.
 */
export type Zone = Readonly<Record<string, readonly string[]>>;

const A = 1;
const CNAME = 5;
const AAAA = 28;

const dnsName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.of(0)]);

const entriesOf = (zone: Zone, name: string): readonly string[] | undefined =>
  zone[name] ?? zone[name.replace(/^[^.]*/, '*')];

/** The records that answer a question for a name: [owner, type, data]. */
function recordsOf(zone: Zone, name: string, type: number): [Buffer, number, Buffer][] {
  return (entriesOf(zone, name) ?? []).flatMap((entry) => {
    if (entry === 'silent') return [];
    if (!ipaddr.isValid(entry)) return [[dnsName(name), CNAME, dnsName(entry)], ...recordsOf(zone, entry, type)];
    const data = Buffer.from(ipaddr.parse(entry).toByteArray());
    return type === (data.length === 4 ? A : AAAA) ? [[dnsName(name), type, data]] : [];
  });
}

/** A DNS server (RFC 1035) for a zone. Notes what it is asked for; IPv6 takes it a moment longer. */
export async function startNameServer(zone: Zone): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  let isOpen = true;
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.');
    asked.push(name);
    const type = query.readUInt16BE(at + 1);
    const records = recordsOf(zone, name, type);
    if (records.length === 0 && zone[name]?.includes('silent')) return;
    const noSuchName = 3;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (entriesOf(zone, name) ? 0 : noSuchName), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map(([owner, type, data]) =>
      Buffer.concat([owner, Buffer.of(0, type, 0, 1, 0, 0, 1, 0, 0, data.length), data]),
    );
    const answer = Buffer.concat([head, query.subarray(12, at + 5), ...answers]);
    setTimeout(() => isOpen && server.send(answer, port, address), type === AAAA ? 20 : 0);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    isOpen = false;
    server.close();
  });
  return { address: `127.0.0.1:${server.address().port}`, asked };
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
