import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';

/** Long work checks often whether its slice of time `isOver`, and if so awaits the `next`. */
export class TimeSlice {
  readonly #ms: number;
  readonly #turns: LimitFunction;
  #end: number;

  /** `turns`, with a concurrency of 1, is shared by all work of which one continues in each turn of the event loop. */
  constructor(ms: number, turns: LimitFunction) {
    this.#ms = ms;
    this.#turns = turns;
    this.#end = performance.now() + ms;
  }

  isOver(): boolean {
    return performance.now() > this.#end;
  }

  async next(): Promise<void> {
    await this.#turns(() => nextTurn());
    this.#end = performance.now() + this.#ms;
  }
}
