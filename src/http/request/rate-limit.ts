import { MemoryStore, rateLimit } from 'express-rate-limit';

/** Counts, in this process alone, how often each key is used in a window that begins with its first use. */
export class RateLimit {
  readonly #store = new MemoryStore();
  readonly #max: number;
  #lastUse: Promise<unknown> = Promise.resolve();

  constructor({ max, seconds }: { max: number; seconds: number }) {
    this.#max = max;
    // Gives the store its window.
    rateLimit({ windowMs: seconds * 1_000, store: this.#store });
  }

  /** Counts a use; in how many milliseconds there may be another when this one is too many. */
  async use(key: string): Promise<number | undefined> {
    // The store returns the same object each time, which the next use of the key changes.
    const used = this.#lastUse.then(async () => ({ ...(await this.#store.increment(key)) }));
    this.#lastUse = used;
    const { totalHits, resetTime } = await used;
    return totalHits > this.#max ? Math.max(1, Number(resetTime) - Date.now()) : undefined;
  }
}
