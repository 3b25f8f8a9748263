import { randomUUID } from 'node:crypto';
import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../src/db/postgres/connect.ts';
import { inParallel, ms, record } from '../support/figures.ts';
import { testLimits } from '../support/limits.ts';
import { type Cluster, hasPatroni, type Member, startCluster } from '../support/patroni.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { asOwner, BASE_URL, getPage, JSON_TYPE, type Owner, PAGES_DOMAIN } from '../support/service.ts';
import { keyIn } from '../support/test-process.ts';

/** So many that a visitor never reaches the rate limit of one. */
const FORMS = 300;
const VISITORS = 4;
/** Earlier ones may lose what was acknowledged when a leader that was frozen resumes. */
const FIRST_SAFE_PATRONI = 4;
/** So many pages are read all the time. */
const PAGES = 10;
const PAUSE_MS = 150;
/** Ten, and what two processes had under way when there were as many. */
const MOST_STUCK = 30;
const PATIENCE_MS = 90_000;

const soon = (check: () => PromiseLike<unknown>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });
const pause = (waitMs: number) => new Promise((resolve) => setTimeout(resolve, waitMs));

const settings = { BASE_URL, PAGES_DOMAIN, LOG_LEVEL: 'silent' };

let cluster: Cluster;
let services: ServiceProcess[] = [];
let owner: Owner;
let key: string;
const forms: { id: string; slug: string }[] = [];
let sent = 0;

type Answer = { n: string; url: string; status: number; id: string | undefined; key: string | undefined; at: number };

/** Visitors of `urls`, a third of whom send again, with the same key, what was not acknowledged; and a reader of pages. */
function startVisitors() {
  const urls = services.map(({ url }) => url);
  const answers: Answer[] = [];
  const pages: number[] = [];
  /** The processes that have all pages in memory. */
  const isRead = new Set<string>();
  const until = new AbortController();

  async function submit(url: string, n: string, idempotencyKey: string | undefined): Promise<number> {
    const headers = { ...JSON_TYPE, ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) };
    const form = forms[Number(n) % FORMS]?.id;
    const response = await fetch(`${url}/submit/${form}`, { method: 'POST', headers, body: JSON.stringify({ n }) });
    const { id }: { id?: string } = JSON.parse(await response.text());
    answers.push({ n, url, status: response.status, id, key: idempotencyKey, at: performance.now() });
    await pause(PAUSE_MS);
    return response.status;
  }

  async function visit(url: string): Promise<void> {
    while (!until.signal.aborted) {
      sent += 1;
      const n = String(sent);
      const idempotencyKey = sent % 3 === 0 ? `"${randomUUID()}"` : undefined;
      let status = await submit(url, n, idempotencyKey);
      while (status !== 200 && idempotencyKey !== undefined) status = await submit(url, n, idempotencyKey);
    }
  }

  async function read(url: string): Promise<void> {
    // What is in memory is served without a database.
    for (const { slug } of forms.slice(0, PAGES)) await getPage(url, slug).expect(200);
    isRead.add(url);
    for (let at = 0; !until.signal.aborted; at += 1) {
      const { status } = await getPage(url, forms[at % PAGES]?.slug ?? '');
      pages.push(status);
      await pause(PAUSE_MS);
    }
  }

  const all = [
    ...Array.from({ length: VISITORS }, (_none, at) => visit(urls[at % urls.length] ?? '')),
    ...urls.map(read),
  ];
  const ended = Promise.all(all);
  ended.catch(() => undefined);
  onTestFinished(() => until.abort());

  return {
    answers,
    /** Settles when each process has stored a further submission. */
    async succeed(): Promise<void> {
      await soon(async () => expect(isRead.size).toBe(urls.length));
      const now = performance.now();
      for (const url of urls) {
        await soon(async () =>
          expect(answers.some((each) => each.url === url && each.status === 200 && each.at > now)).toBe(true),
        );
      }
      for (const url of urls) await soon(() => request(url).get('/readyz').expect(200));
    },
    /** Ends, and compares what was answered with what is stored. Prints the longest time without a success. */
    async end(what: string, losesNothing = true): Promise<void> {
      until.abort();
      await ended;
      const waits = urls.map((url) => {
        const times = answers.filter((each) => each.url === url && each.status === 200).map(({ at }) => at);
        return Math.max(...times.map((at, place) => at - (times[place - 1] ?? at)));
      });
      const leader = connect({ connectionString: (await cluster.the('leader')).url }, { limits: testLimits() });
      const rows = await leader<{ id: string; data: string }>('submissions')
        .select('id', 'data')
        .finally(() => leader.close());
      const stored = new Map<string, string[]>();
      for (const { id, data } of rows) {
        const { n }: { n: string } = JSON.parse(data);
        stored.set(n, [...(stored.get(n) ?? []), id]);
      }
      const accepted = answers.filter(({ status }) => status === 200);
      const lost = accepted.filter(({ n, id }) => id === undefined || !stored.get(n)?.includes(id));
      record(`patroni ${cluster.version}, ${what}`, {
        'without a success': waits.map(ms).join(', '),
        'answered 200': `${accepted.length} of ${answers.length}`,
        'acknowledged and lost': lost.length,
        'pages served': `${pages.filter((each) => each === 200).length} of ${pages.length}`,
      });
      if (losesNothing) expect(lost).toEqual([]);
      expect([...stored].filter(([, ids]) => ids.length > 1)).toEqual([]);
      expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      expect(pages.filter((status) => status !== 200)).toEqual([]);
    },
  };
}

describe.skipIf(!hasPatroni('the tests of a cluster'))(
  'with a cluster of Patroni in DATABASE_URL',
  { timeout: 240_000 },
  () => {
    beforeAll(async () => {
      cluster = await startCluster();
      const start = () => startServiceProcess({ ...settings, DATABASE_URL: cluster.databaseUrl });
      services = [await start(), await start()];
      for (const each of services) await each.ready();
      key = await keyIn(cluster.databaseUrl);
      owner = asOwner(services[0]?.url ?? '', key);
      await inParallel(Array.from({ length: FORMS }), 4, async () => {
        forms.push(await owner.deploy());
      });
    }, 180_000);
    afterAll(async () => {
      for (const { child } of services) child.kill('SIGKILL');
      await cluster?.close();
    });

    it('follows a planned switchover', async () => {
      await cluster.settled();
      const visitors = startVisitors();
      await visitors.succeed();
      await cluster.switchover();
      await visitors.succeed();
      await cluster.settled();
      await visitors.succeed();
      await visitors.end('a planned switchover');
    });

    it('goes on when another standby is named in place of a frozen one, and is not ready without any', async () => {
      await cluster.settled();
      const visitors = startVisitors();
      await visitors.succeed();
      const [leader, standby] = [await cluster.the('leader'), await cluster.the('sync_standby')];
      const frozen: Member[] = [];
      const freeze = async (member: Member): Promise<void> => {
        frozen.push(member);
        await member.freeze();
      };
      onTestFinished(async () => {
        for (const each of frozen) await each.thaw();
      });
      await freeze(standby);
      await visitors.succeed();
      const followedAt = visitors.answers.length;

      const watcher = new pg.Client({ connectionString: leader.url });
      watcher.on('error', () => undefined);
      await watcher.connect();
      onTestFinished(() => watcher.end());
      let most = 0;
      const stuck = async (): Promise<number> => {
        const { rowCount } = await watcher.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        most = Math.max(most, rowCount ?? 0);
        return rowCount ?? 0;
      };
      for (const each of cluster.members) if (each !== leader && each !== standby) await freeze(each);
      await owner.get(`/submissions/${forms[0]?.id}`).expect(200);
      await soon(async () => expect(await stuck()).toBeGreaterThan(0));
      for (const each of frozen) await each.thaw();
      await visitors.succeed();
      await cluster.settled();
      expect(most).toBeLessThanOrEqual(MOST_STUCK);
      record(`patroni ${cluster.version}, no standby answered`, {
        'commits that waited at most': most,
        submissions: followedAt,
      });
      await visitors.end('frozen standbys');
    });

    it('follows to the server that takes over from a killed leader', async () => {
      await cluster.settled();
      const visitors = startVisitors();
      await visitors.succeed();
      const leader = await cluster.the('leader');
      await leader.kill();
      await visitors.succeed();
      leader.start();
      await cluster.settled();
      await visitors.succeed();
      await visitors.end('a killed leader');
    });

    it('loses nothing when a frozen leader resumes after another has taken over', async () => {
      await cluster.settled();
      const visitors = startVisitors();
      await visitors.succeed();
      const leader = await cluster.the('leader');
      await leader.freeze();
      onTestFinished(leader.thaw);
      await visitors.succeed();
      await leader.thaw();
      await visitors.succeed();
      // Not `settled`: Patroni 3.0.2 may name no synchronous standby any more after it.
      await cluster.followed();
      await visitors.succeed();
      await visitors.end('a frozen leader', Number.parseInt(cluster.version, 10) >= FIRST_SAFE_PATRONI);
    });

    it('has been served by the same processes all the time, which stop without an error', async () => {
      for (const each of services) expect(await each.stop()).toEqual({ code: 0, stdout: '', stderr: '' });
    });
  },
);
