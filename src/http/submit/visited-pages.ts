import { createBoundedCache } from '../../bounded-cache.ts';
import type { VisitedPage } from '../../db/deployments.ts';
import { createFairQueue } from '../../fair-queue.ts';
import { isDeploymentId } from '../../ids.ts';
import type { Limits } from '../../limits.ts';

/** What pages for visitors need to know of deployments: kept in memory, and looked up with bounded concurrency. */
export type VisitedPages = {
  /**
   * The page of a deployment; 'absent' when there is no such deployment, undefined when it can't be looked up in time.
   * `network`: the client's.
   */
  find(deploymentId: string, network: string): Promise<VisitedPage | 'absent' | undefined>;
  /** The page, if it is in memory; it may have changed meanwhile. */
  inMemory(deploymentId: string): VisitedPage | undefined;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

export function createVisitedPages(
  lookUp: (deploymentId: string) => Promise<VisitedPage | undefined>,
  limits: Limits,
): VisitedPages {
  const entries = createBoundedCache<string, VisitedPage | 'absent'>(limits.submissions.maxVisitedPages);
  const queue = createFairQueue<string>({
    slots: limits.submissions.maxConcurrentVisitedPageLookUps,
    maxWaiting: limits.submissions.maxWaitingVisitedPageLookUps,
  });
  let version = 0;

  async function load(deploymentId: string): Promise<VisitedPage | 'absent'> {
    // Another request may have looked it up while this one waited.
    const known = entries.get(deploymentId);
    if (known) return known;
    const versionBefore = version;
    const page = (await lookUp(deploymentId)) ?? 'absent';
    if (version === versionBefore) entries.set(deploymentId, page);
    return page;
  }

  return {
    async find(deploymentId, network) {
      // Only ids reach Postgres, which refuses some texts (NUL).
      if (!isDeploymentId(deploymentId)) return 'absent';
      const known = entries.get(deploymentId);
      if (known) return known;
      const { promise: tooLate, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => resolve(undefined), limits.submissions.visitedPageTimeoutMs);
      const loading = queue
        .run(network, limits.submissions.visitedPageTimeoutMs, () => load(deploymentId))
        .catch(() => undefined);
      const found = await Promise.race([loading, tooLate]);
      clearTimeout(timer);
      return found;
    },
    inMemory(deploymentId) {
      const page = entries.get(deploymentId);
      return page === 'absent' ? undefined : page;
    },
    invalidateAll() {
      version += 1;
      entries.clear();
    },
  };
}
