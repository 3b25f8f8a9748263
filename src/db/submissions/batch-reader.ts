import { setImmediate as nextTurn } from 'node:timers/promises';
import { isOutOfReach } from '../postgres/out-of-reach.ts';

type Waiting<Value> = { key: string; resolve(value: Value | undefined): void; reject(error: unknown): void };

/**
 * Reads values in batches: those that are asked for while a batch is being read wait for the next one, and share its
 * round trip. No value is older than the request for it.
 */
export class BatchReader<Value> {
  readonly #read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly #maxBatch: number;
  #waiting: Waiting<Value>[] = [];
  #isRunning = false;

  constructor(read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>, maxBatch: number) {
    this.#read = read;
    this.#maxBatch = maxBatch;
  }

  /** The value of a key; undefined when there is none. */
  get(key: string): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // What else this turn of the event loop asks for is read with it.
    await nextTurn();
    while (this.#waiting.length > 0) await this.#readBatch(this.#waiting.splice(0, this.#maxBatch));
    this.#isRunning = false;
  }

  async #readBatch(batch: Waiting<Value>[]): Promise<void> {
    try {
      const values = await this.#read([...new Set(batch.map(({ key }) => key))]);
      for (const { key, resolve } of batch) resolve(values.get(key));
    } catch (error) {
      // The others would get the same error, later than a visitor should wait.
      if (isOutOfReach(error)) batch.push(...this.#waiting.splice(0));
      for (const { reject } of batch) reject(error);
    }
  }
}
