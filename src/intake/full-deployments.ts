import { createBoundedCache } from '../bounded-cache.ts';
import type { Limits } from '../limits.ts';

/** A deployment that is at its rate limit, and how long until it accepts another submission. */
type FullDeployment = { slug: string; retryAfterMs: number };

/**
 * Remembers the deployments that are at their rate limit: a flood is refused without a query. No slot becomes free
 * earlier than the database said.
 */
export type FullDeployments = {
  find(deploymentId: string): FullDeployment | undefined;
  /** A number that differs after each `invalidateAll`. */
  version(): number;
  /** Remembers what the database said. Does nothing after an `invalidateAll` that is later than `version`. */
  remember(deploymentId: string, full: FullDeployment, version: number): void;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

/** Times are as performance.now() returns them. */
type Entry = { slug: string; until: number };

export function createFullDeployments(limits: Limits): FullDeployments {
  const entries = createBoundedCache<string, Entry>(limits.submissions.maxFullDeployments);
  let version = 0;

  return {
    find(deploymentId) {
      const entry = entries.get(deploymentId);
      const now = performance.now();
      if (!entry || entry.until <= now) return undefined;
      return { slug: entry.slug, retryAfterMs: entry.until - now };
    },
    version: () => version,
    remember(deploymentId, { slug, retryAfterMs }, versionBefore) {
      if (version !== versionBefore) return;
      entries.set(deploymentId, { slug, until: performance.now() + retryAfterMs });
    },
    invalidateAll() {
      version += 1;
      entries.clear();
    },
  };
}
