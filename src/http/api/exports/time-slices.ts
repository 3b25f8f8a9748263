import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long an export runs before other work may use the event loop. */
const SLICE_MS = 2;

/** Long work checks often whether its slice of time `isOver`, and if so awaits the `next`. */
export type TimeSlice = { isOver(): boolean; next(): Promise<void> };

/** Slices of time for several tasks. In each turn of the event loop one waiting task continues. */
export function createTimeSlices(): () => TimeSlice {
  let queue = Promise.resolve();
  return () => {
    let end = performance.now() + SLICE_MS;
    return {
      isOver: () => performance.now() > end,
      async next() {
        queue = queue.then(() => nextTurn());
        await queue;
        end = performance.now() + SLICE_MS;
      },
    };
  };
}
