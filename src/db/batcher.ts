import { setImmediate as nextTurn } from 'node:timers/promises';
import { BusyError } from '../lib/fair-queue.ts';
import { isOutOfReach } from './postgres/out-of-reach.ts';

type Waiting<Item, Result> = { item: Item; size: number; resolve(result: Result): void; reject(error: unknown): void };

/** `sizeOf`: of an item, in any unit, which bounds a batch and what waits in all. */
type BatchLimits<Item> = {
  maxBatch: number;
  maxBatchSize?: number;
  maxWaiting?: number;
  maxWaitingSize?: number;
  sizeOf?(item: Item): number;
};

/**
 * Does work in batches: items that come while a batch is under way wait for the next one, and share its round trip to the
 * database. Two batches at a time would be no faster. `work` returns a result for each item, in their order.
 */
export class Batcher<Item, Result> {
  readonly #work: (batch: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limits: Required<BatchLimits<Item>>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingSize = 0;
  #isRunning = false;

  constructor(work: (batch: readonly Item[]) => Promise<readonly Result[]>, limits: BatchLimits<Item>) {
    this.#work = work;
    const unlimited = { maxBatchSize: Infinity, maxWaiting: Infinity, maxWaitingSize: Infinity, sizeOf: () => 0 };
    this.#limits = { ...unlimited, ...limits };
  }

  /** Settles when the batch of the item has ended. Rejects with BusyError when too much waits. */
  add(item: Item): Promise<Result> {
    const { maxWaiting, maxWaitingSize, sizeOf } = this.#limits;
    const size = sizeOf(item);
    const isFull = this.#waiting.length >= maxWaiting || this.#waitingSize + size > maxWaitingSize;
    if (isFull) return Promise.reject(new BusyError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, size, resolve, reject });
      this.#waitingSize += size;
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // All that this turn of the event loop adds is in the first batch.
    await nextTurn();
    while (this.#waiting.length > 0) await this.#workOrSplit(this.#takeBatch());
    this.#isRunning = false;
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { maxBatch, maxBatchSize } = this.#limits;
    let batchSize = 0;
    const end = this.#waiting.findIndex(({ size }, index) => {
      batchSize += size;
      return index === maxBatch || (index > 0 && batchSize > maxBatchSize);
    });
    return this.#take(end === -1 ? this.#waiting.length : end);
  }

  #take(count: number): Waiting<Item, Result>[] {
    const taken = this.#waiting.splice(0, count);
    for (const { size } of taken) this.#waitingSize -= size;
    return taken;
  }

  /** When Postgres refuses one item, the batch is split until that one fails alone. */
  async #workOrSplit(all: readonly Waiting<Item, Result>[]): Promise<void> {
    const batches = [all];
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      try {
        await this.#workOn(batch);
      } catch (error) {
        const middle = batch.length >> 1;
        // The database is out of reach: the others would get the same error, later than a visitor should wait.
        if (isOutOfReach(error)) fail([...batch, ...batches.splice(0).flat(), ...this.#take(Infinity)], error);
        else if (middle === 0) fail(batch, error);
        else batches.push(batch.slice(middle), batch.slice(0, middle));
      }
    }
  }

  async #workOn(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const results = await this.#work(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('There are fewer results than items.');
    // The next batch is sent first: Postgres works on it while these results are used.
    setImmediate(() => {
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    });
  }
}

function fail(all: readonly { reject(error: unknown): void }[], error: unknown): void {
  for (const { reject } of all) reject(error);
}
