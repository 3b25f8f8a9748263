import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import type { Attack, Task } from '../support/connection-flood.ts';
import { median, ms, record, timed } from '../support/figures.ts';
import { footprint, measurable } from '../support/memory.ts';
import { freePort } from '../support/process.ts';
import { publishSite } from '../support/publish-site.ts';
import { testProcess } from '../support/test-process.ts';
import { BASE_URL, PAGES_DOMAIN } from '../support/test-service.ts';

const PROGRAM = fileURLToPath(new URL('../support/connection-flood.ts', import.meta.url));
const [ATTACKER, VISITOR] = ['127.0.0.2', '127.0.0.9'];
const ATTACK_MS = 30_000;
const QUIET = 200;
const PAUSE_MS = 20;
const MIB = 1024 * 1024;
/** A visitor waits at most so many times as long as without the attack. */
const MAX_RATIO = 5;
/** Times below this can't be told from what else the machine does. */
const LEAST_MS = 2;
/** The resident memory comes back to so much more than before. */
const MORE_MIB = 50;
const STOP_MS = 10_000;

const metricsPort = await freePort();
const { service, newOwner, db } = await testProcess({ LOG_LEVEL: 'error', ...measurable(metricsPort) });
const owner = await newOwner('owner');
const form = await owner.deploy();
const site = await publishSite(owner, { 'index.html': '<p>', 'film.mp4': randomBytes(8 * MIB) });
const attackers = new Set<ChildProcess>();
afterAll(() => {
  for (const attacker of attackers) attacker.kill('SIGKILL');
});

const { port } = new URL(service.url);
const apiHost = new URL(BASE_URL).host;
const pageHost = `${form.slug}.${PAGES_DOMAIN}`;
const agent = new Agent({ keepAlive: true, localAddress: VISITOR });

/** The status of an answer to the visitor. */
const send = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { agent, host: '127.0.0.1', port, localAddress: VISITOR, method, path, headers },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once('error', reject).end(body);
  });

const getPage = () => send('GET', '/', { Host: pageHost });
const submit = () =>
  send('POST', `/submit/${form.id}`, { Host: apiHost, 'Content-Type': 'application/json' }, '{"a":"b"}');
const getFilm = () => send('GET', '/film.mp4', { Host: `${site.slug}.${PAGES_DOMAIN}` });

/** The times of pages and of submissions while `goesOn`, none of which may fail. */
async function visit(goesOn: (count: number) => boolean): Promise<{ pages: number[]; submissions: number[] }> {
  const [pages, submissions]: [number[], number[]] = [[], []];
  while (goesOn(pages.length)) {
    await db('deployments').where({ id: form.id }).update({ recent_submissions: [] });
    for (const [times, work] of [
      [pages, getPage],
      [submissions, submit],
    ] as const) {
      const { ms: took, result } = await timed(work);
      expect(result).toBe(200);
      times.push(took);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  return { pages, submissions };
}

async function attack(task: Omit<Task, 'port' | 'from'>): Promise<ChildProcess> {
  const argument = JSON.stringify({ ...task, port: Number(port), from: ATTACKER } satisfies Task);
  const child = spawn(process.execPath, [PROGRAM, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  attackers.add(child);
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  attackers.delete(child);
  // An attack that has ended by itself was none.
  expect(child.exitCode).toBe(null);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const page = `GET / HTTP/1.1\r\nHost: ${pageHost}\r\n`;
const post = `POST /submit/${form.id} HTTP/1.1\r\nHost: ${apiHost}\r\nContent-Type: application/json\r\n`;
const film = `GET /film.mp4 HTTP/1.1\r\nHost: ${site.slug}.${PAGES_DOMAIN}\r\n`;
const list = `GET /submissions/${form.id} HTTP/1.1\r\nHost: ${apiHost}\r\nAuthorization: Bearer ${owner.key}\r\n`;

const ATTACKS: readonly [Attack, number, string, string][] = [
  ['pipelined', 10, 'pages', page],
  ['pipelined', 10, 'lists', list],
  ['unread', 10, 'pages', page],
  ['unread', 10, 'lists', list],
  ['silent', 10_000, 'nothing', ''],
  ['slow-bodies', 3_000, 'submissions', post],
  ['large-headers', 3_000, 'pages', page],
  ['tiny-chunks', 10, 'submissions', post],
  ['paused', 70, 'downloads', film],
];

let idle: Awaited<ReturnType<typeof visit>> | undefined;
it.each(ATTACKS)(
  'serves other networks while one attacks: %s, %i connections, %s',
  async (kind, connections, what, text) => {
    if (!idle) {
      await visit((count) => count < QUIET);
      expect(await getFilm()).toBe(200);
      idle = await visit((count) => count < QUIET);
    }
    const before = await footprint(service, metricsPort);
    const attacker = await attack({ attack: kind, connections, request: text });
    const until = performance.now() + ATTACK_MS;
    const attacked = async () => {
      const times = await visit(() => performance.now() < until);
      expect(await getFilm()).toBe(200);
      expect((await owner.get(`/deploy/${form.id}/html`)).status).toBe(200);
      return { ...times, most: await footprint(service, metricsPort) };
    };
    const { most, ...during } = await attacked().finally(() => end(attacker));
    let after = await footprint(service, metricsPort);
    const isBack = async (): Promise<void> => {
      after = await footprint(service, metricsPort);
      expect(after.residentMiB).toBeLessThan(before.residentMiB + MORE_MIB);
    };
    await vi.waitFor(isBack, { timeout: 60_000, interval: 1_000 }).catch(() => undefined);
    const ratio = (times: number[], quiet: number[]) => median(times) / Math.max(LEAST_MS, median(quiet));
    const ratios = [ratio(during.pages, idle.pages), ratio(during.submissions, idle.submissions)];
    record(`connection-floods, ${kind} ${what}`, {
      "a page's median": `${ms(median(idle.pages))}, attacked ${ms(median(during.pages))}`,
      "a submission's median": `${ms(median(idle.submissions))}, attacked ${ms(median(during.submissions))}`,
      'heap, MiB': `${before.heapMiB}, attacked ${most.heapMiB}, after ${after.heapMiB}`,
      'resident, MiB': `${before.residentMiB}, attacked ${most.residentMiB}, after ${after.residentMiB}`,
    });
    expect(Math.max(...ratios)).toBeLessThan(MAX_RATIO);
    await isBack();
  },
);

it('stops in time while it is attacked', async () => {
  const all = [
    await attack({ attack: 'pipelined', connections: 10, request: page }),
    await attack({ attack: 'slow-bodies', connections: 1_000, request: post }),
    await attack({ attack: 'paused', connections: 70, request: film }),
  ];
  const { ms: took, result } = await timed(() => service.stop());
  for (const attacker of all) await end(attacker);
  record('connection-floods, stop', { 'stopped after': ms(took) });
  expect(result.code).toBe(0);
  expect(took).toBeLessThan(STOP_MS);
});
