import type { JSX } from 'preact';
import { hasWord } from '../../../forms/whole-words.ts';
import { answer, api, deleteAt } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { deleteLater } from '../../deletions.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Empty } from '../../ui/states.tsx';
import { counted, Time } from '../../ui/time.tsx';
import { readAnswer, type Submission, textsOf } from '../read-submissions.ts';
import { type KeptAction, type KeptFolder, KeptList } from './kept-list.tsx';

const REASONS: Readonly<Record<string, string>> = {
  blocklist: 'Has a blocked word',
  honeypot: 'Filled in a field that people do not see',
  'captcha-missing': 'Without a captcha',
  'captcha-failed': 'Wrong captcha',
  'captcha-reused': 'Captcha used before',
  'captcha-misconfigured': 'The captcha’s secret is wrong',
  'captcha-unavailable': 'The captcha gave no answer',
  marked: 'Marked by you',
};

/** Why it is spam. `words`: the blocklist, which may have changed since. */
function reasonOf(submission: Submission, words: readonly string[]): string {
  const { reason = '' } = submission;
  const found = reason === 'blocklist' ? words.filter((word) => hasWord(textsOf(submission), word)) : [];
  return found.length > 0 ? `Blocked: ${found.join(', ')}` : (REASONS[reason] ?? reason);
}

/** A page of the folder. */
async function readSpam(id: string, query: { page: number; limit: number }, signal: AbortSignal) {
  const params = { path: { id }, query };
  const text = await answer(api.GET('/deploy/{id}/spam', { params, parseAs: 'text', signal }));
  const { submissions, rest } = readAnswer(text, id);
  return { items: submissions, total: Number(rest.get('total')) };
}

async function readWords(id: string, signal: AbortSignal): Promise<readonly string[]> {
  const { spam } = await answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal }));
  return spam.blocklist;
}

/** The path of a submission of the folder in the API. */
const pathOf = ({ pageId, id }: Submission): string => `/deploy/${pageId}/spam/${id}`;

function release({ pageId: id, id: submissionId }: Submission): Promise<unknown> {
  const params = { path: { id, submissionId } };
  return answer(api.POST('/deploy/{id}/spam/{submissionId}/release', { params }));
}

const ACTIONS: readonly KeptAction[] = [
  {
    needs: 'POST /deploy/{id}/spam/{submissionId}/release',
    label: 'Not spam',
    icon: 'done',
    done: 'in the inbox now',
    make: release,
  },
  {
    needs: 'DELETE /deploy/{id}/spam/{submissionId}',
    label: 'Delete',
    icon: 'trash',
    done: 'deleted',
    ask: (count) => ({
      title: `Delete ${count}?`,
      text: 'Spam does not go to the trash. Nobody can restore it afterwards.',
      button: 'Delete',
    }),
    isDeletion: true,
    make: (one) => deleteAt(pathOf(one)),
  },
];

const NoSpam = ({ id }: { id: string }): JSX.Element => (
  <Empty icon="done" title="There is no spam">
    <p>Submissions with a blocked word, or without a solved captcha, wait here for 30 days.</p>
    {may('PATCH /deploy/{id}') && (
      <p>
        <ButtonLink href={pageLinks(id).settings}>Set up words and a captcha</ButtonLink>
      </p>
    )}
  </Empty>
);

/** Deletes the folder: so that it can be undone where all of it is shown, and not for many. */
function DeleteAll({
  id,
  items,
  total,
  onDone,
}: {
  id: string;
  items: readonly Submission[];
  total: number;
  onDone(): void;
}): JSX.Element {
  const isUndone = items.length === total && total <= DASHBOARD_LIMITS.inbox.undoneSubmissions;
  const many = `${counted(total, 'submission')} and their files are deleted`;
  return (
    <ActionButton
      needs="DELETE /deploy/{id}/spam"
      kind="danger"
      icon="trash"
      ask={{
        title: 'Delete all spam?',
        button: 'Delete all',
        text: isUndone ? `${many}.` : `${many} for good. Nobody can restore them afterwards.`,
      }}
      run={async () => {
        if (isUndone) deleteLater('The spam is deleted.', items.map(pathOf));
        else await answer(api.DELETE('/deploy/{id}/spam', { params: { path: { id } } }));
      }}
      {...(!isUndone && { done: 'The spam is deleted.' })}
      onDone={onDone}
      isRemoving
    >
      Delete all spam
    </ActionButton>
  );
}

/** The submissions that are kept apart, and can be released. */
export function Spam({ page, onChange }: { page: Page; onChange(): void }): JSX.Element {
  const { id } = page;
  const words = useData(`words:${id}`, (signal) => readWords(id, signal)).data ?? [];
  const folder: KeptFolder = {
    view: 'spam',
    read: (query, signal) => readSpam(id, query, signal),
    actions: ACTIONS,
    nothing: <NoSpam id={id} />,
    facts: (submission) => (
      <>
        <bdi class="badge">{reasonOf(submission, words)}</bdi>{' '}
        <span class="muted">
          <Time at={submission.createdAt} />
        </span>
      </>
    ),
    pathOf,
    foot: (items, total, onDone) => <DeleteAll id={id} items={items} total={total} onDone={onDone} />,
  };
  return <KeptList folder={folder} page={page} onChange={onChange} />;
}
