import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { SIZES } from '../../sizes.ts';

/** Counts, in this process alone, how often each key is used in a window that begins with its first use. */
export class RateLimit {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #windows = createBoundedCache<string, { uses: number; endsAt: number }>(SIZES.rateLimitKeys);

  constructor({ max, seconds }: { max: number; seconds: number }) {
    this.#max = max;
    this.#windowMs = seconds * 1_000;
  }

  /** Counts a use; in how many milliseconds there may be another when this one is too many. */
  use(key: string): number | undefined {
    const now = performance.now();
    const last = this.#windows.get(key);
    const window = last && last.endsAt > now ? last : { uses: 0, endsAt: now + this.#windowMs };
    window.uses += 1;
    this.#windows.set(key, window);
    return window.uses > this.#max ? window.endsAt - now : undefined;
  }
}
