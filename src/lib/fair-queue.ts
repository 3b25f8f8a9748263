import { createBoundedCache } from './bounded-cache.ts';

/** After a task that ran into its limit, its key comes behind the others for some minutes at most. */
const USED_TIME_HALF_LIFE_MS = 30_000;
/** Times that differ by less are the same: then each key has one turn after the other. */
const USED_TIME_STEP_MS = 100;
/** Keys whose time is remembered. */
const MAX_KEYS = 10_000;

/** Too much work is waiting: the task was not started. */
export class BusyError extends Error {}

type Waiting = { begin(): void; refuse(): void };

/** The time that the tasks of each key took. A time counts half as much after each USED_TIME_HALF_LIFE_MS. */
class UsedTime<Key extends {}> {
  readonly #used = createBoundedCache<Key, { ms: number; at: number }>(MAX_KEYS);

  /** In steps: keys that used little are the same. */
  stepsOf(key: Key): number {
    return Math.floor(this.#msOf(key) / USED_TIME_STEP_MS);
  }
  add(key: Key, ms: number): void {
    if (this.#used.has(key) || ms >= USED_TIME_STEP_MS) {
      this.#used.set(key, { ms: this.#msOf(key) + ms, at: performance.now() });
    }
  }
  #msOf(key: Key): number {
    const used = this.#used.get(key);
    return used ? used.ms * 0.5 ** ((performance.now() - used.at) / USED_TIME_HALF_LIFE_MS) : 0;
  }
}

type QueueBounds = { slots: number; slotsOfKey?: number; maxWaiting: number; maxRestMs?: number };

/**
 * Runs tasks: `slots` at a time, and `slotsOfKey` at a time of each key. The key that used the least time lately is served
 * next, and keys that used as little are served round-robin: among these a key waits for at most one task of each. When
 * `maxWaiting` tasks wait, the newest task of the key with the most waiting tasks is refused.
 *
 * `maxRestMs`: a key of which more tasks wait rests twice as long as its last task took, and at most so long. The processor
 * is then free for others for most of the time.
 */
export class FairQueue<Key extends {}> {
  readonly #options: Required<QueueBounds>;
  /** By key, in the order in which keys are served. The tasks of a key are in the order in which they came. */
  readonly #waiting = new Map<Key, Set<Waiting>>();
  /** Tasks of each key that run, and of all. */
  readonly #running = new Map<Key, number>();
  #runningCount = 0;
  readonly #used = new UsedTime<Key>();
  #waitingCount = 0;
  #isClosed = false;

  constructor(options: QueueBounds) {
    this.#options = { slotsOfKey: 1, maxRestMs: 0, ...options };
  }

  /**
   * Settles as the task does. Rejects with BusyError when it can't start within `maxWaitMs`, when too many wait, and when
   * the queue is closed before it starts.
   */
  run<T>(key: Key, maxWaitMs: number, task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(new BusyError());
      const isFull = this.#waitingCount >= this.#options.maxWaiting;
      if (this.#isClosed || (isFull && !this.#refuseNewest(key))) return refuse();
      const entry: Waiting = {
        begin: () => {
          clearTimeout(timer);
          this.#count(key, 1);
          const beganAt = performance.now();
          void task()
            .then(resolve, reject)
            .finally(() => this.#end(key, performance.now() - beganAt));
        },
        refuse: () => {
          clearTimeout(timer);
          this.#remove(key, entry);
          refuse();
        },
      };
      const timer = setTimeout(entry.refuse, maxWaitMs).unref();
      this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(entry));
      this.#waitingCount += 1;
      this.#beginNext();
    });
  }

  /** Refuses the tasks that wait, and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const entries of this.#waiting.values()) for (const entry of entries) entry.refuse();
  }

  #beginNext(): void {
    while (this.#runningCount < this.#options.slots) {
      const key = this.#findNext();
      const entries = key === undefined ? undefined : this.#waiting.get(key);
      const [entry] = entries ?? [];
      if (key === undefined || !entries || !entry) return;
      this.#remove(key, entry);
      // The key is served again after all others that used as little.
      if (this.#waiting.delete(key)) this.#waiting.set(key, entries);
      entry.begin();
    }
  }

  /** The key to serve: the first of those that used the least. */
  #findNext(): Key | undefined {
    let next: Key | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const key of this.#waiting.keys()) {
      if ((this.#running.get(key) ?? 0) >= this.#options.slotsOfKey) continue;
      const steps = this.#used.stepsOf(key);
      if (steps < least) [next, least] = [key, steps];
      if (least === 0) break;
    }
    return next;
  }

  #end(key: Key, tookMs: number): void {
    this.#used.add(key, tookMs);
    const restMs = this.#waiting.has(key) ? Math.min(2 * tookMs, this.#options.maxRestMs) : 0;
    const release = (): void => {
      this.#count(key, -1);
      this.#beginNext();
    };
    if (restMs > 0) setTimeout(release, restMs);
    else release();
  }

  #count(key: Key, change: number): void {
    const count = (this.#running.get(key) ?? 0) + change;
    if (count > 0) this.#running.set(key, count);
    else this.#running.delete(key);
    this.#runningCount += change;
  }

  #remove(key: Key, entry: Waiting): void {
    const entries = this.#waiting.get(key);
    if (!entries?.delete(entry)) return;
    this.#waitingCount -= 1;
    if (entries.size === 0) this.#waiting.delete(key);
  }

  /** Refuses a task to let one of `key` wait; false when no other key has more waiting tasks. */
  #refuseNewest(key: Key): boolean {
    let longest = this.#waiting.get(key) ?? new Set();
    for (const entries of this.#waiting.values()) if (entries.size > longest.size) longest = entries;
    if (longest === this.#waiting.get(key) || longest.size <= 1) return false;
    const newest = [...longest].at(-1);
    newest?.refuse();
    return newest !== undefined;
  }
}
