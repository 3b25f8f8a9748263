import type { Schemas } from '../client/client.ts';
import { answer, api } from './api.ts';
import { MAX_LIMIT } from './dashboard-limits.ts';

/** A page with what its owner wants to know at a glance. */
export type Overviewed = Schemas['OverviewedDeployment'];

/** Some of the owner's pages, newest first. */
export async function readOverview(
  query: { page: number; limit: number },
  signal: AbortSignal,
): Promise<{ items: readonly Overviewed[]; total: number }> {
  const { deployments, total } = await answer(api.GET('/overview', { params: { query }, signal }));
  return { items: deployments, total };
}

/** All of the owner's pages, newest first. */
export async function readAllPages(signal: AbortSignal): Promise<readonly Overviewed[]> {
  const limit = MAX_LIMIT;
  const pages: Overviewed[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await readOverview({ page, limit }, signal);
    pages.push(...items);
    if (page * limit >= total) return pages;
  }
}
