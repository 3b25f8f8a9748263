import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { atEnd } from './at-end.ts';

/** The values of the records of a name, or an answer that is none of them; `silence`: no answer. */
type Reply = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 5: 'CNAME', 16: 'TXT', 28: 'AAAA' };
const CODES: Readonly<Record<string, number>> = { SERVFAIL: 2, NXDOMAIN: 3 };
/** TXT records are sent in pieces, as long ones are. */
const MAX_CHUNK_BYTES = 20;

const withLength = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);
const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => withLength(Buffer.from(label))), Buffer.from([0])]);

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const starts = Array.from({ length: Math.ceil(bytes.length / MAX_CHUNK_BYTES) }, (_none, n) => n * MAX_CHUNK_BYTES);
  return Buffer.concat(starts.map((start) => withLength(bytes.subarray(start, start + MAX_CHUNK_BYTES))));
}

function encodeValue(type: string, value: string): Buffer {
  if (type === 'TXT') return encodeText(value);
  return type === 'CNAME' ? encodeName(value) : Buffer.from(ipaddr.parse(value).toByteArray());
}

/** The question of a message (RFC 1035, 4.1): its name, its type, and where it ends. */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function encodeAnswer(message: Buffer, question: { type: number; end: number }, reply: Reply): Buffer {
  const values = typeof reply === 'string' ? [] : reply;
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580 + (typeof reply === 'string' ? (CODES[reply] ?? 0) : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  const records = values.map((value) => {
    const data = encodeValue(TYPES[question.type] ?? '', value);
    // A pointer to the name of the question, the type, the class IN, a TTL of 0 and the length.
    const head = Buffer.from([0xc0, 12, 0, question.type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, message.subarray(12, question.end), ...records]);
}

/** A name server on this machine, over UDP. Names that it was not given do not exist. */
export async function startDnsServer() {
  const replies = new Map<string, Reply | Promise<Reply>>();
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', async (message, { address, port }) => {
    const { name, ...question } = readQuestion(message);
    const type = TYPES[question.type] ?? '';
    questions.push(`${type} ${name}`);
    const isName = [...replies.keys()].some((key) => key.endsWith(` ${name}`));
    const reply = await (replies.get(`${type} ${name}`) ?? (isName ? [] : 'NXDOMAIN'));
    if (reply !== 'silence') socket.send(encodeAnswer(message, question, reply), port, address, () => undefined);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  atEnd(() => socket.close());
  return {
    /** For DNS_SERVERS. */
    address: `127.0.0.1:${socket.address().port}`,
    /** Replies to questions from now on, by `TXT name.example`. A promise: once it settles. */
    replies,
    /** The questions so far, by type and name. */
    questions,
  };
}
