import { LRUCache } from 'lru-cache';
import { SIZES } from '../limits.ts';

const { usedTimeHalfLifeMs, usedTimeStepMs, maxUsers } = SIZES.internalQueues;

/** Too much work is waiting: the task was not started. */
export class BusyError extends Error {}

type FairQueue<Key> = {
  /**
   * Settles as the task does. Rejects with BusyError when it can't start within `maxWaitMs`, when too many wait, and
   * when the queue is closed before it starts.
   */
  run<T>(key: Key, maxWaitMs: number, task: () => Promise<T>): Promise<T>;
  /** Refuses the tasks that wait, and all later ones. */
  close(): void;
};

type Waiting = { begin(): void; refuse(): void };

/** How long the tasks of each key took. A time counts half as much after each `usedTimeHalfLifeMs`. */
class UsedTime<Key extends {}> {
  readonly #used = new LRUCache<Key, { ms: number; at: number }>({ maxSize: maxUsers, sizeCalculation: () => 1 });

  /** In steps: keys that used little are the same. */
  stepsOf(key: Key): number {
    return Math.floor(this.#msOf(key) / usedTimeStepMs);
  }
  add(key: Key, ms: number): void {
    if (this.#used.has(key) || ms >= usedTimeStepMs) {
      this.#used.set(key, { ms: this.#msOf(key) + ms, at: performance.now() });
    }
  }
  #msOf(key: Key): number {
    const used = this.#used.get(key);
    return used ? used.ms * 0.5 ** ((performance.now() - used.at) / usedTimeHalfLifeMs) : 0;
  }
}

/**
 * Runs tasks: `slots` at a time, and `slotsOfKey` at a time of each key. The key that used the least time lately is served
 * next, and keys that used as little are served round-robin: among these a key waits for at most one task of each. When
 * `maxWaiting` tasks wait, the newest task of the key with the most waiting tasks is refused.
 *
 * `maxRestMs`: a key of which more tasks wait rests as long as its last task took, and at most so long. The processor is
 * then free for others for half of the time.
 */
export function createFairQueue<Key extends {}>({
  slots,
  slotsOfKey = 1,
  maxWaiting,
  maxRestMs = 0,
}: {
  slots: number;
  slotsOfKey?: number;
  maxWaiting: number;
  maxRestMs?: number;
}): FairQueue<Key> {
  /** By key, in the order in which keys are served. The tasks of a key are in the order in which they came. */
  const waiting = new Map<Key, Set<Waiting>>();
  /** Tasks of each key that run, and of all. */
  const running = new Map<Key, number>();
  let runningCount = 0;
  const used = new UsedTime<Key>();
  let waitingCount = 0;
  let isClosed = false;

  function remove(key: Key, entry: Waiting): void {
    const entries = waiting.get(key);
    if (!entries?.delete(entry)) return;
    waitingCount -= 1;
    if (entries.size === 0) waiting.delete(key);
  }

  /** The key to serve: the first of those that used the least. */
  function findNext(): Key | undefined {
    let next: Key | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const key of waiting.keys()) {
      if ((running.get(key) ?? 0) >= slotsOfKey) continue;
      const steps = used.stepsOf(key);
      if (steps < least) [next, least] = [key, steps];
      if (least === 0) break;
    }
    return next;
  }

  function beginNext(): void {
    while (runningCount < slots) {
      const key = findNext();
      const entries = key === undefined ? undefined : waiting.get(key);
      const [entry] = entries ?? [];
      if (key === undefined || !entries || !entry) return;
      remove(key, entry);
      // The key is served again after all others that used as little.
      if (waiting.delete(key)) waiting.set(key, entries);
      entry.begin();
    }
  }

  function countRunning(key: Key, change: number): void {
    const count = (running.get(key) ?? 0) + change;
    if (count > 0) running.set(key, count);
    else running.delete(key);
    runningCount += change;
  }

  function end(key: Key, tookMs: number): void {
    used.add(key, tookMs);
    if (maxRestMs > 0 && waiting.has(key)) setTimeout(release, Math.min(tookMs, maxRestMs), key);
    else release(key);
  }

  function release(key: Key): void {
    countRunning(key, -1);
    beginNext();
  }

  /** Refuses a task to let one of `key` wait; false when no other key has more waiting tasks. */
  function refuseNewest(key: Key): boolean {
    let longest = waiting.get(key) ?? new Set();
    for (const entries of waiting.values()) if (entries.size > longest.size) longest = entries;
    if (longest === waiting.get(key) || longest.size <= 1) return false;
    const newest = [...longest].at(-1);
    newest?.refuse();
    return newest !== undefined;
  }

  return {
    run: (key, maxWaitMs, task) =>
      new Promise((resolve, reject) => {
        const refuse = (): void => reject(new BusyError());
        if (isClosed || (waitingCount >= maxWaiting && !refuseNewest(key))) return refuse();
        const entry: Waiting = {
          begin() {
            clearTimeout(timer);
            countRunning(key, 1);
            const beganAt = performance.now();
            void task()
              .then(resolve, reject)
              .finally(() => end(key, performance.now() - beganAt));
          },
          refuse() {
            clearTimeout(timer);
            remove(key, entry);
            refuse();
          },
        };
        const timer = setTimeout(entry.refuse, maxWaitMs).unref();
        waiting.set(key, (waiting.get(key) ?? new Set()).add(entry));
        waitingCount += 1;
        beginNext();
      }),
    close() {
      isClosed = true;
      for (const entries of waiting.values()) for (const entry of entries) entry.refuse();
    },
  };
}
