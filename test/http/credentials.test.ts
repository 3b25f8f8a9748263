import { expect, it } from 'vitest';
import { CredentialLookUps } from '../../src/http/request/credentials.ts';
import { LIMITS } from '../../src/limits.ts';
import { SIZES } from '../../src/sizes.ts';

const VALID = Buffer.from('valid');

/** Look-ups that note how many credentials each query has, and end when the test says. */
function start() {
  const queries: { size: number; end: () => void }[] = [];
  const lookUps = new CredentialLookUps<string>(async (hashes) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    queries.push({ size: hashes.length, end: resolve });
    await promise;
    return new Map(hashes.filter((hash) => hash.equals(VALID)).map((hash) => [hash.toString('base64'), 'owner']));
  }, LIMITS);
  return { lookUps, queries };
}

const unknown = (index: number): Buffer => Buffer.from(`unknown ${index}`);

it('reads what one network asks for meanwhile in the next query, and serves networks in turn', async () => {
  const { lookUps, queries } = start();
  const { maxBatch } = SIZES.internalCredentials;
  const flood = Array.from({ length: 2 * maxBatch }, (_, index) => lookUps.find('192.0.2.1', unknown(index)));
  const valid = lookUps.find('192.0.2.1', VALID);
  const other = lookUps.find('192.0.2.2', VALID);
  queries[0]?.end();
  queries[1]?.end();
  expect(await other).toBe('owner');
  for (let index = 2; index < 4; index += 1) {
    await expect.poll(() => queries.length).toBe(index + 1);
    queries[index]?.end();
  }
  expect(await valid).toBe('owner');
  expect(await Promise.all(flood)).toEqual(flood.map(() => undefined));
  expect(queries.map(({ size }) => size)).toEqual([1, 1, maxBatch, maxBatch]);
});

it('rejects all of a query that fails, and goes on', async () => {
  let tries = 0;
  const lookUps = new CredentialLookUps<string>(async () => {
    tries += 1;
    if (tries === 1) throw new Error('out of reach');
    return new Map([[VALID.toString('base64'), 'owner']]);
  }, LIMITS);
  await expect(lookUps.find('192.0.2.1', VALID)).rejects.toThrow('out of reach');
  expect(await lookUps.find('192.0.2.1', VALID)).toBe('owner');
});
