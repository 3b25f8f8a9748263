import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  findDuePairs,
  type LeasedDelivery,
  leaseDeliveries,
  type Pair,
} from '../../src/db/deliveries/delivery-queue.ts';
import type { Database } from '../../src/db/postgres/connect.ts';
import type { Attempt } from '../../src/delivery/attempt.ts';
import { attemptTimeMs, Dispatcher } from '../../src/delivery/dispatcher.ts';
import { Sender } from '../../src/delivery/sender.ts';
import { createLog } from '../../src/lib/log.ts';
import { aSentence } from '../support/answers.ts';
import { openDatabase as open, testDatabase } from '../support/fresh-database.ts';
import { type Link, proxyTo } from '../support/postgres-proxy.ts';
import { testLimits } from '../support/test-limits.ts';

const KIB = 1024;

const RETRY_DELAYS = [60, 3_600];
const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 15_000;
const LEASE_MS = 60_000;

const OK: Attempt = { status: 200 };
const NO_ANSWER: Attempt = { error: 'no answer' };

const SENDER_OPTIONS = {
  allowedNetworks: [],
  own: { isIn: () => false, isAt: () => false },
  urlOf: (slug: string) => `https://${slug}.pages.test`,
  baseUrl: 'https://api.test',
  links: () => Promise.reject(new Error('No link is made.')),
  formsOf: () => Promise.reject(new Error('No label is read.')),
  readDigest: () => Promise.reject(new Error('No digest is written.')),
  reserveConfirmation: () => Promise.reject(new Error('No visitor gets mail.')),
  limits: testLimits(),
  smtpUrl: undefined,
  mailFrom: { name: '', address: 'formhost@test.example' },
};

const soon = (holds: () => unknown): Promise<unknown> => vi.waitFor(holds, { timeout: 60_000, interval: 10 });

const database = await testDatabase();

/** The database with one deployment and nothing else. */
async function openDatabase(): Promise<{ db: Database; url: string }> {
  await database.clear();
  const db = open(database.url);
  await db.raw(`
    INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited');
    INSERT INTO deployments (id, owner_id, slug) SELECT 'd_1', id, 'a-form' FROM owners`);
  return { db, url: database.url };
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
  /** The time in a form that Postgres reads. */
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
    `INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, event, receiver, next_attempt_at, created_at, updated_at)
     SELECT format('%s/%s/%s', owner, :host::text, n), 'd_' || owner, owner, CASE WHEN :host <> '@mail' THEN 'wh_' || owner END,
            CASE WHEN :host <> '@mail' THEN 'submission' ELSE 'webhook-off' END, :host, now() + :next::interval, now(), now()
       FROM generate_series(:from::int, :to::int) AS owner, generate_series(0, :count::int - 1) AS n`,
    { from, to, host, next, count },
  );

/**
 * Adds as many deliveries to each of these hosts, which have webhooks; named after them.
 */
const addDeliveries = (db: Database, hosts: string | readonly string[], row: Row = {}, count = 1) =>
  db.raw(
    `INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, submission_id, event, receiver, bytes, status,
                             attempts, leased, next_attempt_at, created_at, updated_at)
     SELECT format('%s/%s', host, n), 'd_1', 1, 'wh_' || host, :submission, 'submission', host,
            coalesce((SELECT octet_length(data::text) FROM submissions WHERE id = :submission), 0), :status, :attempts, :leased,
            CASE :next WHEN 'infinity' THEN 'infinity' ELSE now() + nullif(:next, 'infinity')::interval END, now(), now()
       FROM unnest(:hosts::text[]) AS host, generate_series(0, :count::int - 1) AS n`,
    { hosts: [hosts].flat(), count, ...DUE, ...row },
  );

/** Adds a mail that is due. */
const addNotice = (db: Database, id: string) =>
  db.raw(
    `INSERT INTO deliveries (id, deployment_id, owner_id, event, next_attempt_at, created_at, updated_at)
     VALUES (?, 'd_1', 1, 'webhook-off', now(), now(), now())`,
    [id],
  );

/** The part of the deliveries' rows that the tests compare. */
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

const LEASE = { memory: 1_000_000, leaseMs: LEASE_MS, mailLeaseMs: 20 * LEASE_MS, maxAttempts: MAX_ATTEMPTS };

/** Leases what is due, as a process does that has 64 slots for each pair. */
async function lease(db: Database): Promise<LeasedDelivery[]> {
  const { pairs } = await findDuePairs(db);
  return (await leaseDeliveries(db, Array<Pair[]>(64).fill(pairs).flat(), LEASE)).deliveries;
}

type Begun = { delivery: LeasedDelivery; signal: AbortSignal; settle(result: Attempt): void };
type Options = ConstructorParameters<typeof Dispatcher>[0];
type Settings = Partial<
  Pick<Options, 'retryDelays' | 'timeoutMs' | 'leaseMs' | 'limits' | 'log'> & { attempt: Options['sender']['attempt'] }
>;

/** A dispatcher as of a process of its own, whose attempts a test settles, unless it gives a way to. */
function startDispatcher(db: Database, { attempt, ...settings }: Settings = {}) {
  const begun: Begun[] = [];
  let isOver = false;
  const hold: Options['sender']['attempt'] = (delivery, signal) => {
    if (isOver) return Promise.resolve(OK);
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    begun.push({ delivery, signal, settle: resolve });
    return promise;
  };
  const dispatcher = new Dispatcher({
    db,
    sender: { attempt: attempt ?? hold },
    retryDelays: RETRY_DELAYS,
    timeoutMs: TIMEOUT_MS,
    leaseMs: LEASE_MS,
    limits: testLimits(),
    log: createLog('silent'),
    count: () => undefined,
    ...settings,
  });
  dispatcher.run();
  onTestFinished(async () => {
    isOver = true;
    for (const { settle } of begun) settle(OK);
    await dispatcher.close();
  });
  return {
    dispatcher,
    begun,
    /** Ids and counts of what was begun. */
    tried: () => begun.map(({ delivery }): [id: string, attempts: number] => [delivery.id, delivery.attempts]),
  };
}

describe('Dispatcher: what it leases', () => {
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
    const { dispatcher, begun, tried } = startDispatcher(db);
    await expect.poll(() => begun.length).toBeGreaterThan(0);
    // Leased later than all the others would have been.
    await addDeliveries(db, 'marker');
    dispatcher.wake();
    await expect.poll(() => tried()).toContainEqual(['marker/0', 1]);

    const leased = new Map(tried());
    const ofProcess = { 'left by a process that died/0': 2, 'made due by hand after the last attempt/0': 4 };
    expect(Object.fromEntries(leased)).toEqual({ 'due/0': 1, 'due again/0': 3, ...ofProcess, 'marker/0': 1 });
    const ids = Object.keys(rows).map((host) => `${host}/0`);
    expect(await rowsOf(db, ids)).toEqual(
      before.map((row: { id: string; attempts: number; leased: boolean }) => ({
        ...row,
        attempts: leased.get(row.id) ?? row.attempts,
        leased: leased.has(row.id) || row.leased,
      })),
    );
  });

  it('fails one whose last lease ran out without an outcome, and sends it no more', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test');
    for (let process = 1; process <= MAX_ATTEMPTS; process += 1) {
      const { dispatcher, tried } = startDispatcher(db);
      await expect.poll(() => tried()).toEqual([['a.test/0', process]]);
      // A dispatcher that drains stands for a dead process: it leases nothing more.
      dispatcher.drain();
      await expireLeases(db);
    }
    const last = startDispatcher(db);
    await soon(async () =>
      expect(await rowsOf(db)).toEqual([
        { ...untried, id: 'a.test/0', status: 'failed', attempts: MAX_ATTEMPTS, last_error: aSentence },
      ]),
    );
    expect(last.begun).toEqual([]);
  });

  it('is nothing that another process is leasing, and waits for none', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test');
    const { pairs } = await findDuePairs(db);
    await db.transaction(async (other) => {
      expect((await leaseDeliveries(other, pairs, LEASE)).deliveries).toHaveLength(1);
      expect(await lease(db)).toEqual([]);
    });
  });

  it('is of every receiver, whatever is due to another; five mails at a time', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['crowded.test', 'quiet.test']);
    await addDeliveries(db, 'crowded.test', { next: '1 day ago' }, 200);
    await addDeliveries(db, 'quiet.test');
    await db.raw(`
      INSERT INTO deliveries (id, deployment_id, owner_id, event, next_attempt_at, created_at, updated_at)
      SELECT format('mail/%s', n), 'd_1', 1, 'webhook-off', now(), now(), now() FROM generate_series(0, 7) AS n`);
    const { begun, tried } = startDispatcher(db);
    await expect.poll(() => tried()).toContainEqual(['quiet.test/0', 1]);
    const mails = () => begun.filter(({ delivery }) => delivery.event === 'webhook-off');
    let most = 0;
    for (let ended = 0; ended < 8; ended += 1) {
      // Two until the first is answered.
      const running = ended === 0 ? 2 : Math.min(5, 8 - ended);
      await expect.poll(() => mails().length - ended).toBeGreaterThanOrEqual(running);
      most = Math.max(most, mails().length - ended);
      mails()[ended]?.settle(OK);
    }
    expect(most).toBe(5);
  });

  it('fails alone where it cannot be decoded', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test', 'b.test']);
    await addDeliveries(db, ['a.test', 'b.test'], {}, 2);
    const change = (id: string, row: object) => db('deliveries').where({ id }).update(row);
    await change('a.test/0', { event: 'submission.updated' });
    await change('b.test/0', { event: 'digest' });
    const NOTICE = {
      webhook_id: 'wh_1',
      url: 'http://a.test/',
      gone: true,
      last_error: '',
      failing_since: '2026-11-26',
    };
    const mail = (id: string, event: string, notice: string) =>
      db.raw(
        `INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
         VALUES (?, 'd_1', 1, ?, ?, now(), now(), now())`,
        [id, event, notice],
      );
    await db.raw('UPDATE deployments SET email_notifications = true');
    await mail('broken digest', 'digest', '{"after":1,"last":');
    await mail('broken notice', 'webhook-off', '{"webhook_id":');
    await mail('notice', 'webhook-off', JSON.stringify(NOTICE));
    const messages: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void messages.push(line) });
    const sender = new Sender({ ...SENDER_OPTIONS, own: { isIn: () => true, isAt: () => true }, log });
    onTestFinished(() => sender.close());
    const attempt: Options['sender']['attempt'] = async (delivery, signal) => {
      const result = await sender.attempt(delivery, signal);
      // Nothing else is sent: every webhook leads here, and mail is off.
      return result.error?.startsWith('the delivery cannot be read') ? result : OK;
    };
    startDispatcher(db, { attempt });
    const why = expect.stringMatching(/^the delivery cannot be read: ./);
    const unreadable = { ...untried, attempts: 1, last_error: why };
    await soon(async () =>
      expect(await rowsOf(db)).toEqual([
        // A newer version may know the event: it is tried again.
        { ...unreadable, id: 'a.test/0' },
        { ...succeeded, id: 'a.test/1' },
        { ...unreadable, id: 'b.test/0', status: 'failed' },
        { ...succeeded, id: 'b.test/1' },
        { ...unreadable, id: 'broken digest', status: 'failed' },
        { ...unreadable, id: 'broken notice', status: 'failed' },
        { ...succeeded, id: 'notice' },
      ]),
    );
    const logged = messages.map((line) => JSON.parse(line).delivery).toSorted();
    expect(logged).toEqual(['a.test/0', 'b.test/0', 'broken digest', 'broken notice']);
  });

  it('has at most so many bytes of submissions at a time, but always one', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test', 'b.test']);
    await db.raw(`
      INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
      SELECT 'd_1', n, 'sub_' || n, format('{"a":"%s"}', repeat('x', ${KIB}))::json, '127.0.0.1', now()
        FROM generate_series(1, 2) AS n`);
    await addDeliveries(db, 'a.test', { submission: 'sub_1' });
    await addDeliveries(db, 'b.test', { submission: 'sub_2' });
    const { begun } = startDispatcher(db, { limits: testLimits({ delivery: { leasedBytes: KIB } }) });
    await expect.poll(() => begun.length).toBe(2);
    const { rows } = await db.raw('SELECT count(DISTINCT updated_at)::int AS leases FROM deliveries');
    expect(rows).toEqual([{ leases: 2 }]);
  });
});

describe('findDuePairs', () => {
  it('goes on where its last walk, which is bounded, has stopped', async () => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 2_501, 'shared.test');
    await addOwned(db, [2, 2_500], 'shared.test', { next: '1 hour' });
    await addOwned(db, [2_501, 2_501], 'shared.test');
    const { tried } = startDispatcher(db);
    await expect.poll(() => tried()).toEqual([['2501/shared.test/0', 1]]);
  });
});

describe('Dispatcher: the owners', () => {
  it.each(['shared.test', '@mail'])('take turns at %s, whichever has been due for longer', async (host) => {
    const { db } = await openDatabase();
    await addOwners(db, 2, 3, host);
    await addOwned(db, [2, 2], host, { next: '1 day ago', count: 200 });
    await addOwned(db, [3, 3], host);
    const { begun } = startDispatcher(db);
    await expect.poll(() => begun.map(({ delivery }) => delivery.ownerId).toSorted()).toEqual([2, 3]);
  });
});

describe('Dispatcher: what it writes down', () => {
  const FAILURE: Attempt = { status: 500, error: 'the receiver answered 500' };
  const [FIRST_DELAY = 0] = RETRY_DELAYS;

  it('is what follows from each attempt', async () => {
    const { db } = await openDatabase();
    const failed = { last_status: 500, last_error: 'the receiver answered 500' };
    const results: Record<string, { before?: number; result: Attempt | Error; row: object; delay: number }> = {
      'bug.test': { result: new Error('Bug'), row: { last_error: aSentence }, delay: FIRST_DELAY },
      'failure.test': { result: FAILURE, row: failed, delay: FIRST_DELAY },
      'last.test': { before: 2, result: FAILURE, row: { status: 'failed', ...failed }, delay: 0 },
      'later.test': { result: { ...FAILURE, retryAfter: 7_000 }, row: failed, delay: 7_000 },
      'silent.test': { result: NO_ANSWER, row: { last_error: 'no answer' }, delay: FIRST_DELAY },
      'success.test': { result: OK, row: { status: 'succeeded', last_status: 200 }, delay: 0 },
    };
    await addWebhooks(db, Object.keys(results));
    for (const [host, { before = 0 }] of Object.entries(results)) await addDeliveries(db, host, { attempts: before });
    startDispatcher(db, {
      async attempt({ receiver }) {
        const { result = NO_ANSWER } = results[receiver] ?? {};
        if (result instanceof Error) throw result;
        return result;
      },
    });
    const rows = Object.entries(results).map(([host, { before = 0, row }]) => ({
      ...{ ...untried, id: `${host}/0`, attempts: before + 1, ...row },
    }));
    await expect.poll(() => rowsOf(db)).toEqual(rows);
    const waits = await db.raw(
      'SELECT extract(epoch FROM next_attempt_at - updated_at)::float8 AS wait FROM deliveries ORDER BY id',
    );
    const delays = Object.values(results).map(({ delay }) => delay);
    const wrong = waits.rows.filter(
      ({ wait }: { wait: number }, at: number) => !(wait >= (delays[at] ?? 0) && wait <= (delays[at] ?? 0) * 1.1),
    );
    expect(wrong).toEqual([]);
  });

  it('is nothing of a delivery whose lease was lost before', async () => {
    const { db } = await openDatabase();
    const hosts = ['a.test', 'b.test', 'c.test'];
    await addWebhooks(db, hosts);
    await addDeliveries(db, hosts);
    const { dispatcher, begun } = startDispatcher(db);
    await expect.poll(() => begun.length).toBe(3);
    dispatcher.drain();
    await expireLeases(db);
    expect((await lease(db)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
    const { rows: before } = await db.raw('SELECT * FROM deliveries ORDER BY id');
    for (const [at, result] of [OK, FAILURE, NO_ANSWER].entries()) begun[at]?.settle(result);
    await dispatcher.close();
    const { rows: after } = await db.raw('SELECT * FROM deliveries ORDER BY id');
    expect(after).toEqual(before);
  });

  it('is kept while the database is away, and written down once when it is back', async () => {
    const { db: direct, url } = await openDatabase();
    let isAway = false;
    let refused = 0;
    const passOn = ({ client, postgres, end }: Link): void => {
      if (!isAway) return void client.pipe(postgres).pipe(client);
      refused += 1;
      end();
    };
    const proxy = await proxyTo(url, () => ({}), passOn);
    onTestFinished(proxy.close);
    const db = open(proxy.url);
    const hosts = Array.from({ length: 12 }, (_, n) => `h${n}.test`);
    await addWebhooks(direct, hosts);
    await addDeliveries(direct, hosts);
    await direct.raw(`
      CREATE TABLE writes (id text);
      CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO writes VALUES (NEW.id); RETURN NULL; END $$`);
    onTestFinished(() => direct.raw('DROP FUNCTION note_write CASCADE; DROP TABLE writes'));
    const { dispatcher, begun } = startDispatcher(db);
    await expect.poll(() => begun.length).toBe(hosts.length);
    await direct.raw('CREATE TRIGGER note AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_write()');

    isAway = true;
    for (const link of proxy.links) link.end();
    const [early, late] = [begun.slice(0, 6), begun.slice(6)];
    for (const { settle } of early) settle(OK);
    await expect.poll(() => refused).toBeGreaterThan(1);
    for (const { settle } of late) settle(OK);
    const { rows: meanwhile } = await direct.raw('SELECT * FROM writes');
    expect(meanwhile).toEqual([]);

    isAway = false;
    const all = hosts.map((host) => `${host}/0`).toSorted();
    await expect.poll(() => rowsOf(direct)).toEqual(all.map((id) => ({ id, ...succeeded })));
    await dispatcher.close();
    const { rows: writes } = await direct.raw('SELECT id FROM writes ORDER BY id COLLATE "C"');
    expect(writes).toEqual(all.map((id) => ({ id })));
  });
});

describe('Dispatcher: leases', () => {
  it('outlive their attempts: one gets no more time than is left, and does not begin with less than nine tenths', () => {
    const times = [60_000, 15_000, 13_500, 13_499].map((left) => attemptTimeMs(15_000, left));
    expect(times).toEqual([15_000, 15_000, 13_500, undefined]);
  });

  it('are given back, and not counted, where too little is left of them', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    await addDeliveries(db, 'a.test');
    // Each lease is too short.
    const { dispatcher, begun } = startDispatcher(db, { leaseMs: TIMEOUT_MS / 2 });
    await soon(async () => {
      const { rows } = await db.raw('SELECT updated_at > created_at AS was_leased, attempts, leased FROM deliveries');
      expect(rows).toEqual([{ was_leased: true, attempts: 0, leased: false }]);
    });
    await dispatcher.close();
    expect([begun, await rowsOf(db)]).toEqual([[], [{ id: 'a.test/0', ...untried }]]);
  });

  it('of mails are longer, as their attempts are', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['a.test']);
    const limits = testLimits({ mail: { attemptTimeoutMs: 30 * LEASE_MS, leaseMarginMs: LEASE_MS } });
    const { begun } = startDispatcher(db, { limits, timeoutMs: 100, leaseMs: 400 });
    const ofMail = () => begun.find(({ delivery }) => delivery.webhook === null);
    await addNotice(db, 'mail');
    await expect.poll(ofMail).toBeDefined();
    await addDeliveries(db, 'a.test');
    // The call was begun later, and has ended.
    const isOver = () => begun.some(({ delivery, signal }) => delivery.webhook !== null && signal.aborted);
    await expect.poll(isOver).toBe(true);
    expect(ofMail()?.signal.aborted).toBe(false);
    const { rows } = await db.raw(
      `SELECT next_attempt_at - updated_at = ? * interval '1 ms' AS is_long FROM deliveries WHERE id = 'mail'`,
      [31 * LEASE_MS],
    );
    expect(rows).toEqual([{ is_long: true }]);
  });

  it('of mails end, and so do their attempts', async () => {
    const { db } = await openDatabase();
    const limits = testLimits({ mail: { attemptTimeoutMs: 200, leaseMarginMs: 100 } });
    const attempt: Options['sender']['attempt'] = (_delivery, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(NO_ANSWER)));
    startDispatcher(db, { attempt, limits });
    await addNotice(db, 'mail');
    await soon(async () => {
      expect(await rowsOf(db)).toEqual([{ id: 'mail', ...untried, attempts: 1, last_error: NO_ANSWER.error }]);
    });
  });

  it('never let two attempts of one delivery run at a time, though they end before the attempts do', async () => {
    const { db, url } = await openDatabase();
    const hosts = Array.from({ length: 12 }, (_, n) => `h${n}.test`);
    await addWebhooks(db, hosts);
    await addDeliveries(db, hosts, {}, 2);
    const running = new Set<string>();
    const attempts: string[] = [];
    const overlaps: string[] = [];
    const attempt = ({ id, attempts: count }: LeasedDelivery, signal: AbortSignal): Promise<Attempt> => {
      if (running.has(id)) overlaps.push(id);
      running.add(id);
      attempts.push(`${id} ${count}`);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          running.delete(id);
          resolve(NO_ANSWER);
        });
      });
    };
    const settings = { attempt, retryDelays: [0, 0, 0], timeoutMs: 200, leaseMs: 260 };
    for (let process = 0; process < 3; process += 1) startDispatcher(open(url), settings);
    await soon(async () => {
      const { rows } = await db.raw('SELECT DISTINCT status, attempts, leased FROM deliveries');
      expect(rows).toEqual([{ status: 'failed', attempts: 4, leased: false }]);
    });
    expect(overlaps).toEqual([]);
    expect(attempts.length).toBe(new Set(attempts).size);
    expect(attempts.length).toBeGreaterThan(24);
  });
});

describe('Dispatcher: stopping', () => {
  it('waits for what runs, and begins nothing more: another process sends the rest at once', async () => {
    const { db } = await openDatabase();
    await addWebhooks(db, ['busy.test']);
    await addDeliveries(db, 'busy.test', {}, 4);
    const stopping = startDispatcher(db);
    await expect.poll(() => stopping.begun.length).toBe(2);
    const closed = stopping.dispatcher.close();
    const next = startDispatcher(db);
    await expect.poll(() => next.begun.length).toBe(2);
    for (const { settle } of stopping.begun) settle(OK);
    await closed;
    expect(stopping.begun.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    const asked = stopping.begun.map(({ delivery }) => delivery.id).toSorted();
    expect(await rowsOf(db, asked)).toEqual(asked.map((id) => ({ id, ...succeeded })));
  });

  it('aborts what takes too long: another sends that at once, unless its answer has just come', async () => {
    const { db } = await openDatabase();
    const hosts = ['slow.test', 'late.test', 'deaf.test'];
    await addWebhooks(db, hosts);
    await addDeliveries(db, hosts);
    const { dispatcher, begun } = startDispatcher(db, {
      limits: testLimits({ delivery: { stopTimeoutMs: 50, abortTimeoutMs: 100 } }),
    });
    await expect.poll(() => begun.length).toBe(3);
    const slow = begun.find(({ delivery }) => delivery.receiver === 'slow.test');
    slow?.signal.addEventListener('abort', () => slow.settle(NO_ANSWER));
    // Its answer has come just before it is aborted.
    const late = begun.find(({ delivery }) => delivery.receiver === 'late.test');
    late?.signal.addEventListener('abort', () => setImmediate(() => late.settle(OK)));
    await dispatcher.close();
    expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect(await rowsOf(db)).toEqual([
      { id: 'deaf.test/0', ...underWay },
      { id: 'late.test/0', ...succeeded },
      { id: 'slow.test/0', ...untried },
    ]);
  });
});
