import { describe, expect, it } from 'vitest';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import type { FileBucket } from '../../src/files/files-bucket.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import { newFileId, newSubmissionId } from '../../src/lib/ids.ts';
import { SubmissionStore } from '../../src/submissions/submission-store.ts';
import { testLimits } from '../support/test-limits.ts';
import { testService } from '../support/test-service.ts';

const PAGE = '<p>';

const service = await testService();

const startStore = ({
  db = service.db,
  bucket,
  storageLimits = new Map<string, number>(),
  limits = testLimits(),
}: {
  db?: Database;
  bucket?: FileBucket;
  storageLimits?: ReadonlyMap<string, number>;
  limits?: ReturnType<typeof testLimits>;
}) =>
  new SubmissionStore({
    db,
    bucket,
    storageLimits,
    limits,
    wakeDispatcher: () => undefined,
    countBatch: () => undefined,
  });

const submissionTo = (deploymentId: string, data = '{}') => ({
  id: newSubmissionId(),
  deploymentId,
  data,
  ipAddress: '127.0.0.1',
});

describe('SubmissionStore', () => {
  it('stores the neighbours of a row that Postgres refuses, each once, in order', async () => {
    const owner = await service.owner();
    const [one, other] = [await owner.deploy(), await owner.deploy()];
    const store = startStore({});
    const send = (deploymentId: string, data: string) =>
      store.store(submissionTo(deploymentId, data), { files: [] }).then(
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

  it.each([
    ['in a batch', {}],
    ['in a transaction', { isRetry: true }],
  ])('waits for a deployment that another transaction has locked, and then gives up: %s', async (_how, options) => {
    const { id } = await (await service.owner()).deploy();
    const store = startStore({ limits: testLimits({ submissions: { lockedWaitTimeoutMs: 0 } }) });
    const send = () => store.store(submissionTo(id), { files: [], ...options });
    await service.db.transaction(async (transaction) => {
      await transaction.raw('SELECT FROM deployments WHERE id = ? FOR UPDATE', [id]);
      await expect(send()).rejects.toBeInstanceOf(BusyError);
    });
    expect(await send()).toEqual({ kind: 'accepted' });
  });

  it('refuses a flood without a query, until the form changes', async () => {
    const { id } = await (await service.owner()).deploy();
    const store = startStore({});
    const send = async () => (await store.store(submissionTo(id), { files: [] })).kind;
    const setAccepted = (count: number) =>
      service.db.raw(
        'UPDATE deployments SET recent_submissions = array_fill(clock_timestamp(), ARRAY[?::int]) WHERE id = ?',
        [count, id],
      );
    await setAccepted(10);
    expect(await send()).toBe('rate-limited');
    await setAccepted(0);
    expect(await send()).toBe('rate-limited');
    store.invalidate(id);
    expect(await send()).toBe('accepted');
  });

  it('delivers what comes after a webhook was added, though the form had none a moment ago', async () => {
    const { id } = await (await service.owner()).deploy();
    const store = startStore({});
    const send = () => store.store(submissionTo(id), { files: [] });
    const pending = async () => (await service.db.raw('SELECT FROM deliveries WHERE deployment_id = ?', [id])).rowCount;
    expect([await send(), await send(), await pending()]).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }, 0]);
    await service.db.raw(
      `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events, active)
       VALUES ('wh_' || ?, ?, 'http://a.test/', 'a.test', 'generic', '{submission}', true)`,
      [id, id],
    );
    expect([await send(), await pending()]).toEqual([{ kind: 'accepted' }, 1]);
    expect([await send(), await pending()]).toEqual([{ kind: 'accepted' }, 2]);
  });

  it('fails all that wait once the database is away', async () => {
    const away = connect({ connectionString: 'postgres://127.0.0.1:1/none' }, { limits: testLimits() });
    const store = startStore({ db: away });
    const all = Array.from({ length: 20 }, (_, index) =>
      store.store(submissionTo(`d_${index}`), { files: [], isRetry: true }).catch((error) => error.code),
    );
    expect(await Promise.all(all)).toEqual(all.map(() => 'ECONNREFUSED'));
    await away.close();
  });

  it('puts no file into the bucket when the owner has no storage left, and discards what is not stored', async () => {
    const file = { id: newFileId(), filename: 'cv.txt', contentType: 'text/plain', content: Buffer.from('Ada') };
    const objects: string[] = [];
    const bucket = {
      async put() {
        objects.push('put');
        return { id: `obj_${objects.length}`, sha256: Buffer.alloc(32), putAt: Date.now() };
      },
      discard: (discarded: readonly { id: string }[]) => objects.push(...discarded.map(({ id }) => `discarded ${id}`)),
    };
    const { id } = await (await service.owner({ plan: 'free' })).deploy({ html: PAGE });
    const all = PAGE.length + file.content.length;
    const small = startStore({ bucket, storageLimits: new Map([['free', all - 1]]) });
    expect(await small.store(submissionTo(id), { files: [file] })).toEqual({ kind: 'storage-full' });
    expect(objects).toEqual([]);
    const large = startStore({ bucket, storageLimits: new Map([['free', all]]) });
    const first = submissionTo(id);
    const solution = { hash: Buffer.from(first.id), expiresAt: new Date() };
    expect(await large.store(first, { files: [file], solution })).toEqual({ kind: 'accepted' });
    expect(objects).toEqual(['put']);
    await service.db('storage').update({ used: 0 });
    const again = { files: [{ ...file, id: newFileId() }], solution };
    expect(await startStore({ bucket }).store(submissionTo(id), again)).toEqual({ kind: 'solution-used' });
    expect(objects).toEqual(['put', 'put', 'discarded obj_2']);
  });
});
