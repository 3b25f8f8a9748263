import type { JSX } from 'preact';
import { answer, api, deleteAt } from '../../api.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { readAnswer, type Submission } from '../read-submissions.ts';
import { restoreRows } from '../submission-changes.ts';
import { type KeptAction, type KeptFolder, KeptList } from './kept-list.tsx';

/** A page of the trash. */
async function readTrash(deployId: string, query: { page: number; limit: number }, signal: AbortSignal) {
  const params = { path: { deployId }, query };
  const text = await answer(api.GET('/submissions/{deployId}/trash', { params, parseAs: 'text', signal }));
  const { submissions, rest } = readAnswer(text, deployId);
  return { items: submissions, total: Number(rest.get('total')) };
}

/** The path of a submission of the trash in the API. */
const pathOf = ({ pageId, id }: Submission): string => `/submissions/${pageId}/trash/${id}`;

const ACTIONS: readonly KeptAction[] = [
  {
    needs: 'POST /submissions/{deployId}/trash/{submissionId}/restore',
    label: t.inbox.actions.restore,
    icon: 'replace',
    done: (count) => counted(t.inbox.outcomes.restored, count),
    doneBefore: (count, why) => counted(t.inbox.outcomes.restoredBefore, count, { why }),
    make: (one) => restoreRows([one]),
  },
  {
    needs: 'DELETE /submissions/{deployId}/trash/{submissionId}',
    label: t.inbox.actions.deleteForGood,
    icon: 'trash',
    done: (count) => counted(t.inbox.outcomes.purged, count),
    doneBefore: (count, why) => counted(t.inbox.outcomes.purgedBefore, count, { why }),
    ask: (count) => ({
      title: counted(t.inbox.deleted.purgeTitle, count),
      text: t.inbox.deleted.purgeText,
      button: t.inbox.actions.deleteForGood,
    }),
    make: (one) => deleteAt(pathOf(one)),
  },
];

/** The submissions of a page that were deleted, and can be restored. */
export function DeletedSubmissions({ page, onChange }: { page: Page; onChange(): void }): JSX.Element {
  const folder: KeptFolder = {
    view: 'trash',
    loading: t.inbox.deleted.loading,
    search: t.inbox.deleted.search,
    read: (query, signal) => readTrash(page.id, query, signal),
    actions: ACTIONS,
    pathOf,
    nothing: (
      <Empty icon="trash" title={t.inbox.deleted.empty}>
        <p>{t.inbox.deleted.emptyHint}</p>
      </Empty>
    ),
    facts: ({ deletedAt = '', createdAt }) => (
      <span class="muted">
        <Rich
          text={t.inbox.deleted.times}
          with={{ deletedAt: <Time at={deletedAt} />, receivedAt: <Time at={createdAt} /> }}
        />
      </span>
    ),
  };
  return <KeptList folder={folder} page={page} onChange={onChange} />;
}
