import { createFairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { createThread, type Thread, type ThreadConfig } from './thread.ts';

/** Runs work that would block the event loop for too long in a thread, which owners share. */
export type ComputePool = {
  /**
   * Runs `work`, which may use the thread, one at a time; next that of the owner who used the least time lately. Rejects with BusyError when it can't begin
   * within `maxWaitMs`, and as `work` does, also when the thread has failed.
   */
  run<T>(owner: number | string, maxWaitMs: number, work: (thread: Thread) => Promise<T>): Promise<T>;
  /** Ends the thread; waiting work is refused. */
  close(): Promise<void>;
};

export function createComputePool(config: ThreadConfig, { compute: limits }: Pick<Limits, 'compute'>): ComputePool {
  const queue = createFairQueue<number | string>({ slots: 1, maxWaiting: limits.maxWaiting });
  const thread = createThread(config, limits);
  return {
    run: (owner, maxWaitMs, work) => queue.run(owner, maxWaitMs, () => work(thread)),
    async close() {
      queue.close();
      await thread.close();
    },
  };
}
