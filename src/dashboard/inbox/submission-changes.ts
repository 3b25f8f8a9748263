import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { toError } from '../data.ts';
import { may } from '../permissions.ts';
import { counted, t } from '../texts/chosen-texts.ts';
import { say } from '../ui/say.tsx';
import { type Filter, queryOf } from './filter.ts';
import type { Submission } from './read-submissions.ts';

export const MARKS = {
  read: { read: true },
  unread: { read: false },
  star: { starred: true },
  unstar: { starred: false },
  done: { isDone: true },
  open: { isDone: false },
} as const;

type Mark = keyof typeof MARKS;
export type Action = Mark | 'delete' | 'spam';

/** Returns whether this person may change submissions so. */
export const mayAct = (action: Action): boolean => may('POST /submissions/{deployId}/bulk', action);

/** Submissions, newest first. `isAll`: and all older ones that the filter lets through. */
export type Target = { rows: readonly Submission[]; isAll?: boolean };

/** Marks them as read, or as unread where all of them are read. */
export const readOrUnread = (of: readonly Submission[]): Mark => (of.some(({ read }) => !read) ? 'read' : 'unread');

/** Gives them a star, or takes it away where all of them have one. */
export const starOrUnstar = (of: readonly Submission[]): Mark =>
  of.some(({ starred }) => !starred) ? 'star' : 'unstar';

/** Is done with them, or opens them again where all of them are done. */
export const doneOrOpen = (of: readonly Submission[]): Mark => (of.some(({ isDone }) => !isDone) ? 'done' : 'open');

/** Changes these submissions. */
export async function changeRows(action: Action, of: readonly Submission[]): Promise<void> {
  const limit = DASHBOARD_LIMITS.inbox.changedIds;
  for (const [deployId, rows] of Map.groupBy(of, ({ pageId }) => pageId)) {
    for (let from = 0; from < rows.length; from += limit) {
      const ids = rows.slice(from, from + limit).map(({ id }) => id);
      const params = { path: { deployId } };
      await answer(api.POST('/submissions/{deployId}/bulk', { params, body: { action, ids } }));
    }
  }
}

/** Brings deleted submissions back from the trash, one after the other. */
export async function restoreRows(rows: readonly Submission[]): Promise<void> {
  for (const { pageId: deployId, id: submissionId } of rows) {
    const params = { path: { deployId, submissionId } };
    await answer(api.POST('/submissions/{deployId}/trash/{submissionId}/restore', { params }));
  }
}

/** Takes back that submissions were marked as spam, one after the other. */
export async function unmarkRows(rows: readonly Submission[]): Promise<void> {
  for (const { pageId: id, id: submissionId } of rows) {
    const params = { path: { id, submissionId } };
    await answer(api.POST('/deploy/{id}/spam/{submissionId}/restore', { params }));
  }
}

/** The filter that lets submissions through up to the newest one: those that have come since are left. */
export const filterUpTo = (newest: Submission, shown: Filter): ReturnType<typeof queryOf> => ({
  ...queryOf(shown),
  to: new Date(Date.parse(newest.createdAt) + 1).toISOString(),
});

/** Changes all submissions of these pages that a filter lets through, up to the newest one; says how many have been changed. */
export async function changeMatching(
  action: Action,
  shown: Filter,
  newest: Submission,
  pageIds: readonly string[],
): Promise<void> {
  const { unread, starred, ...rest } = filterUpTo(newest, shown);
  const filter = { ...rest, ...(unread && { unread: true as const }), ...(starred && { starred: true as const }) };
  const { outcomes } = t.inbox;
  const [soFar, done, before] =
    action === 'delete'
      ? [outcomes.deletedSoFar, outcomes.deleted, outcomes.deletedBefore]
      : [outcomes.changedSoFar, outcomes.changed, outcomes.changedBefore];
  let all = 0;
  try {
    for (const deployId of pageIds) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const body = { action, filter, ...(cursor !== undefined && { cursor }) };
        const call = api.POST('/submissions/{deployId}/bulk', { params: { path: { deployId } }, body });
        const { done: changed, next_cursor: next } = await answer(call);
        all += changed;
        cursor = next ?? null;
        if (changed > 0) say(counted(soFar, all));
      }
    }
    say(counted(done, all));
  } catch (error) {
    throw all === 0 ? error : new Error(counted(before, all, { why: toError(error).message }));
  }
}
