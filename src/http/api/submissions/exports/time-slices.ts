import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work checks often whether its slice of time `isOver`, and if so awaits the `next`. */
export type TimeSlice = { isOver(): boolean; next(): Promise<void> };

/** Slices of time for several tasks, each of `sliceMs`. In each turn of the event loop one waiting task continues. */
export function createTimeSlices(sliceMs: number): () => TimeSlice {
  let queue = Promise.resolve();
  return () => {
    let end = performance.now() + sliceMs;
    return {
      isOver: () => performance.now() > end,
      async next() {
        queue = queue.then(() => nextTurn());
        await queue;
        end = performance.now() + sliceMs;
      },
    };
  };
}
