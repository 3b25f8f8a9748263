import type { JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { hasWord } from '../../../forms/whole-words.ts';
import { answer, api, deleteAt } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { deleteLater } from '../../deletions.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { readAnswer, type Submission, textsOf } from '../read-submissions.ts';
import { type KeptAction, type KeptFolder, KeptList } from './kept-list.tsx';

type Reason = Schemas['SpamSubmission']['reason'];

const REASONS: Readonly<Record<Reason, string>> = t.inbox.spam.reasons;
const isReason = (reason: string): reason is Reason => Object.hasOwn(REASONS, reason);

/** Why it is spam. `words`: the blocklist, which may have changed since. */
function reasonOf(submission: Submission, words: readonly string[]): string {
  const { reason = '' } = submission;
  const found = reason === 'blocklist' ? words.filter((word) => hasWord(textsOf(submission), word)) : [];
  if (found.length > 0) return fill(t.inbox.spam.blocked, { words: found.join(', ') });
  return isReason(reason) ? REASONS[reason] : reason;
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
    label: t.inbox.actions.notSpam,
    icon: 'done',
    done: (count) => counted(t.inbox.outcomes.released, count),
    doneBefore: (count, why) => counted(t.inbox.outcomes.releasedBefore, count, { why }),
    make: release,
  },
  {
    needs: 'DELETE /deploy/{id}/spam/{submissionId}',
    label: t.inbox.actions.delete,
    icon: 'trash',
    done: (count) => counted(t.inbox.outcomes.deleted, count),
    doneBefore: (count, why) => counted(t.inbox.outcomes.deletedBefore, count, { why }),
    ask: (count) => ({
      title: counted(t.inbox.spam.deleteTitle, count),
      text: t.inbox.spam.deleteText,
      button: t.inbox.actions.delete,
    }),
    isDeletion: true,
    make: (one) => deleteAt(pathOf(one)),
  },
];

const NoSpam = ({ id }: { id: string }): JSX.Element => (
  <Empty icon="done" title={t.inbox.spam.empty}>
    <p>{t.inbox.spam.emptyHint}</p>
    {may('PATCH /deploy/{id}') && (
      <p>
        <ButtonLink href={pageLinks(id).settings}>{t.inbox.spam.setUp}</ButtonLink>
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
  return (
    <ActionButton
      needs="DELETE /deploy/{id}/spam"
      kind="danger"
      icon="trash"
      ask={{
        title: t.inbox.spam.deleteAllTitle,
        button: t.inbox.spam.deleteAllButton,
        text: counted(isUndone ? t.inbox.spam.deleteAllText : t.inbox.spam.deleteAllForGood, total),
      }}
      run={async () => {
        if (isUndone) deleteLater(t.inbox.spam.deletedAll, items.map(pathOf));
        else await answer(api.DELETE('/deploy/{id}/spam', { params: { path: { id } } }));
      }}
      {...(!isUndone && { done: t.inbox.spam.deletedAll })}
      onDone={onDone}
      isRemoving
    >
      {t.inbox.spam.deleteAll}
    </ActionButton>
  );
}

/** The submissions that are kept apart, and can be released. */
export function Spam({ page, onChange }: { page: Page; onChange(): void }): JSX.Element {
  const { id } = page;
  const words = useData(`words:${id}`, (signal) => readWords(id, signal)).data ?? [];
  const folder: KeptFolder = {
    view: 'spam',
    loading: t.inbox.spam.loading,
    search: t.inbox.spam.search,
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
