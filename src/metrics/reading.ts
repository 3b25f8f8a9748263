import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 1_000;
/** A reading that has failed is tried again after so long. */
const RETRY_MS = 60_000;

/** A value that costs something to read: it is read when it is asked for, and not again for `maxAgeMs`. */
export class Reading<Value> {
  readonly #read: () => Promise<Value>;
  readonly #maxAgeMs: number;
  readonly #waitMs: number;
  #value: Value | undefined;
  /** The time of performance.now(). */
  #dueAt = 0;
  #pending: Promise<void> | undefined;

  constructor(read: () => Promise<Value>, maxAgeMs: number, waitMs = WAIT_MS) {
    this.#read = read;
    this.#maxAgeMs = maxAgeMs;
    this.#waitMs = waitMs;
  }

  /** Returns undefined where the value can't be read, and the one before while a new one takes long. Never rejects. */
  async latest(): Promise<Value | undefined> {
    if (performance.now() >= this.#dueAt) {
      this.#pending ??= this.#renew();
      await Promise.race([this.#pending, delay(this.#waitMs, undefined, { ref: false })]);
    }
    return this.#value;
  }

  async #renew(): Promise<void> {
    let pauseMs = this.#maxAgeMs;
    try {
      this.#value = await this.#read();
    } catch {
      this.#value = undefined;
      pauseMs = Math.min(pauseMs, RETRY_MS);
    }
    this.#dueAt = performance.now() + pauseMs;
    this.#pending = undefined;
  }
}
