import { FairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { Thread } from './thread.ts';

/** Runs work that would block the event loop for too long in a thread, which owners share. */
export class ComputePool {
  readonly #queue;
  readonly #thread: Thread;

  constructor({ maxHtmlBytes }: { maxHtmlBytes: number }, { compute: limits }: Pick<Limits, 'compute'>) {
    // Bounds only the list: waiting work has not read its page yet, and its body is counted in the memory budget.
    this.#queue = new FairQueue<number | string>({ slots: 1, maxWaiting: 10_000 });
    this.#thread = new Thread(maxHtmlBytes, limits);
  }

  /**
   * Runs `work`, which may use the thread, one at a time; next that of the owner who used the least time lately. Rejects with
   * BusyError when it can't begin within `maxWaitMs`, and as `work` does, also when the thread has failed.
   */
  run<T>(owner: number | string, maxWaitMs: number, work: (thread: Thread) => Promise<T>): Promise<T> {
    return this.#queue.run(owner, maxWaitMs, () => work(this.#thread));
  }

  /** Ends the thread; waiting work is refused. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#thread.close();
  }
}
