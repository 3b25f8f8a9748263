import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listKeys, revokeKey } from '../../src/db/account/api-keys.ts';
import { SIZES } from '../../src/limits.ts';
import { failure } from '../support/answers.ts';
import { type Owner, startTestService, type TestService, UNKNOWN_ID } from '../support/service.ts';

const ENDPOINTS = [
  ['POST', '/deploy'],
  ['GET', '/deploy/:id'],
  ['PUT', '/deploy/:id'],
  ['PATCH', '/deploy/:id'],
  ['DELETE', '/deploy/:id'],
  ['GET', '/deploy/:id/settings'],
  ['GET', '/submissions/:id'],
  ['POST', '/webhooks/:id'],
  ['GET', '/webhooks/:id'],
  ['DELETE', '/webhooks/:id/:webhookId'],
] as const;

type Ids = { id: string; webhookId: string };

const NOTHING: Ids = { id: UNKNOWN_ID, webhookId: 'wh_000000000000000000000000' };
/** Good for every endpoint that takes one. */
const BODY = JSON.stringify({ html: 'changed', url: 'https://hooks.example/changed', email_notifications: true });
const UNKNOWN_KEYS = SIZES.unknownKeys.max;

const UNAUTHORIZED = { status: 401, challenge: 'Bearer', retryAfter: null, body: failure };
const THROTTLED = {
  status: 429,
  challenge: null,
  retryAfter: expect.stringMatching(/^([1-9]|[1-5][0-9]|60)$/),
  body: failure,
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ TRUST_PROXY: '1' });
});
afterAll(() => service.close());

let addresses = 0;
/** An address that no other case is counted by. */
function newAddress(): string {
  addresses += 1;
  return `198.51.${Math.floor(addresses / 256)}.${addresses % 256}`;
}

let unknownKeys = 0;
/** A key that could be one, and is not. */
function newUnknownKey(): string {
  unknownKeys += 1;
  return `fh_${String(unknownKeys).padStart(43, '0')}`;
}

/** What an endpoint answers to these credentials, with the headers that go with a refusal. */
async function call(
  authorization: string | undefined,
  {
    method = 'GET',
    path = '/deploy/:id',
    ids = NOTHING,
    address = newAddress(),
    url = service.url,
  }: { method?: string; path?: string; ids?: Ids; address?: string; url?: string } = {},
) {
  const headers = new Headers({ 'Content-Type': 'application/json', 'X-Forwarded-For': address });
  if (authorization !== undefined) headers.set('Authorization', authorization);
  const response = await fetch(url + path.replace(':id', ids.id).replace(':webhookId', ids.webhookId), {
    method,
    headers,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: BODY }),
  });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  };
}

/** How often each status was answered to so many requests, a few of them at a time. */
async function tally(count: number, request: () => Promise<{ status: number }>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status } = await request();
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return counts;
}

/** Has an address use up its unknown keys of the next minute, except so many. */
const useUp = (address: string, except: number, url = service.url) =>
  tally(UNKNOWN_KEYS - except, () => call(`Bearer ${newUnknownKey()}`, { address, url }));

/** A deployment with one submission and one webhook. */
async function furnish(owner: Owner): Promise<Ids> {
  const { id } = await owner.deploy({ html: 'as it was' });
  await service.anonymous.post(`/submit/${id}`).send({ name: 'Ada' });
  const webhook = await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.example/' });
  return { id, webhookId: webhook.body.id };
}

describe('Authorization', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme in any case: %s', async (scheme) => {
    const owner = await service.owner();
    const ids = await furnish(owner);
    expect((await call(`${scheme} ${owner.key}`, { ids })).status).toBe(200);
  });

  const malformed: [string, (key: string) => string][] = [
    ['no key', () => 'Bearer'],
    ['another scheme', (key) => `Token ${key}`],
    ['no scheme', (key) => key],
    ['no space', (key) => `Bearer${key}`],
    ['a second key', (key) => `Bearer ${key} ${key}`],
    ['a list', (key) => `Bearer ${key}, Bearer ${key}`],
    ['quotes', (key) => `Bearer "${key}"`],
    ['a cut key', (key) => `Bearer ${key.slice(0, -1)}`],
    ['more than the key', (key) => `Bearer ${key}0`],
    ['a key in the other case', (key) => `Bearer ${key.toUpperCase()}`],
    ['a key without its prefix', (key) => `Bearer ${key.slice(3)}`],
    ['another prefix', (key) => `Bearer xx_${key.slice(3)}`],
    ['letters that are not ASCII', (key) => `Bearer ${key}é`],
    ['its own hash', (key) => `Bearer ${createHash('sha256').update(key).digest('hex')}`],
    ['a wildcard', () => 'Bearer %'],
    ['a very long key', () => `Bearer fh_${'a'.repeat(10_000)}`],
  ];
  it.each(malformed)('is refused with 401 when it has %s', async (_case, write) => {
    const { key } = await service.owner();
    expect(await call(write(key))).toEqual(UNAUTHORIZED);
  });

  it('is the only place for a key', async () => {
    const { key } = await service.owner();
    const path = `/deploy/:id?access_token=${key}&api_key=${key}&key=${key}`;
    expect(await call(undefined, { path })).toEqual(UNAUTHORIZED);
  });
});

describe('too many unknown keys from one address', () => {
  it('are answered 429 after 300 a minute, and further unknown keys only', async () => {
    const address = newAddress();
    const owner = await service.owner();
    const ids = await furnish(owner);
    const valid = () => call(`Bearer ${owner.key}`, { address, ids });
    const unknown = () => call(`Bearer ${newUnknownKey()}`, { address, ids });
    const malformed = () => call('Bearer fh_short', { address, ids });
    const missing = () => call(undefined, { address, ids });

    await useUp(address, 20);
    // Neither of these counts.
    expect(await tally(40, valid)).toEqual({ 200: 40 });
    expect(await tally(40, malformed)).toEqual({ 401: 40 });

    expect(await tally(30, unknown)).toEqual({ 401: 20, 429: 10 });
    expect(await unknown()).toEqual(THROTTLED);
    for (const [method, path] of ENDPOINTS) {
      expect(await call(`Bearer ${newUnknownKey()}`, { method, path, ids, address })).toEqual(THROTTLED);
    }
    expect([await malformed(), await missing()]).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
    expect((await valid()).status).toBe(200);
    expect(await call(`Bearer ${newUnknownKey()}`)).toEqual(UNAUTHORIZED);
  });

  it('are tried again when their minute is over', async () => {
    const address = newAddress();
    const unknown = () => call(`Bearer ${newUnknownKey()}`, { address });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await useUp(address, 0);
    expect(await unknown()).toEqual(THROTTLED);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await unknown()).toEqual(UNAUTHORIZED);
  });

  it('are not hidden by X-Forwarded-For, which nobody vouches for unless TRUST_PROXY says so', async () => {
    const { url } = await service.another({ TRUST_PROXY: '0' });
    const unknown = () => call(`Bearer ${newUnknownKey()}`, { url });
    await useUp('127.0.0.1', 10, url);
    expect(await tally(11, unknown)).toEqual({ 401: 10, 429: 1 });
    expect(await unknown()).toEqual(THROTTLED);
  });
});

describe('a key', () => {
  it('is refused by every process once it is revoked, and no other key is', async () => {
    const email = 'revoking@test.example';
    const [revoked, kept] = [await service.owner({ email }), await service.owner({ email })];
    const ids = await furnish(revoked);
    const urls = [service.url, (await service.another()).url];
    const answers = (key: string) => Promise.all(urls.map((url) => call(`Bearer ${key}`, { url, ids })));
    const both = async ({ key }: Owner) => (await answers(key)).map(({ status }) => status);
    expect([await both(revoked), await both(kept)]).toEqual([
      [200, 200],
      [200, 200],
    ]);

    const hash = createHash('sha256').update(revoked.key).digest();
    const [{ id }] = await service.db('api_keys').where({ hash });
    await revokeKey(service.db, id);
    expect(await answers(revoked.key)).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
    expect(await both(kept)).toEqual([200, 200]);
  });

  it('is one of `fh_` and at least 40 characters, another each time', async () => {
    const keys = [(await service.owner()).key, (await service.owner()).key];
    expect(keys).toEqual(keys.map(() => expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}$/)));
    expect(new Set(keys.map((key) => key.slice(0, 20))).size).toBe(2);
  });

  it('is stored as a SHA-256 hash only', async () => {
    const { key } = await service.owner();
    const hash = createHash('sha256').update(key).digest();
    expect(await service.db('api_keys').where({ hash })).toHaveLength(1);

    const { rows: tables } = await service.db.raw(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const spellings = ['utf8', 'hex', 'base64'] as const;
    for (const { name } of tables) {
      const { rows } = await service.db.raw(`SELECT row_to_json(t)::text AS text FROM ${name} t`);
      const all = rows.map(({ text }: { text: string }) => text).join('\n');
      // Without the prefix, and what base64 makes of the bytes at its end.
      const secret = Buffer.from(key.slice(3, 39));
      expect(spellings.filter((spelling) => all.includes(secret.toString(spelling)))).toEqual([]);
    }
  });

  it('is noted as used when it is, and not before', async () => {
    const owner = await service.owner({ email: 'noted@test.example' });
    const lastUsedAt = async () => {
      const times: (Date | null)[] = [];
      for await (const key of listKeys(service.db)) if (key.email === 'noted@test.example') times.push(key.lastUsedAt);
      return times;
    };
    expect(await lastUsedAt()).toEqual([null]);
    await owner.deploy();
    await expect.poll(lastUsedAt).toEqual([expect.any(Date)]);
  });
});
