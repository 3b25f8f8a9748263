import { describe, expect, it } from 'vitest';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, failure } from '../../support/answers.ts';
import { asOwner, JSON_TYPE, type Owner, testService } from '../../support/test-service.ts';

const HOOK = 'https://hooks.invalid/a';

const service = await testService({ PLAN_LIMITS: 'free:1,unlimited:none' });
const owner = await service.owner();
const other = await service.another();
const { id: deploymentId } = await owner.deploy();

let keys = 0;
/** A key that no other test has. */
const newKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};

const post = (path: string, key: string, body: object, by: Owner = owner) =>
  by.post(path).set('Idempotency-Key', key).send(body);

const age = (interval: string): Promise<unknown> =>
  service.db.raw('UPDATE owner_idempotency_keys SET created_at = created_at - ?::interval', [interval]);

/** Endpoints that make something, and the count of what they have made. */
const MAKING = [
  {
    path: '/deploy',
    body: { html: '<h1>Hello</h1>' },
    changed: { html: '<h1>Other</h1>' },
    count: async () => (await owner.get('/deploy')).body.total,
  },
  {
    path: `/webhooks/${deploymentId}`,
    body: { url: HOOK },
    changed: { url: HOOK, type: 'slack' },
    count: async () => (await owner.get(`/webhooks/${deploymentId}`)).body.webhooks.length,
  },
];

describe.each(MAKING)('POST $path with an Idempotency-Key', ({ path, body, changed, count }) => {
  it('makes one thing, and answers the same each time', async () => {
    const [key, before] = [newKey(), await count()];
    const first = await post(path, key, body).expect(201);
    const again = await post(path, key, { ...body, unknown: 1 });
    expect([answer(again), again.headers.location]).toEqual([answer(first), first.headers.location]);
    expect(await count()).toBe(before + 1);
    const { id } = (await post(path, newKey(), body).expect(201)).body;
    expect(id).not.toBe(first.body.id);
  });

  it('makes one thing when many come at once, to two processes', async () => {
    const [key, before] = [newKey(), await count()];
    const elsewhere = asOwner(other.url, owner.key);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => post(path, key, body, index % 2 === 0 ? owner : elsewhere)),
    );
    const [first] = answers;
    expect(answers.map(answer)).toEqual(answers.map(() => ({ status: 201, body: first?.body })));
    expect(await count()).toBe(before + 1);
  });

  it('is a 422 for another request, and makes nothing', async () => {
    const key = newKey();
    await post(path, key, body).expect(201);
    const before = await count();
    for (const [where, what] of [
      [path, changed],
      ['/deploy', { html: 'x' }],
      [`/webhooks/${deploymentId}`, { url: `${HOOK}/2` }],
    ] as const) {
      const refused = await post(where, key, what);
      expect([answer(refused), refused.headers['error-code']]).toEqual([
        { status: 422, body: failure },
        'idempotency-key-reused',
      ]);
    }
    expect(await count()).toBe(before);
  });

  it('remembers successes only, for 24 hours, each owner their own', async () => {
    const key = newKey();
    await post(path, key, {}).expect(400);
    const first = await post(path, key, body).expect(201);
    await age('23 hours 59 minutes');
    expect((await post(path, key, body)).body).toEqual(first.body);
    await age('1 minute');
    expect((await post(path, key, changed).expect(201)).body.id).not.toBe(first.body.id);
    const stranger = await service.owner();
    const theirs = path === '/deploy' ? path : `/webhooks/${(await stranger.deploy()).id}`;
    expect((await post(theirs, key, body, stranger).expect(201)).body.id).not.toBe(first.body.id);
  });

  it.each(['', 'x'.repeat(SIZES.idempotencyKey.maxKeyChars + 1)])(
    'is a 400 for a key that is none: %j',
    async (key) => {
      const response = await fetch(service.url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': key, ...JSON_TYPE },
        body: JSON.stringify(body),
      });
      expect([response.status, await response.json()]).toEqual([400, failure]);
    },
  );
});

it('answers as the first time whatever became of it: deleted, or at the limit of the plan', async () => {
  const poor = await service.owner({ plan: 'free' });
  const [key, hookKey] = [newKey(), newKey()];
  const made = await post('/deploy', key, { html: 'x' }, poor).expect(201);
  const hooks = `/webhooks/${made.body.id}`;
  const hook = await post(hooks, hookKey, { url: HOOK }, poor).expect(201);
  await poor.delete(`${hooks}/${hook.body.id}`).expect(200);
  expect(answer(await post(hooks, hookKey, { url: HOOK }, poor))).toEqual(answer(hook));
  expect(answer(await post('/deploy', key, { html: 'x' }, poor))).toEqual(answer(made));
  await poor.delete(`/deploy/${made.body.id}`).expect(200);
  expect(answer(await post('/deploy', key, { html: 'x' }, poor))).toEqual(answer(made));
  expect((await poor.get('/deploy')).body.total).toBe(0);
});

it('makes nothing, and leaves the key free, where the request is refused', async () => {
  const poor = await service.owner({ plan: 'free' });
  const { id } = await poor.deploy();
  const key = newKey();
  await post('/deploy', key, { html: 'x' }, poor).expect(403);
  await poor.delete(`/deploy/${id}`).expect(200);
  await post('/deploy', key, { html: 'y' }, poor).expect(201);
});

describe('the keys of an owner', () => {
  const rows = () => service.db('owner_idempotency_keys');

  it('are remembered up to a number, the last ones', async () => {
    const many = await service.owner();
    const oldest = newKey();
    const first = await post('/deploy', oldest, { html: 'x' }, many).expect(201);
    const { owner_id: ownerId } = await rows().orderBy('created_at', 'desc').first();
    await service.db.raw(
      `INSERT INTO owner_idempotency_keys (owner_id, key_hash, request_hash, answer, created_at)
       SELECT ?, int4send(n), int4send(n), '{}', now() + n * interval '1 us' FROM generate_series(1, ?::int) AS n`,
      [ownerId, SIZES.idempotencyKey.maxOfOwner - 1],
    );
    expect((await post('/deploy', oldest, { html: 'x' }, many)).body).toEqual(first.body);
    await post('/deploy', newKey(), { html: 'x' }, many).expect(201);
    expect((await rows().where({ owner_id: ownerId })).length).toBe(SIZES.idempotencyKey.maxOfOwner);
    expect((await post('/deploy', oldest, { html: 'x' }, many).expect(201)).body.id).not.toBe(first.body.id);
  });

  it('are removed when they have expired', async () => {
    await post('/deploy', newKey(), { html: 'x' }).expect(201);
    await age('24 hours');
    await post('/deploy', newKey(), { html: 'x' }).expect(201);
    await removeOldRows(service.db, { logStart: new Date(0) });
    expect((await rows()).length).toBe(1);
  });
});
