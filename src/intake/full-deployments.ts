import { createBoundedCache } from '../bounded-cache.ts';

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

const MAX_REMEMBERED = 10_000;
/** How long an entry is used while changes of deployments are not received. */
export const MAX_UNCONFIRMED_MS = 1_000;

/** Times are as performance.now() returns them. */
type Entry = { slug: string; since: number; until: number };

/** `isInvalidationLive`: whether changes of deployments are received at this time. */
export function createFullDeployments(isInvalidationLive: () => boolean): FullDeployments {
  const entries = createBoundedCache<string, Entry>(MAX_REMEMBERED);
  let version = 0;

  return {
    find(deploymentId) {
      const entry = entries.get(deploymentId);
      const now = performance.now();
      if (!entry || entry.until <= now) return undefined;
      if (now - entry.since >= MAX_UNCONFIRMED_MS && !isInvalidationLive()) return undefined;
      return { slug: entry.slug, retryAfterMs: entry.until - now };
    },
    version: () => version,
    remember(deploymentId, { slug, retryAfterMs }, versionBefore) {
      if (version !== versionBefore) return;
      const since = performance.now();
      entries.set(deploymentId, { slug, since, until: since + retryAfterMs });
    },
    invalidateAll() {
      version += 1;
      entries.clear();
    },
  };
}
