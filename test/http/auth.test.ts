import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listKeys, revokeKey } from '../../src/db/account/api-keys.ts';
import { SIZES } from '../../src/limits.ts';
import { failure } from '../support/answers.ts';
import { type Owner, testService, UNKNOWN_ID } from '../support/service.ts';

type Ids = { id: string; webhookId: string };

const NOTHING: Ids = { id: UNKNOWN_ID, webhookId: 'wh_000000000000000000000000' };
const UNKNOWN_KEYS = SIZES.unknownKeys.max;

const UNAUTHORIZED = { status: 401, challenge: 'Bearer', retryAfter: null, body: failure };
const THROTTLED = {
  status: 429,
  challenge: null,
  retryAfter: expect.stringMatching(/^([1-9]|[1-5][0-9]|60)$/),
  body: failure,
};

const service = await testService({ TRUST_PROXY: '1' });

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
  { path = '/deploy/:id', ids = NOTHING, address = newAddress() }: { path?: string; ids?: Ids; address?: string } = {},
) {
  const headers = new Headers({ 'X-Forwarded-For': address });
  if (authorization !== undefined) headers.set('Authorization', authorization);
  const response = await fetch(service.url + path.replace(':id', ids.id).replace(':webhookId', ids.webhookId), {
    headers,
  });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  };
}

/** A deployment with one submission and one webhook. */
async function furnish(owner: Owner): Promise<Ids> {
  const { id } = await owner.deploy({ html: 'as it was' });
  await service.anonymous.post(`/submit/${id}`).send({ name: 'Ada' });
  const webhook = await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.example/' });
  return { id, webhookId: webhook.body.id };
}

describe('Authorization', () => {
  it.each(['Bearer', 'bEaReR'])('takes the scheme in any case: %s', async (scheme) => {
    const owner = await service.owner();
    const ids = await furnish(owner);
    expect((await call(`${scheme} ${owner.key}`, { ids })).status).toBe(200);
  });

  const malformed: [string, (key: string) => string][] = [
    ['no key', () => 'Bearer'],
    ['another scheme', (key) => `Token ${key}`],
    ['a second key', (key) => `Bearer ${key} ${key}`],
    ['a cut key', (key) => `Bearer ${key.slice(0, -1)}`],
    ['a key in the other case', (key) => `Bearer ${key.toUpperCase()}`],
    ['its own hash', (key) => `Bearer ${createHash('sha256').update(key).digest('hex')}`],
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
    const owner = await service.owner();
    const ids = await furnish(owner);
    const address = newAddress();
    const statuses = await Promise.all(
      Array.from({ length: UNKNOWN_KEYS + 10 }, async () => {
        const { status } = await call(`Bearer ${newUnknownKey()}`, { address });
        return status;
      }),
    );
    expect(statuses.toSorted()).toEqual([...Array(UNKNOWN_KEYS).fill(401), ...Array(10).fill(429)]);
    expect(await call(`Bearer ${newUnknownKey()}`, { address })).toEqual(THROTTLED);
    expect([await call('Bearer fh_short', { address }), await call(undefined, { address })]).toEqual([
      UNAUTHORIZED,
      UNAUTHORIZED,
    ]);
    expect((await call(`Bearer ${owner.key}`, { address, ids })).status).toBe(200);
    expect(await call(`Bearer ${newUnknownKey()}`)).toEqual(UNAUTHORIZED);
  });
});

describe('a key', () => {
  it('is refused once it is revoked, and no other key is', async () => {
    const email = 'revoking@test.example';
    const [revoked, kept] = [await service.owner({ email }), await service.owner({ email })];
    const ids = await furnish(revoked);
    const status = async ({ key }: Owner) => (await call(`Bearer ${key}`, { ids })).status;
    expect([await status(revoked), await status(kept)]).toEqual([200, 200]);

    const hash = createHash('sha256').update(revoked.key).digest();
    const [{ id }] = await service.db('api_keys').where({ hash });
    await revokeKey(service.db, id);
    expect(await call(`Bearer ${revoked.key}`, { ids })).toEqual(UNAUTHORIZED);
    expect(await status(kept)).toBe(200);
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
