import { expect, it } from 'vitest';
import { Batcher } from '../../src/db/batcher.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';

/** Work of which each batch waits to be ended. */
function startBatcher(limits: Partial<ConstructorParameters<typeof Batcher<string, string>>[1]> = {}) {
  const batches: string[][] = [];
  const ends: PromiseWithResolvers<readonly string[]>[] = [];
  let begun = Promise.withResolvers<void>();
  const batcher = new Batcher<string, string>(
    (batch) => {
      const end = Promise.withResolvers<readonly string[]>();
      batches.push([...batch]);
      ends.push(end);
      begun.resolve();
      begun = Promise.withResolvers<void>();
      return end.promise;
    },
    { maxBatch: 64, ...limits },
  );
  return {
    batches,
    add: (item: string) => batcher.add(item),
    begins: () => begun.promise,
    /** Ends the batch that is under way, with these results. */
    end: (...results: string[]) => ends.shift()?.resolve(results),
    fail: (error: Error) => ends.shift()?.reject(error),
  };
}

const outOfReach = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const settled = (promise: Promise<string>): Promise<string> => promise.catch((error: Error) => error.message);

it('works on what is added at once, and on what is added meanwhile in the next batch', async () => {
  const { batches, add, begins, end } = startBatcher();
  const first = [add('a'), add('b')];
  await begins();
  const later = [add('c'), add('a')];
  const next = begins();
  end('A', 'B');
  expect(await Promise.all(first)).toEqual(['A', 'B']);
  await next;
  end('C', 'A again');
  expect(await Promise.all(later)).toEqual(['C', 'A again']);
  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'a'],
  ]);
});

it('bounds a batch by the number of items and by their size, and takes one of any size', async () => {
  const sizes: number[] = [];
  const work = async (batch: readonly string[]) => {
    sizes.push(batch.length);
    return batch;
  };
  const sizeOf = (item: string) => item.length;
  const byNumber = new Batcher(work, { maxBatch: 64, sizeOf });
  const many = Array.from({ length: 150 }, (_, index) => String(index));
  expect(await Promise.all(many.map((item) => byNumber.add(item)))).toEqual(many);
  const bySize = new Batcher(work, { maxBatch: 64, maxBatchSize: 4, sizeOf });
  const texts = ['aaaaaaaaa', 'aa', 'aa', 'a', 'aaaa'];
  expect(await Promise.all(texts.map((item) => bySize.add(item)))).toEqual(texts);
  expect(sizes).toEqual([64, 64, 22, 1, 2, 1, 1]);
});

it.each([
  ['number', { maxWaiting: 3 }],
  ['size', { maxWaitingSize: 3, sizeOf: (item: string) => item.length }],
])('refuses with BusyError what is too much to wait, by %s, and takes more later', async (_by, limits) => {
  const { batches, add, begins, end } = startBatcher(limits);
  const taken = ['a', 'b', 'c'].map((item) => add(item));
  await expect(add('d')).rejects.toBeInstanceOf(BusyError);
  await begins();
  const later = add('e');
  const next = begins();
  end('A', 'B', 'C');
  expect(await Promise.all(taken)).toEqual(['A', 'B', 'C']);
  await next;
  end('E');
  expect(await later).toBe('E');
  expect(batches).toEqual([['a', 'b', 'c'], ['e']]);
});

it.each<[string, number[]]>([
  ['the first', [0]],
  ['the last', [99]],
  ['one in the middle', [37]],
  ['two neighbours', [50, 51]],
  ['several', [0, 1, 13, 64, 99]],
  ['all', Array.from({ length: 100 }, (_, index) => index)],
])('lets what is wrong fail alone: %s', async (_case, places) => {
  const items = Array.from({ length: 100 }, (_, index) => `s${index}`);
  const wrong = new Set(places.map((place) => `s${place}`));
  const done: string[] = [];
  let calls = 0;
  const batcher = new Batcher(
    async (batch: readonly string[]) => {
      calls += 1;
      const first = batch.find((item) => wrong.has(item));
      if (first !== undefined) throw new Error(`${first} is wrong`);
      done.push(...batch);
      return batch;
    },
    { maxBatch: 64 },
  );
  const results = await Promise.all(items.map((item) => settled(batcher.add(item))));
  expect(results).toEqual(items.map((item) => (wrong.has(item) ? `${item} is wrong` : item)));
  expect(done).toEqual(items.filter((item) => !wrong.has(item)));
  // Splitting asks at most twice for each item, and far less often when few are wrong.
  expect(calls).toBeLessThanOrEqual(Math.min(2 * items.length, 2 + 2 * wrong.size * 8));
});

it('leaves nobody waiting when there are too few results', async () => {
  const batcher = new Batcher(async () => ['only one'], { maxBatch: 64 });
  expect(await Promise.all(['a', 'b'].map((item) => settled(batcher.add(item))))).toEqual(['only one', 'only one']);
});

it('fails what waits, too, when the database is out of reach, and goes on later', async () => {
  const { batches, add, begins, end, fail } = startBatcher();
  const added = [settled(add('a'))];
  await begins();
  added.push(settled(add('b')));
  fail(outOfReach());
  expect(await Promise.all(added)).toEqual(['connect ECONNREFUSED', 'connect ECONNREFUSED']);
  const later = add('c');
  await begins();
  end('C');
  expect([await later, batches]).toEqual(['C', [['a'], ['c']]]);
});
