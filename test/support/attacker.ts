import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { brotliCompressSync } from 'node:zlib';

/*
 * A program that attacks a service in one way until it is stopped. It gets its task as JSON in its argument, and writes
 * how many answers of each status there were. Its requests are bounded: it stops by itself after MAX_REQUESTS.
 */

export type Task = { url: string; attack: keyof typeof ATTACKS; keys: readonly string[]; deploymentId: string };

const MAX_REQUESTS = 20_000;
const CONNECTIONS: Partial<Record<string, number>> = { brotli: 300, checks: 8 };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const DAY_MS = 86_400_000;
/** HTML that takes long to check: an element inside the other, very many times. */
const DEEP_PAGE = JSON.stringify({ html: `<form>${'<b>'.repeat(500_000)}` });
const LARGE_PAGE = JSON.stringify({ html: 'x'.repeat(2 * 1024 * 1024) });
/** Fourteen bytes, which become 1.8 MB. */
const BOMB = brotliCompressSync(Buffer.alloc(1_800_000, ' '));

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer };
type Answered = { status: number | undefined; body: string };
type Send = (sent: Sent) => Promise<Answered>;

const bearer = (key = ''): Record<string, string> => ({ Authorization: `Bearer ${key}` });

/** What one connection sends, again and again. `n` is the number of the turn. */
const ATTACKS = {
  /** Statistics over ranges that slide, of deployments that are deleted in between. */
  async statistics(send: Send, { keys: [key] }: Task, n: number) {
    const created = await send({
      method: 'POST',
      path: '/deploy',
      headers: { ...JSON_TYPE, ...bearer(key) },
      body: JSON.stringify({ html: '<form method=post></form>' }),
    });
    if (created.status !== 201) return;
    const { id }: { id: string } = JSON.parse(created.body);
    for (let i = 0; i < 20; i += 1) {
      const from = new Date(Date.now() - 30 * DAY_MS - (n * 20 + i) * 1_000).toISOString();
      const to = new Date(Date.now() - n * 1_000).toISOString();
      await send({ method: 'GET', path: `/deploy/${id}/stats?by=hour&from=${from}&to=${to}`, headers: bearer(key) });
    }
    await send({ method: 'DELETE', path: `/deploy/${id}`, headers: bearer(key) });
  },
  /** Small compressed bodies that are large when they are decoded. */
  brotli: (send: Send, { keys: [key] }: Task) =>
    send({
      method: 'POST',
      path: '/deploy',
      headers: { ...JSON_TYPE, 'Content-Encoding': 'br', ...bearer(key) },
      body: BOMB,
    }),
  /** Searches of large submissions of many words with a backslash. */
  search: (send: Send, { keys: [key], deploymentId }: Task) =>
    send({ method: 'GET', path: `/submissions/${deploymentId}/search?q=nothing+like+it`, headers: bearer(key) }),
  /** Pages of the largest size, published and deleted. */
  async storage(send: Send, { keys: [key] }: Task) {
    const headers = { ...JSON_TYPE, ...bearer(key) };
    const created = await send({ method: 'POST', path: '/deploy', headers, body: LARGE_PAGE });
    if (created.status !== 201) return;
    const { id }: { id: string } = JSON.parse(created.body);
    await send({ method: 'DELETE', path: `/deploy/${id}`, headers: bearer(key) });
  },
  /** Checks that run into their limit, for two owners. */
  checks: (send: Send, { keys }: Task, n: number) =>
    send({
      method: 'POST',
      path: '/check',
      headers: { ...JSON_TYPE, ...bearer(keys[n % keys.length]) },
      body: DEEP_PAGE,
    }),
  /** Cookies as large as a page can set them. */
  cookies: (send: Send) => send({ method: 'GET', path: '/me', headers: { Cookie: `a=${'x'.repeat(60_000)}` } }),
  /** Keys that nobody has. */
  keys: (send: Send, _task: Task, n: number) =>
    send({ method: 'GET', path: '/me', headers: bearer(`fh_${String(n * 7_919 + process.pid).padStart(43, '0')}`) }),
  /** Spam with files: robots that fill in a blocked word. */
  spam: (send: Send, { deploymentId }: Task) => {
    const content = 'x'.repeat(1024 * 1024);
    const body = `--b\r\nContent-Disposition: form-data; name="word"\r\n\r\nblocked\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--b--\r\n`;
    return send({
      method: 'POST',
      path: `/submit/${deploymentId}`,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body,
    });
  },
} as const;

async function attack(task: Task): Promise<void> {
  // It simulates other machines: it must not use the processor that the service and its database need.
  setPriority(constants.priority.PRIORITY_LOW);
  const connections = CONNECTIONS[task.attack] ?? 16;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses: Record<string, number> = {};
  let isStopping = false;
  let requests = 0;
  process.once('SIGTERM', () => {
    isStopping = true;
  });
  const send: Send = ({ method, path, headers = {}, body }) =>
    new Promise((resolve) => {
      requests += 1;
      const sent = request(task.url + path, { agent, method, headers }, async (response) => {
        const answered = await text(response).catch(() => '');
        statuses[`${response.statusCode}`] = (statuses[`${response.statusCode}`] ?? 0) + 1;
        resolve({ status: response.statusCode, body: answered });
      });
      sent.once('error', () => {
        statuses.failed = (statuses.failed ?? 0) + 1;
        resolve({ status: undefined, body: '' });
      });
      sent.end(body);
    });
  let turns = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!isStopping && requests < MAX_REQUESTS) {
        turns += 1;
        await ATTACKS[task.attack](send, task, turns);
      }
    }),
  );
  agent.destroy();
  process.stdout.write(JSON.stringify(statuses));
}

if (import.meta.main) await attack(JSON.parse(process.argv[2] ?? ''));
