import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { connect } from '../../src/db/postgres/connect.ts';
import { inParallel, record } from './figures.ts';
import { type ServiceProcess, startServiceProcess } from './process.ts';
import { startReceiver } from './receivers.ts';
import { testLimits } from './test-limits.ts';
import { keyIn } from './test-process.ts';
import { asOwner, BASE_URL, JSON_TYPE, PAGES_DOMAIN } from './test-service.ts';

/** One less than the rate limit allows. */
const POSTS_EACH = 9;
const AT_ONCE = 32;
/** Requests that have to be answered with a success, on a slow machine too. */
const FEW = 4;
const ANSWER_MS = 20;
/** A client waits so long after a refusal. */
const PAUSE_MS = 100;

const SETTINGS = {
  BASE_URL,
  PAGES_DOMAIN,
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  // So long that only a kill leaves a delivery without its outcome.
  DELIVERY_TIMEOUT_MS: '12000',
  DELIVERY_LEASE_MS: '15000',
  DELIVERY_RETRY_DELAYS: '0.2,0.2,0.5,0.5,1,1,1,1,1,1,1,1,1,1,1,1',
  LOG_LEVEL: 'silent',
};

type Post = { form: string; n: string };
type Answered = Post & { status: number; id: string };
type Stored = Post & { id: string };
type Delivered = Post & { webhookId: string; body: string };

/** Settles when the fault is over. */
export type Trouble = () => Promise<void>;

/** A service process that is started again as soon as it has been killed. */
async function startPhoenix(databaseUrl: string) {
  let current: ServiceProcess;
  let up: Promise<void>;
  let isUp = false;

  async function start(): Promise<void> {
    const service = await startServiceProcess({ ...SETTINGS, DATABASE_URL: databaseUrl });
    current = service;
    const { child } = service;
    await service.ready().catch(async (error) => {
      if (child.exitCode === null && child.signalCode === null) throw error;
      throw new Error(`The service ended at its start: ${JSON.stringify(await service.stop())}`);
    });
    isUp = true;
  }
  up = start();
  await up;
  onTestFinished(() => void current.child.kill('SIGKILL'));
  return {
    url: () => current.url,
    isUp: () => isUp,
    up: () => up,
    /** `whenGone` is done while the next process starts. */
    async kill(whenGone: () => Promise<void>): Promise<void> {
      isUp = false;
      current.child.kill('SIGKILL');
      const gone = current.stop();
      up = gone.then(start);
      await Promise.all([up, gone.then(whenGone)]);
    },
    stop: () => current.stop(),
  };
}

/**
 * Two processes on one database accept nine submissions for each deployment while faults occur, each in the middle of a
 * round, one after another. Nothing that was acknowledged may be lost, everything stored must be delivered, and only
 * what was in progress during a fault may be delivered twice.
 */
export async function survive(
  name: string,
  databaseUrl: string,
  deployments: number,
  troublesWith: (tools: {
    killEither: Trouble;
    killBoth: Trouble;
    /** Notes that what is in progress may be sent twice. */
    noteLeased: Trouble;
  }) => readonly Trouble[],
): Promise<void> {
  const delivered: Delivered[] = [];
  const receiver = await startReceiver((response, { headers, body }) => {
    const { deployment_id: form, data } = JSON.parse(body);
    const isTaken = Math.random() < 0.9;
    if (isTaken) delivered.push({ form, n: data.n, webhookId: String(headers['webhook-id']), body });
    response.statusCode = isTaken ? 200 : 503;
    setTimeout(() => response.end(), ANSWER_MS);
  });
  const services = [await startPhoenix(databaseUrl), await startPhoenix(databaseUrl)];
  const db = connect({ connectionString: databaseUrl }, { limits: testLimits() });
  onTestFinished(() => db.close());
  const key = await keyIn(databaseUrl);
  const asks = () => asOwner(services[0]?.url() ?? '', key);

  const forms: string[] = [];
  await inParallel(Array.from({ length: deployments }), FEW, async () => {
    const { id } = await asks().deploy();
    await asks().post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    forms.push(id);
  });

  const answers: Answered[] = [];
  const mayBeSentTwice = new Set<string>();
  let kills = 0;

  async function send({ form, n }: Post): Promise<void> {
    const up = services.filter(({ isUp }) => isUp());
    const service = up[Math.floor(Math.random() * up.length)];
    if (!service) {
      await Promise.race(services.map((each) => each.up()));
      return send({ form, n });
    }
    try {
      const body = JSON.stringify({ n });
      const response = await fetch(`${service.url()}/submit/${form}`, { method: 'POST', headers: JSON_TYPE, body });
      const answer: { id?: string } = JSON.parse(await response.text());
      answers.push({ form, n, status: response.status, id: answer.id ?? '' });
      if (response.status !== 200) await delay(PAUSE_MS);
    } catch {
      // Killed before it had answered.
    }
  }

  /** The receiver may have had it already. */
  const noteLeased = () =>
    vi.waitFor(
      async () => {
        const { rows } = await db.raw('SELECT id FROM deliveries WHERE leased');
        for (const { id } of rows) mayBeSentTwice.add(id);
      },
      { timeout: 60_000, interval: 20 },
    );
  const kill = async (...victims: typeof services): Promise<void> => {
    kills += victims.length;
    await Promise.all(victims.map((victim) => victim.kill(noteLeased)));
  };
  const troubles = troublesWith({
    killEither: () => kill(...services.slice(...(Math.random() < 0.5 ? [0, 1] : [1, 2]))),
    killBoth: () => kill(...services),
    noteLeased,
  });

  const posts = Array.from({ length: POSTS_EACH }, (_, round) =>
    forms.map((form) => ({ form, n: `${form}/${round}` })),
  ).flat();
  const size = Math.ceil(posts.length / (troubles.length + 1));
  for (let at = 0; at < posts.length; at += size) {
    const trouble = troubles[at / size];
    const beginsAt = Math.floor(size * (0.2 + Math.random() * 0.6));
    let sent = 0;
    const ends: Promise<void>[] = [];
    await inParallel(posts.slice(at, at + size), AT_ONCE, async (post) => {
      sent += 1;
      if (trouble && sent === beginsAt) ends.push(trouble());
      await send(post);
    });
    await Promise.all(ends);
  }

  await vi.waitFor(
    async () => {
      const { rows } = await db.raw('SELECT status, leased FROM deliveries GROUP BY status, leased');
      expect(rows).toEqual([{ status: 'succeeded', leased: false }]);
    },
    { timeout: 120_000, interval: 50 },
  );

  const stored: Stored[] = [];
  await inParallel(forms, FEW, async (form) => {
    const { body } = await asks().get(`/submissions/${form}?limit=100`).expect(200);
    const { submissions, total }: { submissions: { id: string; data: { n: string } }[]; total: number } = body;
    expect(submissions.length).toBe(total);
    stored.push(...submissions.map(({ id, data }) => ({ form, n: data.n, id })));
  });
  const accepted = answers.filter(({ status }) => status === 200);
  const webhookIds = new Set<string>();
  const duplicates = delivered.filter(({ webhookId }) => {
    const isRepeated = webhookIds.has(webhookId);
    webhookIds.add(webhookId);
    return isRepeated;
  });
  const label = ({ form, n }: Post): string => `${form} ${n}`;
  const labels = (all: readonly Post[]): string[] => [...new Set(all.map(label))].toSorted();
  const storedIds = new Set(stored.map((post) => `${label(post)} ${post.id}`));
  const lost = accepted.filter((post) => !storedIds.has(`${label(post)} ${post.id}`));
  const arrived = new Set(delivered.map(label));
  const undelivered = stored.filter((post) => !arrived.has(label(post)));
  record(name, {
    posts: posts.length,
    'answered 200': accepted.length,
    'kills of processes': kills,
    troubles: troubles.length,
    'acknowledged and lost': lost.length,
    'stored and undelivered': `${undelivered.length} of ${stored.length}`,
    'delivered twice': `${duplicates.length} of at most ${mayBeSentTwice.size}`,
  });
  expect(accepted.length).toBeGreaterThan(0);
  expect(lost).toEqual([]);
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(labels(stored).length, 'submissions, each stored once').toBe(stored.length);
  expect(undelivered).toEqual([]);
  expect(labels(delivered)).toEqual(labels(stored));
  expect(new Set(delivered.map((one) => `${label(one)} ${one.webhookId} ${one.body}`)).size, 'different messages').toBe(
    stored.length,
  );
  expect(webhookIds.size).toBe(stored.length);
  expect(duplicates.filter(({ webhookId }) => !mayBeSentTwice.has(webhookId))).toEqual([]);

  const ended = await Promise.all(services.map(({ stop }) => stop()));
  expect(ended).toEqual(services.map(() => ({ code: 0, stdout: '', stderr: '' })));
}
