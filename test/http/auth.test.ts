import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIZES } from '../../src/sizes.ts';
import { failure } from '../support/answers.ts';
import { testService } from '../support/test-service.ts';

const UNKNOWN_KEYS = SIZES.unknownKeys.max;

const UNAUTHORIZED = { status: 401, challenge: 'Bearer', retryAfter: null, limit: null, policy: null, body: failure };
const POLICY = expect.stringMatching(/^"unknown-keys"; q=300; w=60; pk=:[A-Za-z0-9]{16}:$/);
const left = (count: number) =>
  expect.stringMatching(new RegExp(`^"unknown-keys"; r=${count}; t=(?:[1-9]|[1-5][0-9]|60)$`));
const unknown = (count: number) => ({ ...UNAUTHORIZED, limit: left(count), policy: POLICY });
const THROTTLED = {
  status: 429,
  challenge: null,
  retryAfter: expect.stringMatching(/^([1-9]|[1-5][0-9]|60)$/),
  limit: left(0),
  policy: POLICY,
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

/** The answer to these credentials, with the headers that go with a refusal. */
async function call(authorization: string | undefined, address = newAddress()) {
  const headers = new Headers({ 'X-Forwarded-For': address });
  if (authorization !== undefined) headers.set('Authorization', authorization);
  const response = await fetch(`${service.url}/deploy`, { headers });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    retryAfter: response.headers.get('retry-after'),
    limit: response.headers.get('ratelimit'),
    policy: response.headers.get('ratelimit-policy'),
    body: await response.json(),
  };
}

describe('Authorization', () => {
  it.each(['Bearer', 'bEaReR'])('takes the scheme in any case: %s', async (scheme) => {
    const owner = await service.owner();
    expect((await call(`${scheme} ${owner.key}`)).status).toBe(200);
  });

  const malformed: [string, (key: string) => string][] = [
    ['no key', () => 'Bearer'],
    ['another scheme', (key) => `Token ${key}`],
    ['a second key', (key) => `Bearer ${key} ${key}`],
    ['a key that is cut short', (key) => `Bearer ${key.slice(0, 20)}`],
    ['a key in the other case', (key) => `Bearer ${key.toUpperCase()}`],
    ['its own hash', (key) => `Bearer ${createHash('sha256').update(key).digest('hex')}`],
    ['a very long key', () => `Bearer fh_${'a'.repeat(10_000)}`],
  ];
  it.each(malformed)('is refused with 401 when it has %s', async (_case, write) => {
    const { key } = await service.owner();
    expect(await call(write(key))).toEqual(UNAUTHORIZED);
  });
});

it('is refused with 401, and counted, when it has a cut key', async () => {
  const { key } = await service.owner();
  expect(await call(`Bearer ${key.slice(0, -1)}`)).toEqual(unknown(UNKNOWN_KEYS - 1));
});

describe('too many unknown keys from one address', () => {
  it('are answered 429 after 300 a minute, and further unknown keys only', async () => {
    const owner = await service.owner();
    const address = newAddress();
    const statuses = await Promise.all(
      Array.from({ length: UNKNOWN_KEYS + 10 }, async () => {
        const { status } = await call(`Bearer ${newUnknownKey()}`, address);
        return status;
      }),
    );
    expect(statuses.toSorted()).toEqual([...Array(UNKNOWN_KEYS).fill(401), ...Array(10).fill(429)]);
    expect(await call(`Bearer ${newUnknownKey()}`, address)).toEqual(THROTTLED);
    expect([await call('Bearer fh_short', address), await call(undefined, address)]).toEqual([
      UNAUTHORIZED,
      UNAUTHORIZED,
    ]);
    const { status, limit, policy } = await call(`Bearer ${owner.key}`, address);
    expect([status, limit, policy]).toEqual([200, null, null]);
    expect(await call(`Bearer ${newUnknownKey()}`)).toEqual(unknown(UNKNOWN_KEYS - 1));
  });

  it('are counted for the network of an IPv6 address, with sessions and keys that sign in', async () => {
    expect(await call(`Bearer ${newUnknownKey()}`, '2001:db8:5:100::1')).toEqual(unknown(UNKNOWN_KEYS - 1));
    expect(await call(`Bearer ${newUnknownKey()}`, '2001:db8:5:1ff::2')).toEqual(unknown(UNKNOWN_KEYS - 2));
    expect(await call(`Bearer ${newUnknownKey()}`, '2001:db8:5:200::1')).toEqual(unknown(UNKNOWN_KEYS - 1));
    const address = newAddress();
    const from = { 'X-Forwarded-For': address, 'Sec-Fetch-Site': 'same-origin' };
    const session = await fetch(`${service.url}/me`, { headers: { ...from, Cookie: `formhost=${'a'.repeat(43)}` } });
    expect([session.status, session.headers.get('ratelimit')]).toEqual([401, left(UNKNOWN_KEYS - 1)]);
    const signIn = (key: string) =>
      fetch(`${service.url}/session`, {
        method: 'POST',
        headers: { ...from, 'Content-Type': 'application/json' },
        body: JSON.stringify({ key }),
      });
    const refused = await signIn(newUnknownKey());
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([401, left(UNKNOWN_KEYS - 2)]);
    const { key } = await service.owner();
    const signedIn = await signIn(key);
    expect([signedIn.status, signedIn.headers.get('ratelimit')]).toEqual([200, null]);
    expect(await call(`Bearer ${newUnknownKey()}`, address)).toEqual(unknown(UNKNOWN_KEYS - 3));
  });
});
