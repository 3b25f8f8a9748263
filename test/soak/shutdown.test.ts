import { Agent, request as httpRequest } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/db/account/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { inParallel, ms, record } from '../support/figures.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, JSON_TYPE, PAGES_DOMAIN } from '../support/service.ts';

const SIGTERMS = 10;
const PROCESSES = 4;
const CLIENTS = 12;
const SLOW_MS = 3_000;
const SETTINGS = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' };

let database: FreshDatabase;
let settings: Record<string, string>;
let slug: string;
let forms: string[];
let key: string;
beforeAll(async () => {
  database = await cloneDatabase();
  settings = { ...SETTINGS, DATABASE_URL: database.url };
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await db.close();
  const service = await startServiceProcess(settings);
  await service.ready();
  const owner = asOwner(service.url, key);
  ({ slug } = await owner.deploy());
  forms = (await Promise.all(Array.from({ length: 60 }, () => owner.deploy()))).map(({ id }) => id);
  await service.stop();
});
afterAll(() => database.drop());

/** A request: when its last byte had been handed to the kernel, and what came of it. */
type Sent = { what: string; sentAt: number; outcome: string };

/** Load of all kinds on a service, until it ends: whatever was sent, and what came of it. */
function startLoad(url: string) {
  const sent: Sent[] = [];
  const stopping = new AbortController();
  const { hostname, port } = new URL(url);

  const send = (
    what: string,
    agent: Agent | false,
    { method, path, headers, body }: { method: string; path: string; headers: Record<string, string>; body: string },
  ): Promise<void> =>
    new Promise((resolve) => {
      const note = { what, sentAt: Number.POSITIVE_INFINITY, outcome: 'pending' };
      sent.push(note);
      const out = httpRequest({ agent, host: hostname, port, method, path, headers }, (response) => {
        response
          .on('error', (error) => {
            note.outcome = error.message;
            resolve();
          })
          .on('end', () => {
            note.outcome = `${response.statusCode}`;
            resolve();
          })
          .resume();
      });
      out.on('finish', () => {
        note.sentAt = performance.now();
      });
      out.on('error', (error) => {
        note.outcome = error.message;
        resolve();
      });
      out.end(body);
    });

  const page = { method: 'GET', path: '/', headers: { Host: `${slug}.${PAGES_DOMAIN}` }, body: '' };
  const api = (form: string) => ({
    ...{ method: 'GET', path: `/submissions/${form}`, headers: { Authorization: `Bearer ${key}` }, body: '' },
  });
  const submit = (form: string) => ({ method: 'POST', path: `/submit/${form}`, headers: JSON_TYPE, body: '{"a":"b"}' });

  const loops = Array.from({ length: CLIENTS }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = client; !stopping.signal.aborted; turn += 1) {
      const form = forms[turn % forms.length] ?? '';
      const what = [page, api(form), submit(form)][turn % 3] ?? page;
      if (client % 2 === 0) await send('kept', agent, what);
      else await send('new', false, what);
      if (sent.at(-1)?.outcome.includes('ECONNREFUSED')) await delay(20);
    }
    agent.destroy();
  });

  /** An upload whose last byte comes after some seconds. */
  const uploadSlowly = (lasting: number): Promise<void> =>
    new Promise((resolve) => {
      const form = forms[Math.floor(Math.random() * forms.length)] ?? '';
      const note = { what: 'slow', sentAt: Number.POSITIVE_INFINITY, outcome: 'pending' };
      sent.push(note);
      const body = '{"slow":"upload"}';
      const socket = connectSocket(Number(port), hostname);
      let answer = '';
      socket.setEncoding('latin1').on('data', (text) => {
        answer += text;
        socket.end();
      });
      socket.once('error', (error) => {
        note.outcome = error.message;
      });
      socket.once('close', () => {
        if (note.outcome === 'pending')
          note.outcome = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'closed without an answer';
        resolve();
      });
      const head = `POST /submit/${form} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(head + body.slice(0, 4), () => {
        note.sentAt = performance.now();
      });
      setTimeout(() => socket.write(body.slice(4)), lasting);
    });

  return {
    sent,
    uploadSlowly,
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

const GOOD = new Set(['200', '429']);

describe.each([
  { workers: '1', times: SIGTERMS },
  { workers: '2', times: 4 },
])('$times SIGTERMs under load with WORKERS=$workers', ({ workers, times }) => {
  it('reset nothing that was under way or sent before, and end with exit code 0', async () => {
    const broken: Sent[] = [];
    const ends: { code: number | null; stdout: string; stderr: string }[] = [];
    const took: number[] = [];
    let answered = 0;

    async function stopOnce(): Promise<void> {
      const service = await startServiceProcess({ ...settings, WORKERS: workers });
      onTestFinished(() => void service.child.kill('SIGKILL'));
      await service.ready();
      const load = startLoad(service.url);
      await delay(300 + Math.random() * 300);
      const slow = Promise.all([500, 1_500, SLOW_MS].map((lasting) => load.uploadSlowly(lasting)));
      await delay(200);
      const signalledAt = performance.now();
      const end = service.stop();
      await delay(300);
      await load.stop();
      ends.push(await end);
      took.push(performance.now() - signalledAt);
      await slow;
      const before = load.sent.filter(({ sentAt }) => sentAt < signalledAt);
      answered += before.length;
      broken.push(...before.filter(({ outcome }) => !GOOD.has(outcome)));
    }
    await inParallel(Array.from({ length: times }), PROCESSES, stopOnce);

    record(`shutdown (WORKERS=${workers})`, {
      SIGTERMs: times,
      'sent before and reset': `${broken.length} of ${answered}`,
      'exit codes': ends.map(({ code }) => code).join(' '),
      'the slowest after': ms(Math.max(...took)),
    });
    expect(broken).toEqual([]);
    expect(ends).toEqual(ends.map(() => ({ code: 0, stdout: '', stderr: '' })));
  });
});
