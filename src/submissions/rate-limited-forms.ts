import { createBoundedCache } from '../lib/bounded-cache.ts';

/**
 * Remembers the forms that are at a rate limit: a flood is refused without a query. No slot becomes free earlier than the
 * database said.
 */
export class RateLimitedForms {
  /** When each accepts another, as performance.now() returns it. */
  readonly #until: ReturnType<typeof createBoundedCache<string, number>>;

  constructor(maxForms: number) {
    this.#until = createBoundedCache(maxForms);
  }

  /** In how many milliseconds a form accepts another submission; undefined when that is not known to be later. */
  retryAfterMs(deploymentId: string): number | undefined {
    const ms = (this.#until.get(deploymentId) ?? 0) - performance.now();
    return ms > 0 ? ms : undefined;
  }

  remember(deploymentId: string, retryAfterMs: number): void {
    this.#until.set(deploymentId, performance.now() + retryAfterMs);
  }

  /** A deployment has changed. */
  invalidate(deploymentId: string): void {
    this.#until.delete(deploymentId);
  }

  /** Changes may have been missed. */
  invalidateAll(): void {
    this.#until.clear();
  }
}
