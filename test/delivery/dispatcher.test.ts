import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { claimDeliveries } from '../../src/db/delivery-queue.ts';
import type { LeasedDelivery } from '../../src/db/delivery-target.ts';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { storeSubmissions } from '../../src/db/store-submissions.ts';
import { createDispatcher } from '../../src/delivery/dispatcher.ts';
import type { Attempt } from '../../src/delivery/send-webhook.ts';
import { createLog } from '../../src/log.ts';
import { aSentence } from '../support/answers.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { proxyTo } from '../support/postgres-proxy.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const RETRY_DELAYS = [60, 3_600];
const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 15_000;
const LEASE_MS = 60_000;
const DAY = 24 * 60 * 60;

const OK: Attempt = { status: 200 };
const NO_ANSWER: Attempt = { error: 'no answer' };

const soon = (holds: () => unknown): Promise<unknown> => vi.waitFor(holds, { timeout: 60_000, interval: 10 });

let database: FreshDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** The database with one deployment and nothing else. */
async function openDatabase(): Promise<{ db: Database; url: string }> {
  await database.clear();
  const db = open(database.url);
  await db.raw(`
    INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited');
    INSERT INTO deployments (id, owner_id, slug) SELECT 'd_1', id, 'a-form' FROM owners`);
  return { db, url: database.url };
}

function open(connectionString: string): Database {
  const db = connect({ connectionString }, { limits: testLimits() });
  onTestFinished(() => db.close());
  return db;
}

/** Adds a webhook to each of these hosts. */
const addWebhooks = (db: Database, hosts: readonly string[]) =>
  db.raw(
    `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
     SELECT 'wh_' || host, 'd_1', 'http://' || host || '/', host, 'generic', '{submission}' FROM unnest(?::text[]) AS host`,
    [[...hosts]],
  );

type Row = {
  status?: 'pending' | 'succeeded' | 'failed';
  attempts?: number;
  leased?: boolean;
  /** As Postgres reads it. */
  next?: string;
  submission?: string | null;
};

const DUE: Required<Row> = { status: 'pending', attempts: 0, leased: false, next: '1 s ago', submission: null };

/** Adds owners, each with a deployment `d_<number>` and its webhook `wh_<number>` to a host. */
const addOwners = (db: Database, from: number, to: number, host: string) =>
  db.raw(
    `WITH owner AS (
       INSERT INTO owners (id, email, plan) OVERRIDING SYSTEM VALUE
       SELECT n, format('owner%s@test.example', n), 'unlimited' FROM generate_series(:from::int, :to::int) AS n RETURNING id
     ), deployment AS (
       INSERT INTO deployments (id, owner_id, slug) SELECT 'd_' || id, id, 'form-' || id FROM owner RETURNING id
     )
     INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
     SELECT 'wh' || substr(id, 2), id, 'http://' || :host || '/', :host, 'generic', '{submission}' FROM deployment`,
    { from, to, host },
  );

/** Adds as many deliveries of each of these owners, named after the owner; to a host, or by mail. */
const addOwned = (
  db: Database,
  [from, to]: readonly [from: number, to: number],
  host: string,
  { next = DUE.next, count = 1 }: { next?: string; count?: number } = {},
) =>
  db.raw(
    `INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, notice, receiver, next_attempt_at, created_at, updated_at)
     SELECT format('%s/%s/%s', owner, :host::text, n), 'd_' || owner, owner, CASE WHEN :host <> '@mail' THEN 'wh_' || owner END,
            CASE WHEN :host = '@mail' THEN 'A notice.' END, :host, now() + :next::interval, now(), now()
       FROM generate_series(:from::int, :to::int) AS owner, generate_series(0, :count::int - 1) AS n`,
    { from, to, host, next, count },
  );

/** Whose deliveries were begun, and how many. */
const countsOf = (begun: readonly Begun[]) =>
  new Map(
    Array.from(
      Map.groupBy(begun, ({ delivery }) => delivery.ownerId),
      ([ownerId, its]) => [ownerId, its.length],
    ),
  );

/**
 * Adds as many deliveries to each of these hosts, which have webhooks; named after them, and without an owner, as an
 * older version made them.
 */
const addDeliveries = (db: Database, hosts: string | readonly string[], row: Row = {}, count = 1) =>
  db.raw(
    `INSERT INTO deliveries (id, deployment_id, webhook_id, submission_id, receiver, bytes, status, attempts, leased,
                             next_attempt_at, created_at, updated_at)
     SELECT format('%s/%s', host, n), 'd_1', 'wh_' || host, :submission, host,
            coalesce((SELECT octet_length(data::text) FROM submissions WHERE id = :submission), 0), :status, :attempts, :leased,
            CASE :next WHEN 'infinity' THEN 'infinity' ELSE now() + nullif(:next, 'infinity')::interval END, now(), now()
       FROM unnest(:hosts::text[]) AS host, generate_series(0, :count::int - 1) AS n`,
    { hosts: [hosts].flat(), count, ...DUE, ...row },
  );

/** What is written down of deliveries. */
async function rowsOf(db: Database, ids?: readonly string[]) {
  const { rows } = await db.raw(
    `SELECT id, status, attempts, leased, last_status, last_error FROM deliveries
      WHERE ?::text[] IS NULL OR id = ANY (?) ORDER BY id`,
    [ids ? [...ids] : null, ids ? [...ids] : null],
  );
  return rows;
}

const untried = { status: 'pending', attempts: 0, leased: false, last_status: null, last_error: null };
const underWay = { ...untried, attempts: 1, leased: true };
const succeeded = { ...untried, status: 'succeeded', attempts: 1, last_status: 200 };

/** Lets the leases of all deliveries run out. */
const expireLeases = (db: Database) =>
  db.raw("UPDATE deliveries SET next_attempt_at = now() - interval '1 s' WHERE leased");

/** What a process asks for that has nothing to do. */
const CLAIM: Parameters<typeof claimDeliveries>[1] = {
  after: undefined,
  capacities: new Map(),
  otherCapacity: 64,
  fullOwners: [],
  limit: 512,
  memory: 1_000_000,
  leaseMs: LEASE_MS,
  maxAttempts: MAX_ATTEMPTS,
};

/** Leases what is due, as a process does. */
const claim = async (db: Database): Promise<LeasedDelivery[]> => (await claimDeliveries(db, CLAIM)).deliveries;

type Begun = { delivery: LeasedDelivery; signal: AbortSignal; settle(result: Attempt): void };
type Settings = Partial<
  Pick<Parameters<typeof createDispatcher>[0], 'attempt' | 'retryDelays' | 'timeoutMs' | 'leaseMs' | 'limits'>
>;

/** A dispatcher as of a process of its own, whose attempts a test settles, unless it gives a way to. */
function startDispatcher(db: Database, settings: Settings = {}) {
  const begun: Begun[] = [];
  let isOver = false;
  const dispatcher = createDispatcher({
    db,
    attempt: (delivery, signal) => {
      if (isOver) return Promise.resolve(OK);
      const { promise, resolve } = Promise.withResolvers<Attempt>();
      begun.push({ delivery, signal, settle: resolve });
      return promise;
    },
    retryDelays: RETRY_DELAYS,
    timeoutMs: TIMEOUT_MS,
    leaseMs: LEASE_MS,
    limits: testLimits(),
    log: createLog('silent'),
    count: () => undefined,
    ...settings,
  });
  onTestFinished(async () => {
    isOver = true;
    for (const { settle } of begun) settle(OK);
    await dispatcher.close();
  });
  return {
    ...dispatcher,
    begun,
    /** Ids and counts of what was begun. */
    tried: () => begun.map(({ delivery }): [id: string, attempts: number] => [delivery.id, delivery.attempts]),
  };
}

describe('createDispatcher: the first attempt', () => {
  it('begins at once, without a look at the database', () => {
    const dispatcher = startDispatcher(open('postgres://nobody@127.0.0.1:1/nothing'));
    const delivery: LeasedDelivery = {
      id: 'dl_1',
      attempts: 1,
      receiver: 'a.test',
      ownerId: 1,
      deploymentId: 'd_1',
      slug: 'a-form',
      submissionId: 'sub_1',
      target: {
        kind: 'webhook',
        event: 'submission',
        webhookId: 'wh_1',
        url: 'http://a.test/',
        type: 'generic',
        secrets: ['whsec_'],
        isFailing: false,
      },
      data: '{}',
      createdAt: new Date(),
    };
    dispatcher.start([delivery], performance.now());
    expect(dispatcher.begun.map((one) => one.delivery)).toEqual([delivery]);
  });

  it.each([
    ['does not know which deployments have any', new Map<string, true>()],
    ['believes that this one has', new Map([['d_1', true as const]])],
    ['believes nothing', undefined],
  ])('are those of the settings as they are, where a process %s', async (_name, delivering) => {
    const { db } = await openDatabase();
    const hooks = (changes: string) => db.raw(`UPDATE webhooks SET ${changes} WHERE id = 'wh_b.test'`);
    const mail = (changes: string) => db.raw(`UPDATE deployments SET ${changes} WHERE id = 'd_1'`);
    const steps: [change: () => unknown, receivers: string[]][] = [
      [() => undefined, []],
      [() => addWebhooks(db, ['a.test', 'b.test']), ['a.test', 'b.test']],
      [() => undefined, ['a.test', 'b.test']],
      [() => db.raw("DELETE FROM webhooks WHERE id = 'wh_a.test'"), ['b.test']],
      [() => hooks('active = false'), []],
      [() => hooks("active = true, events = '{spam}'"), []],
      [() => mail('email_notifications = true'), ['@mail']],
      [() => mail("notify_every = 'day'"), []],
      [() => hooks("events = '{submission}'"), ['b.test']],
      [() => undefined, ['b.test']],
    ];
    for (const [index, [change, receivers]] of steps.entries()) {
      await change();
      const submission = { id: `sub_${index}`, deploymentId: 'd_1', data: '{}', ipAddress: '::1', rulesVersion: 0 };
      const leasing = { leaseMs: LEASE_MS, busy: [] };
      const { outcomes, deliveries } = await storeSubmissions(db, [submission], leasing, delivering);
      expect(outcomes).toEqual([{ kind: 'accepted', slug: 'a-form' }]);
      expect(deliveries.map(({ receiver }) => receiver).toSorted()).toEqual(receivers);
    }
    const { rows } = await db.raw(
      `SELECT array_agg(number::int ORDER BY created_at) AS numbers,
              (SELECT submission_count::int FROM deployments) AS count,
              (SELECT cardinality(recent_submissions) FROM deployments) AS recent,
              (SELECT count(*)::int FROM deliveries) AS deliveries FROM submissions`,
    );
    const [all, made] = [steps.length, steps.flatMap(([, receivers]) => receivers).length];
    expect(rows).toEqual([
      { numbers: Array.from(steps, (_, index) => index + 1), count: all, recent: all, deliveries: made },
    ]);
    const eleventh = { id: 'sub_10', deploymentId: 'd_1', data: '{}', ipAddress: '::1', rulesVersion: 0 };
    const { outcomes } = await storeSubmissions(db, [eleventh], { leaseMs: LEASE_MS, busy: [] }, delivering);
    expect(outcomes).toEqual([{ kind: 'rate-limited', slug: 'a-form', retryAfterMs: expect.any(Number) }]);
  });

  it('is leased and counted with the submission; the next, by any process, has the same to send', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test:8080']);
    const dispatcher = startDispatcher(db);
    const leasedAt = performance.now();
    const { deliveries } = await storeSubmissions(
      db,
      [
        {
          id: 'sub_1',
          deploymentId: 'd_1',
          data: '{"b": 1.10, "a": "\\u0000"}',
          ipAddress: '127.0.0.1',
          rulesVersion: 0,
        },
      ],
      { leaseMs: LEASE_MS, busy: dispatcher.busy() },
    );
    dispatcher.start(deliveries, leasedAt);
    const [first] = dispatcher.begun;
    expect(dispatcher.begun.map(({ delivery }) => delivery)).toEqual([
      {
        id: expect.stringMatching(/^dl_/),
        attempts: 1,
        receiver: 'a.test:8080',
        ownerId: 1,
        deploymentId: 'd_1',
        slug: 'a-form',
        submissionId: 'sub_1',
        target: {
          kind: 'webhook',
          event: 'submission',
          webhookId: 'wh_a.test:8080',
          url: 'http://a.test:8080/',
          type: 'generic',
          secrets: [expect.stringMatching(/^whsec_/)],
          isFailing: false,
        },
        data: '{"b": 1.10, "a": "\\u0000"}',
        createdAt: expect.any(Date),
      },
    ]);
    expect(await rowsOf(db)).toEqual([{ id: first?.delivery.id, ...underWay }]);

    await expireLeases(db);
    const other = startDispatcher(db);
    other.run();
    await soon(() =>
      expect(other.begun.map(({ delivery }) => delivery)).toEqual([{ ...first?.delivery, attempts: 2 }]),
    );
  });
});

describe('createDispatcher: what it claims', () => {
  it('is what is due and what an expired lease left, the attempt counted before it begins', async () => {
    const { db } = await openDatabase();
    const rows: Record<string, Row> = {
      due: {},
      'due again': { attempts: 2 },
      'left by a process that died': { leased: true, attempts: 1 },
      'made due by hand after the last attempt': { attempts: 3 },
      later: { next: '1 minute', attempts: 1 },
      'leased by another process': { leased: true, attempts: 1, next: '1 minute' },
      held: { next: 'infinity' },
      'held, leased once': { next: 'infinity', attempts: 1 },
      succeeded: { status: 'succeeded', attempts: 1 },
      failed: { status: 'failed', attempts: 3 },
    };
    await addWebhooks(db, [...Object.keys(rows), 'marker']);
    for (const [host, row] of Object.entries(rows)) await addDeliveries(db, host, row);
    const before = await rowsOf(db);
    const dispatcher = startDispatcher(db);
    dispatcher.run();
    await soon(() => expect(dispatcher.begun.length).toBeGreaterThan(0));
    // Claimed later than all the others would have been.
    await addDeliveries(db, 'marker');
    dispatcher.review('d_1');
    await soon(() => expect(dispatcher.tried()).toContainEqual(['marker/0', 1]));

    const claimed = new Map(dispatcher.tried());
    expect(claimed).toEqual(
      new Map([
        ['due/0', 1],
        ['due again/0', 3],
        ['left by a process that died/0', 2],
        ['made due by hand after the last attempt/0', 4],
        ['marker/0', 1],
      ]),
    );
    expect(
      await rowsOf(
        db,
        Object.keys(rows).map((host) => `${host}/0`),
      ),
    ).toEqual(
      before.map((row: { id: string; attempts: number; leased: boolean }) => ({
        ...row,
        attempts: claimed.get(row.id) ?? row.attempts,
        leased: claimed.has(row.id) || row.leased,
      })),
    );
  });

  it('fails one whose last lease ran out without an outcome, and sends it no more', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test');
    for (let process = 1; process <= MAX_ATTEMPTS; process += 1) {
      const dispatcher = startDispatcher(db);
      dispatcher.run();
      await soon(() => expect(dispatcher.tried()).toEqual([['a.test/0', process]]));
      // As good as dead: it is asked nothing any more.
      dispatcher.drain();
      await expireLeases(db);
    }
    const last = startDispatcher(db);
    last.run();
    await soon(async () =>
      expect(await rowsOf(db)).toEqual([
        { ...untried, id: 'a.test/0', status: 'failed', attempts: MAX_ATTEMPTS, last_error: aSentence },
      ]),
    );
    expect(last.begun).toEqual([]);
  });

  it('is one by one where each is larger than what is claimed at a time', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test', 'b.test']);
    await db.raw(`
      INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
      SELECT 'd_1', n, 'sub_' || n, format('{"a":"%s"}', repeat('x', ${17 * KIB}))::json, '127.0.0.1', now()
        FROM generate_series(1, 2) AS n`);
    await addDeliveries(db, 'a.test', { submission: 'sub_1' });
    await addDeliveries(db, 'b.test', { submission: 'sub_2' });
    // Of another owner, for the two of the one take all the memory that one may have.
    await addOwners(db, 2, 2, 'c.test');
    await addOwned(db, [2, 2], 'c.test');
    const limits = testLimits({ delivery: { claimedBytes: 16 * KIB, heldChars: 64 * KIB } });
    const dispatcher = startDispatcher(db, { limits });
    dispatcher.run();
    await soon(() => {
      dispatcher.review('d_1');
      expect(dispatcher.tried().toSorted()).toEqual([
        ['2/c.test/0', 1],
        ['a.test/0', 1],
        ['b.test/0', 1],
      ]);
    });
    const { rows } = await db.raw(
      'SELECT count(DISTINCT updated_at) AS claims FROM deliveries WHERE submission_id IS NOT NULL',
    );
    expect(rows).toEqual([{ claims: 2 }]);
  });

  it('is found however much is due that is larger', async () => {
    const { db } = await openDatabase();
    const hosts = Array.from({ length: 50 }, (_, n) => `h${n}.test`);
    await addWebhooks(db, hosts);
    await db.raw(`
      INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
      SELECT 'd_1', 1, 'sub_1', format('{"a":"%s"}', repeat('x', ${17 * KIB}))::json, '127.0.0.1', now()`);
    await addDeliveries(db, hosts, { submission: 'sub_1' }, 10);
    const limits = testLimits({ delivery: { claimedBytes: 16 * KIB, heldChars: 64 * KIB } });
    const dispatcher = startDispatcher(db, { limits });
    dispatcher.run();
    await soon(() => expect(dispatcher.begun.length).toBeGreaterThan(0));
  });

  it('is of every receiver, whatever is due to another; five mails at a time', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['crowded.test', 'quiet.test']);
    await addDeliveries(db, 'crowded.test', { next: '1 day ago' }, 1_000);
    await addDeliveries(db, 'quiet.test');
    await db.raw(`
      INSERT INTO deliveries (id, deployment_id, notice, next_attempt_at, created_at, updated_at)
      SELECT format('mail/%s', lpad(n::text, 2, '0')), 'd_1', 'A notice.', now(), now(), now() FROM generate_series(0, 29) AS n`);
    const dispatcher = startDispatcher(db);
    dispatcher.run();
    await soon(() => expect(dispatcher.tried()).toContainEqual(['quiet.test/0', 1]));

    const mails = () => dispatcher.begun.filter(({ delivery }) => delivery.target.kind === 'notice');
    let most = 0;
    for (let ended = 0; ended < 30; ended += 1) {
      await soon(() => expect(mails().length).toBeGreaterThan(ended));
      most = Math.max(most, mails().length - ended);
      mails()[ended]?.settle(OK);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(most).toBe(5);
  });
});

describe('claimDeliveries', () => {
  it('says when the next delivery is due, of all that it has seen', async () => {
    const { db } = await openDatabase();
    const nextDueInMs = async () => (await claimDeliveries(db, CLAIM)).nextDueInMs;
    expect(await nextDueInMs()).toBe(Number.POSITIVE_INFINITY);
    await addWebhooks(db, ['held.test', 'later.test', 'soon.test']);
    await addDeliveries(db, 'held.test', { next: 'infinity' });
    expect(await nextDueInMs()).toBe(Number.POSITIVE_INFINITY);
    await addDeliveries(db, 'later.test', { next: '2 hours' });
    await addDeliveries(db, 'soon.test', { next: '1 hour' });
    const hour = 3_600_000;
    const found = await nextDueInMs();
    expect([found <= hour, found > hour - 20_000]).toEqual([true, true]);
  });
});

describe('createDispatcher: the owners', () => {
  it.each([
    { host: 'shared.test', capacity: 2 },
    { host: '@mail', capacity: 2 },
  ])('share the capacity of $host equally, whichever has been due for longer', async ({ host, capacity }) => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 3, host);
    await addOwned(db, [2, 2], host, { next: '1 day ago', count: 600 });
    await addOwned(db, [3, 3], host);
    const dispatcher = startDispatcher(db);
    dispatcher.run();
    await soon(() => expect(dispatcher.begun.length).toBe(capacity));
    expect(countsOf(dispatcher.begun)).toEqual(
      new Map([
        [2, 1],
        [3, 1],
      ]),
    );
  });

  it('get their parts of a wider receiver, and what one leaves goes to the others', async () => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 5, 'shared.test');
    await addOwned(db, [2, 3], 'shared.test', { next: '1 day ago', count: 600 });
    await addOwned(db, [4, 4], 'shared.test', { count: 3 });
    await addOwned(db, [5, 5], 'shared.test', { next: '1 hour', count: 3 });
    const claimOf = async (capacity: number): Promise<number[]> => {
      const { deliveries, last } = await claimDeliveries(db, {
        ...CLAIM,
        capacities: new Map([['shared.test', capacity]]),
      });
      expect(last).toBeUndefined();
      return deliveries.map(({ ownerId }) => ownerId).toSorted((a, b) => a - b);
    };
    expect(await claimOf(30)).toEqual([...Array(10).fill(2), ...Array(10).fill(3), 4, 4, 4]);
    expect(await claimOf(7)).toEqual([2, 2, 2, 3, 3, 3]);
  });

  it('leave deliveries of events that only a newer version knows to that version', async () => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 2, 'shared.test');
    await addOwned(db, [2, 2], 'shared.test', { count: 3 });
    const [newer] = await db('deliveries').orderBy('id').limit(1).pluck('id');
    await db('deliveries').where({ id: newer }).update({ event: 'submission.updated' });
    expect((await claim(db)).map(({ id }) => id)).not.toContain(newer);
    expect(await db('deliveries').where({ leased: true })).toHaveLength(2);
    expect(await db('deliveries').where({ id: newer }).first('status', 'attempts', 'leased')).toEqual({
      status: 'pending',
      attempts: 0,
      leased: false,
    });
  });

  it('that have enough here get nothing from a claim', async () => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 4, 'shared.test');
    await addOwned(db, [2, 4], 'shared.test', { count: 10 });
    const { deliveries } = await claimDeliveries(db, { ...CLAIM, fullOwners: [2, 4] });
    expect(deliveries.map(({ ownerId }) => ownerId)).toEqual(Array(10).fill(3));
  });

  it('are chosen at random where there are more of them than capacity', async () => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 41, 'shared.test');
    await addOwned(db, [2, 41], 'shared.test', { count: 20 });
    const seen = new Set<number>();
    for (let claims = 0; seen.size < 40 && claims < 200; claims += 1) {
      const { deliveries } = await claimDeliveries(db, { ...CLAIM, capacities: new Map([['shared.test', 3]]) });
      const owners = deliveries.map(({ ownerId }) => ownerId);
      expect(new Set(owners).size).toBe(3);
      for (const owner of owners) seen.add(owner);
    }
    expect(seen.size).toBe(40);
  });

  it('that only wait for a retry, however many, cost a claim a bounded walk, and hide nothing', async () => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 2_501, 'shared.test');
    await addOwned(db, [2, 2_500], 'shared.test', { next: '1 hour' });
    await addOwned(db, [2_501, 2_501], 'shared.test');
    const dispatcher = startDispatcher(db);
    dispatcher.run();
    await soon(() => expect(dispatcher.tried()).toEqual([['2501/shared.test/0', 1]]));
    // From where each claim stops the next goes on, until all have been seen.
    await addOwned(db, [2, 2_501], 'other.test', { next: '1 hour' });
    const stops: unknown[] = [];
    for (let after: { receiver: string; ownerId: number } | undefined; stops.at(-1) !== null; ) {
      const { deliveries, last } = await claimDeliveries(db, { ...CLAIM, after });
      expect(deliveries).toEqual([]);
      stops.push(last ? `${last.receiver} ${last.ownerId}` : null);
      after = last;
    }
    expect(stops).toEqual([
      'other.test 1001',
      'other.test 2001',
      'shared.test 501',
      'shared.test 1501',
      'shared.test 2501',
      null,
    ]);
  });

  it('of large submissions leave memory to the others', async () => {
    const { db } = await openDatabase();
    const dispatcher = startDispatcher(db);
    const made = (ownerId: number, n: number): LeasedDelivery => ({
      id: `${ownerId}/${n}`,
      attempts: 1,
      receiver: `r${ownerId}-${n}.test`,
      ownerId,
      deploymentId: `d_${ownerId}`,
      slug: 'a-form',
      submissionId: `sub_${n}`,
      target: {
        kind: 'webhook',
        event: 'submission',
        webhookId: 'wh_1',
        url: 'http://a.test/',
        type: 'generic',
        secrets: [],
        isFailing: false,
      },
      data: ' '.repeat(MIB),
      createdAt: new Date(),
    });
    const madeOf = (ownerId: number, count: number) => Array.from({ length: count }, (_, n) => made(ownerId, n));
    dispatcher.start(madeOf(2, 100), performance.now());
    dispatcher.start(madeOf(3, 100), performance.now());
    dispatcher.start(madeOf(4, 1), performance.now());
    await soon(() => expect(dispatcher.tried()).toContainEqual(['4/0', 1]));
    // Half of 64 MiB, then half of what is left.
    expect(countsOf(dispatcher.begun)).toEqual(
      new Map([
        [2, 32],
        [3, 16],
        [4, 1],
      ]),
    );
    // Whoever has its share gets nothing more from the database either.
    await addOwners(db, 2, 5, 'shared.test');
    await addOwned(db, [2, 4], 'shared.test', { next: '1 day ago' });
    dispatcher.run();
    await soon(() => expect(dispatcher.tried()).toContainEqual(['4/shared.test/0', 1]));
    await addOwned(db, [5, 5], 'shared.test');
    await soon(() => expect(dispatcher.tried()).toContainEqual(['5/shared.test/0', 1]));
    expect(countsOf(dispatcher.begun)).toEqual(
      new Map([
        [2, 32],
        [3, 16],
        [4, 2],
        [5, 1],
      ]),
    );
  });
});

describe('createDispatcher: what it writes down', () => {
  const failedWith = { last_status: 500, last_error: 'the receiver answered 500' };
  const FAILURE: Attempt = { status: 500, error: 'the receiver answered 500' };
  const [FIRST_DELAY = 0, LAST_DELAY = 0] = RETRY_DELAYS;

  it.each<{ name: string; before: number; result: Attempt | Error; row: object; delay: [least: number, most: number] }>(
    [
      { name: 'a success', before: 0, result: OK, row: { status: 'succeeded', last_status: 200 }, delay: [0, 0] },
      { name: 'a failure', before: 0, result: FAILURE, row: failedWith, delay: [FIRST_DELAY, FIRST_DELAY * 1.1] },
      { name: 'another failure', before: 1, result: FAILURE, row: failedWith, delay: [LAST_DELAY, LAST_DELAY * 1.1] },
      {
        name: 'the last failure',
        before: 2,
        result: { ...FAILURE, retryAfter: 5 },
        row: { status: 'failed', ...failedWith },
        delay: [0, 0],
      },
      {
        name: 'a failure without an answer',
        before: 0,
        result: NO_ANSWER,
        row: { last_error: 'no answer' },
        delay: [FIRST_DELAY, FIRST_DELAY * 1.1],
      },
      {
        name: 'a shorter Retry-After',
        before: 1,
        result: { ...FAILURE, retryAfter: 5 },
        row: failedWith,
        delay: [LAST_DELAY, LAST_DELAY * 1.1],
      },
      {
        name: 'a longer Retry-After',
        before: 0,
        result: { ...FAILURE, retryAfter: 7_000 },
        row: failedWith,
        delay: [7_000, 7_000],
      },
      {
        name: 'one of more than a day',
        before: 0,
        result: { ...FAILURE, retryAfter: 1e12 },
        row: failedWith,
        delay: [DAY, DAY],
      },
      {
        name: 'an error of our own',
        before: 0,
        result: new Error('Bug'),
        row: { last_error: aSentence },
        delay: [FIRST_DELAY, FIRST_DELAY * 1.1],
      },
    ],
  )('$name', async ({ before, result, row, delay: [least, most] }) => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test', { attempts: before });
    const attempt = () => (result instanceof Error ? Promise.reject(result) : Promise.resolve(result));
    const dispatcher = startDispatcher(db, { attempt });
    dispatcher.run();
    await soon(async () =>
      expect(await rowsOf(db)).toEqual([{ ...untried, id: 'a.test/0', attempts: before + 1, ...row }]),
    );
    const { rows } = await db.raw(
      'SELECT extract(epoch FROM next_attempt_at - updated_at)::float8 AS delay FROM deliveries',
    );
    expect(rows[0].delay).toBeGreaterThanOrEqual(least);
    expect(rows[0].delay).toBeLessThanOrEqual(most);
  });

  it('goes into few statements where it comes at once', async () => {
    const { db } = await openDatabase();
    const hosts = Array.from({ length: 200 }, (_, n) => `h${n}.test`);
    await addWebhooks(db, hosts);
    await addDeliveries(db, hosts);
    const dispatcher = startDispatcher(db);
    dispatcher.start(await claim(db), performance.now());
    await soon(() => expect(dispatcher.begun.length).toBe(200));
    let statements = 0;
    const { runAlone } = db;
    vi.spyOn(db, 'runAlone').mockImplementation((...statement) => {
      statements += 1;
      return runAlone(...statement);
    });
    db.on('query', () => {
      statements += 1;
    });
    for (const { settle } of dispatcher.begun) settle(OK);
    await dispatcher.close();
    expect(statements).toBeLessThanOrEqual(3);
    const { rows } = await db.raw('SELECT status, attempts, count(*) FROM deliveries GROUP BY status, attempts');
    expect(rows).toEqual([{ status: 'succeeded', attempts: 1, count: 200 }]);
  });

  it.each([
    ['success', OK],
    ['failure', FAILURE],
    ['failure without an answer', NO_ANSWER],
  ])('leaves a delivery alone whose lease was lost before the %s', async (_name, result) => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test');
    const slow = startDispatcher(db);
    slow.start(await claim(db), performance.now());
    await expireLeases(db);
    const [claimed] = await claim(db);
    expect(claimed?.attempts).toBe(2);
    const { rows: before } = await db.raw('SELECT * FROM deliveries');

    slow.begun[0]?.settle(result);
    await slow.close();
    const { rows: after } = await db.raw('SELECT * FROM deliveries');
    expect(after).toEqual(before);
  });

  it('is kept while the database is away, and written down once when it is back', async () => {
    const { db: direct, url } = await openDatabase();
    let isAway = false;
    let refused = 0;
    const proxy = await proxyTo(
      url,
      () => ({}),
      ({ client, postgres, end }) => {
        if (isAway) {
          refused += 1;
          end();
        } else {
          client.pipe(postgres);
          postgres.pipe(client);
        }
      },
    );
    onTestFinished(proxy.close);
    const db = open(proxy.url);
    const hosts = Array.from({ length: 60 }, (_, n) => `h${n}.test`);
    await addWebhooks(direct, hosts);
    await addDeliveries(direct, hosts);
    await direct.raw(`
      CREATE TABLE writes (id text);
      CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO writes VALUES (NEW.id); RETURN NULL; END $$`);
    onTestFinished(() => direct.raw('DROP FUNCTION note_write CASCADE; DROP TABLE writes'));
    const dispatcher = startDispatcher(db);
    dispatcher.start(await claim(db), performance.now());
    await soon(() => expect(dispatcher.begun.length).toBe(hosts.length));
    await direct.raw('CREATE TRIGGER note AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_write()');

    isAway = true;
    for (const link of proxy.links) link.end();
    const [early, late] = [dispatcher.begun.slice(0, 30), dispatcher.begun.slice(30)];
    for (const { settle } of early) settle(OK);
    await soon(() => expect(refused).toBeGreaterThan(1));
    for (const { settle } of late) settle(OK);
    const { rows: meanwhile } = await direct.raw('SELECT * FROM writes');
    expect(meanwhile).toEqual([]);

    isAway = false;
    const all = hosts.map((host) => `${host}/0`).toSorted();
    await soon(async () => expect(await rowsOf(direct)).toEqual(all.map((id) => ({ id, ...succeeded }))));
    await dispatcher.close();
    const { rows: writes } = await direct.raw('SELECT id FROM writes ORDER BY id COLLATE "C"');
    expect(writes).toEqual(all.map((id) => ({ id })));
  });

  it('is written down once though the connection broke before Postgres could say so', async () => {
    const { db: direct, url } = await openDatabase();
    let isMute = false;
    const proxy = await proxyTo(
      url,
      () => ({}),
      ({ client, postgres, end }) => {
        client.pipe(postgres);
        postgres.on('data', (bytes) => {
          if (isMute) end();
          else client.write(bytes);
          isMute = false;
        });
      },
    );
    onTestFinished(proxy.close);
    const db = open(proxy.url);
    await addWebhooks(direct, ['a.test']);
    await addDeliveries(direct, 'a.test');
    const dispatcher = startDispatcher(db);
    dispatcher.start(await claim(db), performance.now());
    // Prepared and answered once already, so that the next answer is that of the whole statement.
    await db.raw('SELECT 1');
    isMute = true;
    dispatcher.begun[0]?.settle(FAILURE);
    const failedOnce = [{ id: 'a.test/0', ...untried, attempts: 1, ...failedWith }];
    await soon(async () => expect(await rowsOf(direct)).toEqual(failedOnce));
    await soon(() => expect(isMute).toBe(false));
    const { rows: before } = await direct.raw('SELECT * FROM deliveries');
    await dispatcher.close();
    const { rows: after } = await direct.raw('SELECT * FROM deliveries');
    expect(after).toEqual(before);
  });
});

describe('createDispatcher: leases', () => {
  it('gives one back, and doesn’t count it, that waited until too little was left of its lease', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test', 'b.test']);
    await addDeliveries(db, 'a.test', {}, 4);
    await addDeliveries(db, 'b.test');
    const dispatcher = startDispatcher(db);
    const claimed = (await claim(db)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [first, second, ...others] = claimed;
    if (!first || !second) throw new Error('Nothing was claimed');
    dispatcher.start([first, second], performance.now());
    // Two to a.test are under way: its others wait, and b.test's needn't.
    dispatcher.start(others, performance.now() - (LEASE_MS - TIMEOUT_MS / 2));
    expect(dispatcher.tried()).toEqual([
      ['a.test/0', 1],
      ['a.test/1', 1],
    ]);
    dispatcher.begun[0]?.settle(OK);
    await soon(async () =>
      expect(await rowsOf(db)).toEqual([
        { id: 'a.test/0', ...succeeded },
        { id: 'a.test/1', ...underWay },
        { id: 'a.test/2', ...untried },
        { id: 'a.test/3', ...untried },
        { id: 'b.test/0', ...untried },
      ]),
    );
    expect(dispatcher.begun.length).toBe(2);

    const other = startDispatcher(db);
    other.run();
    await soon(() =>
      expect(other.tried().toSorted()).toEqual([
        ['a.test/2', 1],
        ['a.test/3', 1],
        ['b.test/0', 1],
      ]),
    );
  });

  it.each<[string, Settings]>([
    ['in view of its lease', { timeoutMs: 800, leaseMs: 1_000 }],
    ['in view of what may have changed', { limits: testLimits({ delivery: { queueTimeoutMs: 100 } }) }],
  ])('gives back what waits for too long, %s, behind attempts that hang', async (_name, settings) => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test', {}, 6);
    const dispatcher = startDispatcher(db, settings);
    // Postgres is told of a long lease, so that only the dispatcher can end it.
    dispatcher.start(await claim(db), performance.now());
    expect(dispatcher.begun.length).toBe(2);
    // Nobody takes what is given back.
    await db.raw('UPDATE webhooks SET active = false');
    dispatcher.run();
    const hanging = dispatcher.begun.map(({ delivery }) => delivery.id);
    await soon(async () =>
      expect(await rowsOf(db)).toEqual(
        Array.from({ length: 6 }, (_, n) => `a.test/${n}`).map((id) =>
          hanging.includes(id) ? { id, ...underWay } : { id, ...untried },
        ),
      ),
    );
    expect(dispatcher.begun.length).toBe(2);
  });

  it('gives back what waits here for a deployment that is reviewed, and leaves what waits for others', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test', {}, 9);
    await db.raw(`
      INSERT INTO deployments (id, owner_id, slug) SELECT 'd_2', id, 'another-form' FROM owners;
      UPDATE deliveries SET deployment_id = 'd_2' WHERE id < 'a.test/3'`);
    const dispatcher = startDispatcher(db);
    dispatcher.start(await claim(db), performance.now());
    const hanging = dispatcher.begun.map(({ delivery }) => delivery.id);
    dispatcher.review('d_1');
    const expected = Array.from({ length: 9 }, (_, n) => `a.test/${n}`).map((id) =>
      hanging.includes(id) || id < 'a.test/3' ? { id, ...underWay } : { id, ...untried },
    );
    await soon(async () => expect(await rowsOf(db)).toEqual(expected));
  });

  it('never lets two attempts of one delivery be under way, though leases run out in the midst', async () => {
    const { db, url } = await openDatabase();
    const hosts = Array.from({ length: 12 }, (_, n) => `h${n}.test`);
    await addWebhooks(db, hosts);
    await addDeliveries(db, hosts, {}, 2);
    const now = new Set<string>();
    const attempts: string[] = [];
    const overlaps: string[] = [];
    const attempt = ({ id, attempts: count }: LeasedDelivery, signal: AbortSignal): Promise<Attempt> => {
      if (now.has(id)) overlaps.push(id);
      now.add(id);
      attempts.push(`${id} ${count}`);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          now.delete(id);
          resolve(NO_ANSWER);
        });
      });
    };
    const settings = { attempt, retryDelays: [0, 0, 0], timeoutMs: 200, leaseMs: 260 };
    const dispatchers = Array.from({ length: 3 }, () => startDispatcher(open(url), settings));
    for (const { run } of dispatchers) run();
    await soon(async () => {
      for (const { review } of dispatchers) review('d_1');
      const { rows } = await db.raw('SELECT DISTINCT status, attempts, leased FROM deliveries');
      expect(rows).toEqual([{ status: 'failed', attempts: 4, leased: false }]);
    });
    expect(overlaps).toEqual([]);
    expect(attempts.length).toBe(new Set(attempts).size);
    expect(attempts.length).toBeGreaterThan(24);
  });
});

describe('createDispatcher: stopping', () => {
  it('waits for what is under way, and gives back what waits: another sends that at once', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['busy.test']);
    await addDeliveries(db, 'busy.test', {}, 5);
    const stopping = startDispatcher(db);
    stopping.start(await claim(db), performance.now());
    stopping.run();
    await soon(() => expect(stopping.begun.length).toBe(2));
    const asked = stopping.begun.map(({ delivery }) => delivery.id).toSorted();
    const waiting = Array.from({ length: 5 }, (_, n) => `busy.test/${n}`).filter((id) => !asked.includes(id));

    const next = startDispatcher(db);
    let isClosed = false;
    const closed = stopping.close().then(() => {
      isClosed = true;
    });
    next.run();
    await soon(() => {
      for (const { settle } of next.begun) settle(OK);
      expect(next.tried().toSorted()).toEqual(waiting.map((id) => [id, 1]));
    });
    expect([isClosed, stopping.begun.map(({ signal }) => signal.aborted)]).toEqual([false, [false, false]]);
    for (const { settle } of stopping.begun) settle(OK);
    await closed;
    expect(stopping.begun.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    expect(await rowsOf(db, asked)).toEqual(asked.map((id) => ({ id, ...succeeded })));
  });

  it('cuts what takes too long: another sends that at once, unless its answer has just come', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['slow.test', 'late.test', 'deaf.test']);
    for (const host of ['slow.test', 'late.test', 'deaf.test']) await addDeliveries(db, host);
    const stopping = startDispatcher(db, {
      limits: testLimits({ delivery: { stopTimeoutMs: 50, abortTimeoutMs: 100 } }),
    });
    stopping.start(await claim(db), performance.now());
    stopping.run();
    await soon(() => expect(stopping.begun.length).toBe(3));
    const slow = stopping.begun.find(({ delivery }) => delivery.receiver === 'slow.test');
    slow?.signal.addEventListener('abort', () => slow.settle(NO_ANSWER));
    // Its answer has come just before it is cut.
    const late = stopping.begun.find(({ delivery }) => delivery.receiver === 'late.test');
    late?.signal.addEventListener('abort', () => setImmediate(() => late.settle(OK)));
    await stopping.close();
    expect(stopping.begun.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect(await rowsOf(db, ['deaf.test/0', 'late.test/0'])).toEqual([
      { id: 'deaf.test/0', ...underWay },
      { id: 'late.test/0', ...succeeded },
    ]);
    const next = startDispatcher(db);
    next.run();
    await soon(() => expect(next.tried()).toEqual([['slow.test/0', 1]]));
  });

  it('begins nothing that is leased while it stops, and gives that back', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test', 'b.test']);
    await addDeliveries(db, 'a.test', {}, 2);
    const dispatcher = startDispatcher(db);
    dispatcher.run();
    await soon(() => expect(dispatcher.begun.length).toBe(2));
    dispatcher.drain();
    await addDeliveries(db, 'b.test');
    dispatcher.start(await claim(db), performance.now());
    for (const { settle } of dispatcher.begun) settle(OK);
    await dispatcher.close();
    expect(dispatcher.begun.length).toBe(2);
    expect(await rowsOf(db)).toEqual([
      { id: 'a.test/0', ...succeeded },
      { id: 'a.test/1', ...succeeded },
      { id: 'b.test/0', ...untried },
    ]);
  });
});

describe('createDispatcher: stopping while the database is away', () => {
  it.each(['refused', 'hanging'])(
    'ends, and what has succeeded is sent again at worst: connections are %s',
    async (trouble) => {
      const { db: direct, url } = await openDatabase();
      let isAway = false;
      const proxy = await proxyTo(
        url,
        () => ({}),
        ({ client, postgres, end }) => {
          client.on('data', (bytes) => {
            if (!isAway) postgres.write(bytes);
            else if (trouble === 'refused') end();
          });
          postgres.pipe(client);
          if (isAway && trouble === 'refused') end();
        },
      );
      onTestFinished(proxy.close);
      await addWebhooks(direct, ['a.test']);
      await addDeliveries(direct, 'a.test');
      const db = open(proxy.url);
      const dispatcher = startDispatcher(db, { limits: testLimits({ delivery: { storeOutcomesTimeoutMs: 200 } }) });
      dispatcher.start(await claim(db), performance.now());
      isAway = true;
      for (const { settle } of dispatcher.begun) settle(OK);
      await dispatcher.close();
      expect(await rowsOf(direct)).toEqual([{ id: 'a.test/0', ...underWay }]);
      // It has not waited until the statement is given up that has no answer.
      expect(proxy.links.size > 0).toBe(trouble === 'hanging');
      await proxy.close();
    },
  );
});

describe('createDispatcher: many', () => {
  it('of 800 due deliveries three processes attempt each once, and write all down', async () => {
    const { db, url } = await openDatabase();
    const hosts = Array.from({ length: 8 }, (_, n) => `h${n}.test`);
    await addWebhooks(db, hosts);
    await addDeliveries(db, hosts, {}, 100);
    const attempts = new Map<string, number>();
    const attempt = async ({ id }: LeasedDelivery): Promise<Attempt> => {
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
      return OK;
    };
    for (let process = 0; process < 3; process += 1) startDispatcher(open(url), { attempt }).run();
    await vi.waitFor(
      async () => {
        const { rows } = await db.raw(
          'SELECT status, attempts, leased, last_status, count(*) FROM deliveries GROUP BY 1, 2, 3, 4',
        );
        expect(rows).toEqual([{ status: 'succeeded', attempts: 1, leased: false, last_status: 200, count: 800 }]);
      },
      { timeout: 60_000, interval: 50 },
    );
    expect([attempts.size, new Set(attempts.values())]).toEqual([800, new Set([1])]);
  });

  it('dead receivers with large submissions due hold up no live one', async () => {
    const { db } = await openDatabase();
    const dead = Array.from({ length: 8 }, (_, n) => `dead${n}.test`);
    await addWebhooks(db, [...dead, 'live.test']);
    // 128 MiB in all, receiver after receiver.
    await db.raw(`
      INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
      SELECT 'd_1', 1, 'sub_1', format('{"a":"%s"}', repeat('x', 256 * 1024 - 20))::json, '127.0.0.1', now()`);
    await addDeliveries(db, dead, { submission: 'sub_1' }, 64);
    const dispatcher = startDispatcher(db);
    dispatcher.run();
    await soon(() => expect(dispatcher.begun.length).toBeGreaterThan(dead.length));
    await addDeliveries(db, 'live.test');
    dispatcher.review('d_1');
    await soon(() => expect(dispatcher.tried()).toContainEqual(['live.test/0', 1]));
  });
});
