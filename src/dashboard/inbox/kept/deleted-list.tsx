import type { JSX } from 'preact';
import { answer, api, deleteAt } from '../../api.ts';
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
    label: 'Restore',
    icon: 'replace',
    done: 'in the inbox again',
    make: (one) => restoreRows([one]),
  },
  {
    needs: 'DELETE /submissions/{deployId}/trash/{submissionId}',
    label: 'Delete for good',
    icon: 'trash',
    done: 'deleted for good',
    ask: (count) => ({
      title: `Delete ${count} for good?`,
      text: 'Files are deleted too. Nobody can restore anything afterwards.',
      button: 'Delete for good',
    }),
    make: (one) => deleteAt(pathOf(one)),
  },
];

/** The submissions of a page that were deleted, and can be restored. */
export function DeletedSubmissions({ page, onChange }: { page: Page; onChange(): void }): JSX.Element {
  const folder: KeptFolder = {
    view: 'trash',
    read: (query, signal) => readTrash(page.id, query, signal),
    actions: ACTIONS,
    pathOf,
    nothing: (
      <Empty icon="trash" title="The trash is empty">
        <p>Submissions that you delete stay here for 7 days. You can restore them until then.</p>
      </Empty>
    ),
    facts: ({ deletedAt = '', createdAt }) => (
      <span class="muted">
        Deleted <Time at={deletedAt} />, received <Time at={createdAt} />
      </span>
    ),
  };
  return <KeptList folder={folder} page={page} onChange={onChange} />;
}
