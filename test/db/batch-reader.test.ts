import { expect, it } from 'vitest';
import { BatchReader } from '../../src/db/submissions/batch-reader.ts';

const page = (version: number) => ({ deploymentId: 'd_1', ownerId: 1, version });

/** A reader of which each read waits to be answered. */
function startReader() {
  const reads: { slugs: readonly string[]; answer: PromiseWithResolvers<Map<string, ReturnType<typeof page>>> }[] = [];
  let begun = Promise.withResolvers<void>();
  const reader = new BatchReader((slugs) => {
    const answer = Promise.withResolvers<Map<string, ReturnType<typeof page>>>();
    reads.push({ slugs, answer });
    begun.resolve();
    begun = Promise.withResolvers<void>();
    return answer.promise;
  }, 64);
  return { find: (slug: string) => reader.get(slug), reads, begins: () => begun.promise };
}

const outOfReach = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

it('reads together what is asked for at once, and while a read is under way in the next', async () => {
  const { find, reads, begins } = startReader();
  const first = [find('a'), find('b')];
  await begins();
  // A change may have been between: what is asked for now is read again.
  const later = [find('c'), find('a')];
  reads[0]?.answer.resolve(new Map([['a', page(1)]]));
  expect(await Promise.all(first)).toEqual([page(1), undefined]);
  reads[1]?.answer.resolve(new Map([['a', page(2)]]));
  expect(await Promise.all(later)).toEqual([undefined, page(2)]);
  expect(reads.map(({ slugs }) => slugs)).toEqual([
    ['a', 'b'],
    ['c', 'a'],
  ]);
});

it('reads at most so many at a time', async () => {
  const sizes: number[] = [];
  const reader = new BatchReader(async (slugs) => {
    sizes.push(slugs.length);
    return new Map(slugs.map((slug) => [slug, page(Number(slug))]));
  }, 64);
  const found = await Promise.all(Array.from({ length: 150 }, (_, index) => reader.get(String(index))));
  expect([sizes, found]).toEqual([[64, 64, 22], Array.from({ length: 150 }, (_, index) => page(index))]);
});

it('fails what was read together, and goes on', async () => {
  const { find, reads, begins } = startReader();
  const failing = find('a');
  await begins();
  const next = find('b');
  reads[0]?.answer.reject(new Error('refused'));
  await expect(failing).rejects.toThrow('refused');
  reads[1]?.answer.resolve(new Map([['b', page(1)]]));
  expect(await next).toEqual(page(1));
});

it('fails what waits, too, when the database is out of reach', async () => {
  const { find, reads, begins } = startReader();
  const asked = [find('a')];
  await begins();
  asked.push(find('b'));
  reads[0]?.answer.reject(outOfReach());
  for (const one of asked) await expect(one).rejects.toThrow('ECONNREFUSED');
  expect(reads.length).toBe(1);
});
