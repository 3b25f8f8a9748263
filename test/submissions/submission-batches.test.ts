import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NewSubmission, type Outcome, storeSubmissions } from '../../src/db/submissions/store-submissions.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { SubmissionBatches } from '../../src/submissions/submission-batches.ts';
import { testLimits } from '../support/limits.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const OUTCOMES: Outcome[] = [ACCEPTED, { kind: 'no-deployment' }, { kind: 'rate-limited', retryAfterMs: 7 }];
// No queue that holds more than this in memory is bounded.
const MANY = 100_000;
const ONE_MEBICHAR = 'x'.repeat(1024 * 1024);

const submission = (id: string, data = '{}'): NewSubmission => ({
  id,
  deploymentId: 'd_1',
  data,
  ipAddress: '127.0.0.1',
});
const names = (count: number, prefix = 's'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Every promise and microtask that is due by now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A store that keeps the batches it was given, and ends each of them when it is told to. */
function heldStore() {
  const batches: string[][] = [];
  const ends: PromiseWithResolvers<readonly Outcome[]>[] = [];
  return {
    batches,
    batch: (batch: readonly NewSubmission[]) => {
      batches.push(batch.map(({ id }) => id));
      const end = Promise.withResolvers<readonly Outcome[]>();
      ends.push(end);
      return end.promise;
    },
    underWay: () => ends.length,
    async end(outcomes?: readonly Outcome[]): Promise<void> {
      const all = outcomes ?? (batches.at(-1) ?? []).map(() => ACCEPTED);
      for (const { resolve } of ends.splice(0)) resolve(all);
      await settled();
    },
    async fail(error: Error): Promise<void> {
      for (const { reject } of ends.splice(0)) reject(error);
      await settled();
    },
  };
}

/** A store in which some rows cannot be stored, nor any batch that they are in. */
function pickyStore(bad: (id: string) => boolean) {
  const stored: string[] = [];
  let calls = 0;
  return {
    stored,
    calls: () => calls,
    batch: async (batch: readonly NewSubmission[]): Promise<readonly Outcome[]> => {
      calls += 1;
      await settled();
      const wrong = batch.find(({ id }) => bad(id));
      if (wrong) throw new Error(`${wrong.id} is wrong`);
      stored.push(...batch.map(({ id }) => id));
      return batch.map(() => ACCEPTED);
    },
  };
}

const outcomeOf = (promise: Promise<Outcome>): Promise<unknown> =>
  promise.catch((error) => (error instanceof Error ? error.message : error));

const databaseAway = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

describe('SubmissionBatches', () => {
  it('stores the first at once, and what comes meanwhile together, in order', async () => {
    const { batches, end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const first = queue.add(submission('a'));
    expect(batches).toEqual([['a']]);
    const more = ['b', 'c', 'd'].map((id) => queue.add(submission(id)));
    await settled();
    expect(batches).toEqual([['a']]);
    await end();
    expect(await first).toEqual(ACCEPTED);
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
    const last = queue.add(submission('e'));
    await end();
    expect(await Promise.all(more)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED]);
    expect(batches).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
    await end();
    expect(await last).toEqual(ACCEPTED);
  });

  it('starts again after it has run dry', async () => {
    const { batches, end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    for (const id of ['a', 'b', 'c']) {
      const one = queue.add(submission(id));
      await end();
      expect(await one).toEqual(ACCEPTED);
    }
    expect(batches).toEqual([['a'], ['b'], ['c']]);
  });

  it('has one batch in flight, and loses and repeats none, however many there are', async () => {
    const { batches, underWay, end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const ids = names(1500);
    const all = Promise.all(ids.map((id) => queue.add(submission(id))));
    for (let rounds = 0; underWay() > 0 && rounds < ids.length; rounds += 1) {
      expect(underWay()).toBe(1);
      await end();
    }
    expect(await all).toEqual(ids.map(() => ACCEPTED));
    expect(batches.flat()).toEqual(ids);
    expect(batches.length).toBeLessThan(ids.length / 10);
  });

  it('gives each submission its own outcome', async () => {
    const { end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const first = queue.add(submission('a'));
    const more = OUTCOMES.map((_, index) => queue.add(submission(`b${index}`)));
    await end(OUTCOMES.slice(1, 2));
    await end(OUTCOMES);
    expect(await Promise.all([first, ...more])).toEqual([OUTCOMES[1], ...OUTCOMES]);
  });

  it('leaves nobody waiting when the store answers too few outcomes', async () => {
    const { end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const first = queue.add(submission('a'));
    const more = ['b', 'c'].map((id) => outcomeOf(queue.add(submission(id))));
    await end();
    await end([ACCEPTED]);
    expect(await Promise.all([first, ...more])).toEqual([ACCEPTED, ACCEPTED, expect.any(String)]);
  });

  it.each<[string, number[]]>([
    ['the first', [0]],
    ['the last', [99]],
    ['one in the middle', [37]],
    ['two neighbours', [50, 51]],
    ['several', [0, 1, 13, 64, 99]],
    ['all', names(100).map((_, index) => index)],
  ])('lets a bad row fail alone: %s', async (_case, places) => {
    const ids = names(100);
    const bad = new Set(places.map((place) => `s${place}`));
    const { stored, calls, ...store } = pickyStore((id) => bad.has(id));
    const queue = new SubmissionBatches(store, testLimits());
    const outcomes = await Promise.all(ids.map((id) => outcomeOf(queue.add(submission(id)))));
    expect(outcomes).toEqual(ids.map((id) => (bad.has(id) ? `${id} is wrong` : ACCEPTED)));
    expect(stored).toEqual(ids.filter((id) => !bad.has(id)));
    // Splitting asks at most twice for each row, and far less often when few are bad.
    expect(calls()).toBeLessThanOrEqual(Math.min(2 * ids.length, 2 + 2 * bad.size * 8));
  });

  it('fails all that wait, at once, when the database is out of reach', async () => {
    const { batches, fail, end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const all = ['a', 'b', 'c'].map((id) => outcomeOf(queue.add(submission(id))));
    await fail(databaseAway());
    expect(await Promise.all(all)).toEqual(all.map(() => databaseAway().message));
    expect(batches).toEqual([['a']]);
    const next = queue.add(submission('d'));
    await end();
    expect([await next, batches]).toEqual([ACCEPTED, [['a'], ['d']]]);
  });

  it('fails all that wait when the database goes away while a bad row is looked for', async () => {
    const { batches, fail, end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const first = queue.add(submission('a'));
    const together = names(8).map((id) => outcomeOf(queue.add(submission(id))));
    await end();
    await fail(new Error('one of these is wrong'));
    const meanwhile = outcomeOf(queue.add(submission('late')));
    await fail(databaseAway());
    expect(await first).toEqual(ACCEPTED);
    expect(await Promise.all([...together, meanwhile])).toEqual(Array(9).fill(databaseAway().message));
    expect(batches.length).toBe(3);
  });

  it.each<[string, string, number]>([
    ['count', '{}', MANY],
    ['characters', ONE_MEBICHAR, 1024],
  ])('refuses with BusyError what is too much to wait, by %s, and takes more later', async (_by, data, enough) => {
    const { batches, underWay, end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const waiting: Promise<Outcome>[] = [];
    let refusal: unknown;
    while (refusal === undefined && waiting.length < enough) {
      const one = queue.add(submission(`s${waiting.length}`, data));
      one.catch((error) => {
        refusal = error;
      });
      await Promise.resolve();
      await Promise.resolve();
      if (refusal === undefined) waiting.push(one);
    }
    expect(refusal).toBeInstanceOf(BusyError);
    for (let rounds = 0; underWay() > 0 && rounds <= waiting.length; rounds += 1) await end();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ACCEPTED));
    // What was refused was never stored.
    expect(batches.flat()).toEqual(names(waiting.length));
    const again = queue.add(submission('again', data));
    await end();
    expect(await again).toEqual(ACCEPTED);
  });

  it('takes one submission of any length when nothing waits', async () => {
    const { end, ...store } = heldStore();
    const queue = new SubmissionBatches(store, testLimits());
    const long = queue.add(submission('long', ONE_MEBICHAR.repeat(60)));
    await end();
    expect(await long).toEqual(ACCEPTED);
  });
});

describe('SubmissionBatches over storeSubmissions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('stores the neighbours of a row that Postgres refuses, each once, in order', async () => {
    const owner = await service.owner();
    const [one, other] = [await owner.deploy(), await owner.deploy()];
    const batch = async (all: readonly NewSubmission[]) => (await storeSubmissions(service.db, all)).outcomes;
    const queue = new SubmissionBatches({ batch }, testLimits());
    const send = (deploymentId: string, data: string) =>
      queue.add({ id: newSubmissionId(), deploymentId, data, ipAddress: '127.0.0.1' }).then(
        ({ kind }) => kind,
        () => 'failed',
      );
    const kinds = await Promise.all([
      send(one.id, '{"n":0}'),
      send(one.id, '{"n":1}'),
      send(other.id, '{"n":2}'),
      send(one.id, '{"n":'),
      send(one.id, '{"n":3}'),
      send('d_00000000000000000000000000', '{"n":4}'),
      send(other.id, 'no JSON'),
      send(other.id, '{"n":5}'),
      ...Array.from({ length: 9 }, (_, index) => send(one.id, `{"n":${index + 6}}`)),
    ]);
    expect(kinds).toEqual([
      ...['accepted', 'accepted', 'accepted', 'failed', 'accepted', 'no-deployment', 'failed', 'accepted'],
      ...[...Array(7).fill('accepted'), 'rate-limited', 'rate-limited'],
    ]);
    const stored = async (id: string) => {
      const { submissions, total } = (await owner.get(`/submissions/${id}`)).body;
      return [submissions.map(({ data }: { data: { n: number } }) => data.n).reverse(), total];
    };
    expect(await stored(one.id)).toEqual([[0, 1, 3, 6, 7, 8, 9, 10, 11, 12], 10]);
    expect(await stored(other.id)).toEqual([[2, 5], 2]);
  });

  it('finds deployments by their key, however few there were when its plan was made', async () => {
    const { db } = service;
    const owner = await service.owner();
    const [one, other] = [await owner.deploy(), await owner.deploy()];
    // So that no statement is refused, which would be another's turn.
    const reset = () =>
      db.raw("UPDATE deployments SET recent_submissions = '{}' WHERE id IN (?, ?)", [one.id, other.id]);
    const scans = async (): Promise<number> => {
      await db.raw('SELECT pg_stat_force_next_flush()');
      const { rows } = await db.raw(
        "SELECT sum(seq_scan)::int AS scans FROM pg_stat_user_tables WHERE relname IN ('deployments', 'webhooks', 'owners')",
      );
      return rows[0].scans;
    };
    await db.raw('ANALYZE deployments, webhooks, owners');
    const before = await scans();
    // Postgres keeps a plan from the sixth time on.
    for (let round = 0; round < 8; round += 1) {
      await reset();
      for (const ids of [[one.id], [one.id, other.id, 'd_00000000000000000000000000']]) {
        const submitted = { data: '{}', ipAddress: '127.0.0.1' };
        await storeSubmissions(
          db,
          ids.map((deploymentId) => ({ id: newSubmissionId(), deploymentId, ...submitted })),
        );
      }
    }
    expect(await scans()).toBe(before);
  });
});
