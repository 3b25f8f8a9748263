import { expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../src/db/connect.ts';
import { createKey } from '../src/db/owners.ts';
import { runSql } from './support/database.ts';
import { cloneDatabase } from './support/fresh-database.ts';
import { startServiceProcess } from './support/process.ts';
import { startReceiver } from './support/receivers.ts';
import { asOwner, BASE_URL, JSON_TYPE, PAGES_DOMAIN } from './support/service.ts';

/** More of them make a longer run: CRASH_DEPLOYMENTS=400. */
const CRASH_DEPLOYMENTS = Number(process.env.CRASH_DEPLOYMENTS ?? 120);
/** One less than the rate limit lets in. */
const POSTS_EACH = 9;
const AT_ONCE = 32;
const ANSWER_MS = 20;

const SETTINGS = {
  BASE_URL,
  PAGES_DOMAIN,
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  DELIVERY_TIMEOUT_MS: '3000',
  DELIVERY_LEASE_MS: '4000',
  DELIVERY_RETRY_DELAYS: '0.2,0.2,0.5,0.5,1,1,1,1,1,1,1,1',
  LOG_LEVEL: 'silent',
};

type Post = { form: string; n: string };
type Answered = Post & { status: number; id: string };
type Stored = Post & { id: string };
type Delivered = Post & { webhookId: string; body: string };

/** Does the work of many, some of it at a time. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** A service process that is started again as soon as it was killed. */
async function startPhoenix(databaseUrl: string) {
  const start = () => startServiceProcess({ ...SETTINGS, DATABASE_URL: databaseUrl });
  let current = await start();
  onTestFinished(() => void current.child.kill('SIGKILL'));
  let isUp = false;
  const ready = async (): Promise<void> => {
    await current.ready();
    isUp = true;
  };
  let up = ready();
  await up;
  return {
    url: () => current.url,
    isUp: () => isUp,
    up: () => up,
    /** `whenGone` is done while the next process starts. */
    async kill(whenGone: () => Promise<void>): Promise<void> {
      isUp = false;
      current.child.kill('SIGKILL');
      const gone = current.stop();
      up = gone.then(async () => {
        current = await start();
        await ready();
      });
      await Promise.all([up, gone.then(whenGone)]);
    },
    stop: () => current.stop(),
  };
}

it('loses no submission and no delivery, and sends none twice but those under way, whatever is killed', {
  timeout: 120_000,
}, async () => {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const db = connect({ connectionString: database.url });
  onTestFinished(() => db.close());
  const delivered: Delivered[] = [];
  const receiver = await startReceiver((response, { headers, body }) => {
    const { deployment_id: form, data } = JSON.parse(body);
    const isTaken = Math.random() < 0.9;
    if (isTaken) delivered.push({ form, n: data.n, webhookId: String(headers['webhook-id']), body });
    response.statusCode = isTaken ? 200 : 503;
    setTimeout(() => response.end(), ANSWER_MS);
  });
  const first = await startPhoenix(database.url);
  const services = [first, await startPhoenix(database.url)];
  const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
  const owner = () => asOwner(first.url(), key);

  const forms: string[] = [];
  await inParallel(Array.from({ length: CRASH_DEPLOYMENTS }), async () => {
    const { id } = await owner().deploy();
    await owner().post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
    forms.push(id);
  });

  const posts = Array.from({ length: POSTS_EACH }, (_, round) =>
    forms.map((form) => ({ form, n: `${form}/${round}` })),
  );
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
    const body = JSON.stringify({ n });
    const request = { method: 'POST', headers: JSON_TYPE, body };
    try {
      const response = await fetch(`${service.url()}/submit/${form}`, request);
      const answer: { id?: string } = JSON.parse(await response.text());
      answers.push({ form, n, status: response.status, id: answer.id ?? '' });
    } catch {
      // Killed before it had answered.
    }
  }

  /** Notes what was under way in a process that is gone: the receiver may have had it already. */
  const noteLeased = () =>
    vi.waitFor(async () => {
      const { rows } = await db.raw('SELECT id FROM deliveries WHERE leased');
      for (const { id } of rows) mayBeSentTwice.add(id);
    });
  const kill = async (...victims: typeof services): Promise<void> => {
    kills += victims.length;
    await Promise.all(victims.map((victim) => victim.kill(noteLeased)));
  };
  const killEither = () => kill(...services.slice(...(Math.random() < 0.5 ? [0, 1] : [1, 2])));
  const killBoth = () => kill(...services);
  const cutConnections = () =>
    runSql(
      database.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );

  // Each in the midst of a round, the next when both processes are there again.
  const troubles = [killEither, killEither, killBoth, killEither, cutConnections, killEither, killEither, killEither];
  for (const [index, round] of posts.entries()) {
    const trouble = troubles[index];
    let sent = 0;
    const ends: Promise<void>[] = [];
    await inParallel(round, async (post) => {
      sent += 1;
      if (trouble && sent === Math.floor(round.length / 2)) ends.push(trouble());
      await send(post);
    });
    await Promise.all(ends);
  }

  await vi.waitFor(
    async () => {
      const { rows } = await db.raw('SELECT status, leased FROM deliveries GROUP BY status, leased');
      expect(rows).toEqual([{ status: 'succeeded', leased: false }]);
    },
    { timeout: 30_000, interval: 50 },
  );

  const stored: Stored[] = [];
  await inParallel(forms, async (form) => {
    const { body } = await owner().get(`/submissions/${form}?limit=100`).expect(200);
    const { submissions, total }: { submissions: { id: string; data: { n: string } }[]; total: number } = body;
    expect(submissions.length).toBe(total);
    stored.push(...submissions.map(({ id, data }) => ({ form, n: data.n, id })));
  });
  const accepted = answers.filter(({ status }) => status === 200);
  const webhookIds = new Set(delivered.map(({ webhookId }) => webhookId));
  const duplicates = delivered.filter(
    ({ webhookId }, index) => delivered.findIndex((first) => first.webhookId === webhookId) < index,
  );
  console.log(
    `crash: ${posts.flat().length} posts, ${accepted.length} answered 200, ${kills} kills, ${stored.length} stored, ` +
      `${webhookIds.size} delivered, ${duplicates.length} duplicates of at most ${mayBeSentTwice.size}`,
  );

  const name = ({ form, n }: Post): string => `${form} ${n}`;
  const names = (all: readonly Post[]): string[] => [...new Set(all.map(name))].toSorted();
  const nameWithId = (post: Stored): string => `${name(post)} ${post.id}`;
  const storedIds = new Set(stored.map(nameWithId));
  expect(accepted.filter((post) => !storedIds.has(nameWithId(post)))).toEqual([]);
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(names(stored).length, 'submissions, each stored once').toBe(stored.length);
  expect(names(delivered)).toEqual(names(stored));
  expect(new Set(delivered.map((one) => `${name(one)} ${one.webhookId} ${one.body}`)).size, 'different messages').toBe(
    stored.length,
  );
  expect(webhookIds.size).toBe(stored.length);
  expect(duplicates.filter(({ webhookId }) => !mayBeSentTwice.has(webhookId))).toEqual([]);

  const ended = await Promise.all(services.map(({ stop }) => stop()));
  expect(ended).toEqual(services.map(() => ({ code: 0, stdout: '', stderr: '' })));
});
