import { expect, it } from 'vitest';
import { Reading } from '../../src/metrics/reading.ts';

const LONG_MS = 3_600_000;

it('is read once for many who ask at the same time, and not again while it is new', async () => {
  let reads = 0;
  const reading = new Reading(async () => {
    reads += 1;
    return reads;
  }, LONG_MS);
  expect(await Promise.all([reading.latest(), reading.latest()])).toEqual([1, 1]);
  expect(await reading.latest()).toBe(1);
});

it('is read again once it is old', async () => {
  let reads = 0;
  const reading = new Reading(async () => {
    reads += 1;
    return reads;
  }, 0);
  expect([await reading.latest(), await reading.latest()]).toEqual([1, 2]);
});

it('is unknown where it cannot be read, also when it was known', async () => {
  const results = [Promise.resolve(1), Promise.reject(new Error('away')), Promise.resolve(2)];
  results[1]?.catch(() => undefined);
  const reading = new Reading(() => results.shift() ?? Promise.resolve(3), 0);
  expect([await reading.latest(), await reading.latest(), await reading.latest()]).toEqual([1, undefined, 2]);
});

it('is what it was while a new one takes long, and one read is enough', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<number>();
  const results = [Promise.resolve(1), slow];
  const reading = new Reading(() => results.shift() ?? Promise.reject(new Error('a third read')), 0, 1);
  expect(await reading.latest()).toBe(1);
  expect(await reading.latest()).toBe(1);
  expect(await reading.latest()).toBe(1);
  resolve(2);
  await slow;
  await expect.poll(() => results.length).toBe(0);
});
