import { LRUCache } from 'lru-cache';

/** When the cache is full, one in so many new entries is kept. */
const KEPT_WHEN_FULL = 8;

/** `onDrop`: called for each entry that falls out or is deleted. */
type SteadyCacheOptions<Key, Value> = {
  maxBytes: number;
  sizeOf(value: Value, key: Key): number;
  onDrop?(value: Value, key: Key): void;
};

/**
 * A cache of the entries that were used last, up to `maxBytes`. When it is full, it keeps only some of the new entries. If it kept
 * all, requests for more than it has room for, each in turn, would find none: each would have fallen out shortly before. An entry
 * that is asked for often is soon kept.
 */
export class SteadyCache<Key extends {}, Value extends {}> {
  readonly #entries: LRUCache<Key, Value>;
  readonly #sizeOf: (value: Value, key: Key) => number;
  readonly #onDrop: (value: Value, key: Key) => void;
  #offered = 0;

  constructor({ maxBytes, sizeOf, onDrop = () => undefined }: SteadyCacheOptions<Key, Value>) {
    this.#sizeOf = sizeOf;
    this.#onDrop = onDrop;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      dispose: (value, key, reason) => void (reason === 'delete' || onDrop(value, key)),
    });
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Returns an entry, which does not count as used. */
  peek(key: Key): Value | undefined {
    return this.#entries.peek(key);
  }

  values(): Iterable<Value> {
    return this.#entries.values();
  }

  /** Keeps an entry in place of the one with its key, or where it has room, or at every KEPT_WHEN_FULL-th call. */
  offer(key: Key, value: Value): boolean {
    const fits = this.#entries.calculatedSize + this.#sizeOf(value, key) <= this.#entries.maxSize;
    if (!fits && !this.#entries.has(key)) {
      this.#offered += 1;
      if (this.#offered % KEPT_WHEN_FULL !== 0) return false;
    }
    this.keep(key, value);
    return true;
  }

  /** Keeps an entry, and measures it. Other entries fall out for it; one that is larger than all may be is dropped. */
  keep(key: Key, value: Value): void {
    // Setting it again alone would not measure it.
    if (this.#entries.peek(key) === value) this.#entries.delete(key);
    this.#entries.set(key, value, { size: this.#sizeOf(value, key) });
  }

  delete(key: Key): void {
    const value = this.#entries.peek(key);
    if (value !== undefined && this.#entries.delete(key)) this.#onDrop(value, key);
  }
}
