import { computed, signal } from '@preact/signals';
import type { Schemas } from '../client/client.ts';
import { answer, api, session } from './api.ts';
import { MAX_LIMIT } from './dashboard-limits.ts';

/** A page with what its owner wants to know at a glance. */
export type Overviewed = Schemas['OverviewedDeployment'];

/** The unread submissions of each page, as they were last read. */
const unreadOf = signal<ReadonlyMap<string, number>>(new Map());

/** The unread submissions of all pages. */
export const unreadInAll = computed(() => [...unreadOf.value.values()].reduce((sum, count) => sum + count, 0));

let lastRead = Number.NEGATIVE_INFINITY;

/** The pages that are the owner's own, and not shared by somebody else. */
export const ownOf = (pages: readonly Overviewed[]): readonly Overviewed[] =>
  pages.filter(({ role }) => role === undefined);

/** Keeps the counts of all pages. */
function noteAll(pages: readonly Overviewed[]): void {
  unreadOf.value = new Map(ownOf(pages).map(({ id, unread }) => [id, unread]));
  lastRead = performance.now();
}

/** Keeps the counts of pages that a view has just read. */
export function noteUnread(pages: readonly Overviewed[]): void {
  unreadOf.value = new Map([...unreadOf.value, ...ownOf(pages).map(({ id, unread }) => [id, unread] as const)]);
}

/** Some of the owner's pages, newest first. */
export async function readOverview(
  query: { page: number; limit: number },
  signal: AbortSignal,
): Promise<{ items: readonly Overviewed[]; total: number }> {
  const { deployments, total } = await answer(api.GET('/overview', { params: { query }, signal }));
  if (deployments.length === total) noteAll(deployments);
  else noteUnread(deployments);
  return { items: deployments, total };
}

/** All of the owner's pages, newest first. */
export async function readAllPages(signal: AbortSignal): Promise<readonly Overviewed[]> {
  const limit = MAX_LIMIT;
  const pages: Overviewed[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await readOverview({ page, limit }, signal);
    pages.push(...items);
    if (page * limit < total) continue;
    noteAll(pages);
    return pages;
  }
}

/** Reads the counts again, unless that was done a moment ago, or nobody sees them. */
export async function refreshUnread(pauseMs: number): Promise<void> {
  if (session.value !== 'active' || document.hidden || performance.now() - lastRead < pauseMs) return;
  lastRead = performance.now();
  // The bar keeps the counts that it has.
  await readAllPages(new AbortController().signal).catch(() => undefined);
}
