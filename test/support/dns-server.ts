import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4, isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Question } from 'dns-packet';
import { atEnd } from './at-end.ts';

/** The values of the records of a name, or an answer that is none of them; `silence`: no answer. */
type Reply = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

const CODES = { SERVFAIL: 2, NXDOMAIN: 3 };
/** TXT records are sent in pieces, as long ones are. */
const TXT_PIECE = /.{1,20}/g;

const recordOf = (name: string, type: string, value: string): Answer =>
  type === 'TXT'
    ? { name, type, data: value.match(TXT_PIECE) ?? [] }
    : { name, type: type === 'A' || type === 'AAAA' ? type : 'CNAME', data: value };

/** A name server on this machine, over UDP. */
async function listen(answer: (question: Question) => Promise<{ code?: number; answers: Answer[] } | 'silence'>) {
  const socket = createSocket('udp4');
  let isOpen = true;
  socket.on('message', async (message, { address, port }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const reply = question ? await answer(question) : 'silence';
    if (reply === 'silence' || !isOpen) return;
    const flags = AUTHORITATIVE_ANSWER | (reply.code ?? 0);
    socket.send(encode({ type: 'response', id, flags, questions, answers: reply.answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  atEnd(() => {
    isOpen = false;
    socket.close();
  });
  return `127.0.0.1:${socket.address().port}`;
}

/** A name server whose replies a test changes. Names that it was not given do not exist. Each answer has the CNAME record of its name. */
export async function startDnsServer() {
  const replies = new Map<string, Reply | Promise<Reply>>();
  const questions: string[] = [];
  const address = await listen(async ({ name: asked, type }) => {
    const name = asked.toLowerCase();
    questions.push(`${type} ${name}`);
    const isName = [...replies.keys()].some((key) => key.endsWith(` ${name}`));
    const reply = await (replies.get(`${type} ${name}`) ?? (isName ? [] : 'NXDOMAIN'));
    if (reply === 'silence') return reply;
    if (typeof reply === 'string') return { code: CODES[reply], answers: [] };
    const alias = type === 'CNAME' ? undefined : await replies.get(`CNAME ${name}`);
    const aliases = Array.isArray(alias) ? alias.map((value) => recordOf(asked, 'CNAME', value)) : [];
    return { answers: [...aliases, ...reply.map((value) => recordOf(asked, type, value))] };
  });
  return {
    /** For DNS_SERVERS. */
    address,
    /** Replies to questions from now on, by `TXT name.example`. A promise: once it settles. */
    replies,
    /** The questions so far, by type and name. */
    questions,
  };
}

/**
 * The names that a name server knows: addresses, or whose alias one is; with `silent` it never says that it has none. A
 * name that begins with `*.` stands for all others at its place.
 */
export type Zone = Readonly<Record<string, readonly string[]>>;

/** A name server for a zone, and the names that it was asked for. IPv6 takes it a moment longer. */
export async function startNameServer(zone: Zone): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const entriesOf = (name: string) => zone[name] ?? zone[name.replace(/^[^.]*/, '*')];
  const answersTo = (name: string, type: string): Answer[] =>
    (entriesOf(name) ?? []).flatMap((entry) => {
      if (entry === 'silent') return [];
      const isAddress = isIPv4(entry) || isIPv6(entry);
      if (!isAddress) return [recordOf(name, 'CNAME', entry), ...answersTo(entry, type)];
      return type === (isIPv4(entry) ? 'A' : 'AAAA') ? [recordOf(name, type, entry)] : [];
    });
  const address = await listen(async ({ name, type }) => {
    asked.push(name);
    const answers = answersTo(name, type);
    if (answers.length === 0 && zone[name]?.includes('silent')) return 'silence';
    if (type === 'AAAA') await delay(20);
    return { answers, code: entriesOf(name) ? 0 : CODES.NXDOMAIN };
  });
  return { address, asked };
}
