import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BusyError, FairQueue } from '../../src/lib/fair-queue.ts';

const WAIT_MS = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Every promise and microtask that is due by now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue with tasks that the test ends; each is named by its key and a number. */
function startQueue({
  slots,
  slotsOfKey = 1,
  maxWaiting = 1_000,
  maxRestMs = 0,
}: {
  slots: number;
  slotsOfKey?: number;
  maxWaiting?: number;
  maxRestMs?: number;
}) {
  const queue = new FairQueue<string>({ slots, slotsOfKey, maxWaiting, maxRestMs });
  const begun: string[] = [];
  const refused: string[] = [];
  const running = new Map<string, PromiseWithResolvers<string>>();
  return {
    close: () => queue.close(),
    begun,
    refused,
    /** Adds a task; settles with its name when it is ended, or with the error that it was refused with. */
    add(name: string, maxWaitMs = WAIT_MS): Promise<unknown> {
      const key = name.slice(0, 1);
      return queue
        .run(key, maxWaitMs, () => {
          begun.push(name);
          const task = Promise.withResolvers<string>();
          running.set(name, task);
          return task.promise;
        })
        .catch((error: unknown) => {
          if (error instanceof BusyError) refused.push(name);
          return error;
        });
    },
    addAll(...names: string[]): void {
      for (const name of names) void this.add(name);
    },
    async end(name: string): Promise<void> {
      running.get(name)?.resolve(name);
      await settled();
    },
    async fail(name: string, error: Error): Promise<void> {
      running.get(name)?.reject(error);
      await settled();
    },
  };
}

describe('FairQueue', () => {
  it('begins a task at once, and settles as it does', async () => {
    const queue = startQueue({ slots: 2 });
    const error = new Error('it failed');
    const [good, bad] = [queue.add('a1'), queue.add('b1')];
    expect(queue.begun).toEqual(['a1', 'b1']);
    await queue.end('a1');
    await queue.fail('b1', error);
    expect([await good, await bad]).toEqual(['a1', error]);
    queue.addAll('a2', 'b2');
    expect(queue.begun).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('lets a key of which more wait rest twice as long as its task took, up to a limit, and no other key', async () => {
    const queue = startQueue({ slots: Infinity, maxRestMs: 50 });
    queue.addAll('a1', 'a2', 'a3');
    vi.advanceTimersByTime(10);
    await queue.end('a1');
    queue.addAll('b1');
    expect(queue.begun).toEqual(['a1', 'b1']);
    vi.advanceTimersByTime(19);
    expect(queue.begun).toEqual(['a1', 'b1']);
    vi.advanceTimersByTime(1);
    expect(queue.begun).toEqual(['a1', 'b1', 'a2']);
    vi.advanceTimersByTime(100);
    await queue.end('a2');
    vi.advanceTimersByTime(49);
    expect(queue.begun).toEqual(['a1', 'b1', 'a2']);
    vi.advanceTimersByTime(1);
    expect(queue.begun).toEqual(['a1', 'b1', 'a2', 'a3']);
    await queue.end('a3');
    queue.addAll('a4');
    expect(queue.begun).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
  });

  it('runs one task of a key at a time, in their order, and as many of all as there are slots', async () => {
    const queue = startQueue({ slots: 2 });
    queue.addAll('a1', 'a2', 'a3', 'b1', 'c1');
    expect(queue.begun).toEqual(['a1', 'b1']);
    await queue.end('b1');
    expect(queue.begun).toEqual(['a1', 'b1', 'c1']);
    await queue.end('c1');
    expect(queue.begun).toEqual(['a1', 'b1', 'c1']);
    await queue.end('a1');
    expect(queue.begun).toEqual(['a1', 'b1', 'c1', 'a2']);
    await queue.end('a2');
    expect(queue.begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('lets keys take turns: those that come later wait for one task of each other', async () => {
    const queue = startQueue({ slots: 1 });
    queue.addAll('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await queue.end(name);
    expect(queue.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('lets a key that had its turn wait behind those that came meanwhile', async () => {
    const queue = startQueue({ slots: 1 });
    queue.addAll('a1', 'b1', 'c1', 'a2');
    for (const name of ['a1', 'b1', 'c1', 'a2']) await queue.end(name);
    expect(queue.begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('serves the key next that used the least time lately', async () => {
    const queue = startQueue({ slots: 1 });
    const add = (...names: string[]) => names.forEach((name) => void queue.add(name, 3_600_000));
    const endAfter = (name: string, ms: number) => {
      vi.advanceTimersByTime(ms);
      return queue.end(name);
    };
    add('a1', 'b1', 'a2', 'b2', 'a3');
    await endAfter('a1', 5_000);
    await endAfter('b1', 5_000);
    // It comes behind two that wait, and is served once the running one has ended.
    add('c1', 'c2');
    await endAfter('a2', 5_000);
    await endAfter('c1', 10);
    await endAfter('c2', 10);
    await endAfter('b2', 5_000);
    await endAfter('a3', 5_000);
    expect(queue.begun).toEqual(['a1', 'b1', 'a2', 'c1', 'c2', 'b2', 'a3']);
    // After some time it is forgotten.
    vi.advanceTimersByTime(3_600_000);
    add('d1', 'a4', 'e1');
    await queue.end('d1');
    await queue.end('a4');
    expect(queue.begun.slice(7)).toEqual(['d1', 'a4', 'e1']);
  });

  it('refuses what could not begin in its time, and nothing else', async () => {
    const queue = startQueue({ slots: 1 });
    queue.addAll('a1');
    const [short, long] = [queue.add('b1', 100), queue.add('b2', 200)];
    vi.advanceTimersByTime(99);
    await settled();
    expect(queue.refused).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(await short).toBeInstanceOf(BusyError);
    await queue.end('a1');
    expect(queue.begun).toEqual(['a1', 'b2']);
    // It has begun in time, however long it takes.
    vi.advanceTimersByTime(10_000);
    await queue.end('b2');
    expect([await long, queue.refused]).toEqual(['b2', ['b1']]);
  });

  it('refuses the newest of the key that has the most waiting, where too many wait', async () => {
    const queue = startQueue({ slots: 1, maxWaiting: 4 });
    queue.addAll('z0', 'a1', 'b1', 'b2', 'b3');
    await settled();
    expect(queue.refused).toEqual([]);
    queue.addAll('a2');
    await settled();
    expect(queue.refused).toEqual(['b3']);
    // Each of the two has two by now, and whose own is among the longest makes no room.
    queue.addAll('b4', 'a3');
    await settled();
    expect(queue.refused).toEqual(['b3', 'b4', 'a3']);
    queue.addAll('c1');
    await settled();
    expect(queue.refused).toEqual(['b3', 'b4', 'a3', 'a2']);
    for (const name of ['z0', 'a1', 'b1', 'c1', 'b2']) await queue.end(name);
    expect(queue.begun).toEqual(['z0', 'a1', 'b1', 'c1', 'b2']);
    // There is room again for as many.
    queue.addAll('z1', 'a4', 'a5', 'a6', 'a7');
    await settled();
    expect(queue.refused.slice(4)).toEqual([]);
  });

  it('refuses one more where each that waits is the only one of its key', async () => {
    const queue = startQueue({ slots: 1, maxWaiting: 2 });
    queue.addAll('z0', 'a1', 'b1', 'c1');
    await settled();
    expect(queue.refused).toEqual(['c1']);
  });

  it('counts what was refused for its time no longer', async () => {
    const queue = startQueue({ slots: 1, maxWaiting: 2 });
    queue.addAll('z0', 'a1', 'a2');
    vi.advanceTimersByTime(WAIT_MS);
    await settled();
    expect(queue.refused).toEqual(['a1', 'a2']);
    queue.addAll('a3', 'a4', 'a5');
    await settled();
    expect(queue.refused).toEqual(['a1', 'a2', 'a5']);
  });

  it('refuses all that waits, and what comes later, when it is closed; what has begun goes on', async () => {
    const queue = startQueue({ slots: 1 });
    const first = queue.add('a1');
    queue.addAll('a2', 'b1', 'b2');
    queue.close();
    await settled();
    expect(queue.refused).toEqual(['a2', 'b1', 'b2']);
    await queue.end('a1');
    expect(await first).toBe('a1');
    queue.addAll('c1');
    await settled();
    expect([queue.begun, queue.refused]).toEqual([['a1'], ['a2', 'b1', 'b2', 'c1']]);
  });

  it('runs as many tasks of a key at a time as it may have', async () => {
    const queue = startQueue({ slots: 3, slotsOfKey: 2 });
    queue.addAll('a1', 'a2', 'a3', 'b1', 'b2');
    expect(queue.begun).toEqual(['a1', 'a2', 'b1']);
    await queue.end('a1');
    expect(queue.begun.slice(3)).toEqual(['a3']);
    await queue.end('a2');
    expect(queue.begun.slice(4)).toEqual(['b2']);
  });
});
