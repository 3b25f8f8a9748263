import { createFairQueue } from '../fair-queue.ts';
import { createThread, type Thread, type ThreadLimits } from './thread.ts';

/** Runs work that would block the event loop for too long in a thread, which owners share. */
export type ComputePool = {
  /**
   * Runs `work`, which may use the thread, one at a time of each owner. Rejects with BusyError when it can't begin
   * within `maxWaitMs`, and as `work` does, also when the thread has failed.
   */
  run<T>(owner: number, maxWaitMs: number, work: (thread: Thread) => Promise<T>): Promise<T>;
  /** Ends the thread; waiting work is refused. */
  close(): Promise<void>;
};

// The thread runs one job at a time. Work in the other slots reads from the database or compresses meanwhile.
const SLOTS = 4;
/** Bounds only the list: waiting work has not read its page yet, and its body is counted in the memory budget. */
const MAX_WAITING = 10_000;

export function createComputePool(limits: ThreadLimits): ComputePool {
  const queue = createFairQueue<number>({ slots: SLOTS, maxWaiting: MAX_WAITING });
  const thread = createThread(limits);
  return {
    run: (owner, maxWaitMs, work) => queue.run(owner, maxWaitMs, () => work(thread)),
    async close() {
      queue.close();
      await thread.close();
    },
  };
}
