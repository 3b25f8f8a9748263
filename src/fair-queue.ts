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

/**
 * Runs tasks: `slots` at a time, one at a time of each key. Keys are served round-robin: a key waits for at most one
 * task of each other key. When `maxWaiting` tasks wait, the newest task of the key with the most waiting tasks is
 * refused.
 */
export function createFairQueue<Key>({ slots, maxWaiting }: { slots: number; maxWaiting: number }): FairQueue<Key> {
  /** By key, in the order in which keys are served. The tasks of a key are in the order in which they came. */
  const waiting = new Map<Key, Set<Waiting>>();
  const running = new Set<Key>();
  let waitingCount = 0;
  let isClosed = false;

  function remove(key: Key, entry: Waiting): void {
    const entries = waiting.get(key);
    if (!entries?.delete(entry)) return;
    waitingCount -= 1;
    if (entries.size === 0) waiting.delete(key);
  }

  function beginNext(): void {
    for (const [key, entries] of waiting) {
      if (running.size >= slots) return;
      const [entry] = entries;
      if (!entry || running.has(key)) continue;
      remove(key, entry);
      // The key is served again after all others.
      if (waiting.delete(key)) waiting.set(key, entries);
      entry.begin();
    }
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
            running.add(key);
            void task()
              .then(resolve, reject)
              .finally(() => {
                running.delete(key);
                beginNext();
              });
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
