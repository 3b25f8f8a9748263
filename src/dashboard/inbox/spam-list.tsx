import type { JSX } from 'preact';
import { hasWord } from '../../forms/whole-words.ts';
import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { toError, useData, usePages } from '../data.ts';
import { pageLinks } from '../page-links.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { say } from '../ui/say.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { counted, Time } from '../ui/time.tsx';
import { focusHeading } from '../ui/view.tsx';
import { type Labels, useLabels } from './column-labels.ts';
import { readAnswer, type Submission, summaryOf, textsOf, titleOf } from './read-submissions.ts';
import { type Selected, useSelected } from './selected.ts';
import { SelectionBar } from './selection.tsx';
import { Fields, Origin } from './submission-fields.tsx';

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

type SpamPath = { id: string; submissionId: string };

const CHANGES = {
  release: {
    done: 'in the inbox now',
    make: (path: SpamPath) => answer(api.POST('/deploy/{id}/spam/{submissionId}/release', { params: { path } })),
  },
  delete: {
    done: 'deleted',
    make: (path: SpamPath) => answer(api.DELETE('/deploy/{id}/spam/{submissionId}', { params: { path } })),
  },
};

type Props = { submission: Submission; words: readonly string[]; labels: Labels; selected: Selected<Submission> };

const Kept = ({ submission, words, labels, selected }: Props): JSX.Element => (
  <li class="row spam-row">
    <input
      type="checkbox"
      aria-label={`Select ${titleOf(submission)}`}
      checked={selected.ids.has(submission.id)}
      onClick={({ shiftKey }) => selected.toggle(submission.id, shiftKey)}
    />
    <details class="row-text">
      <summary>
        <span class="line" dir="auto">
          {titleOf(submission)} <span class="muted">{summaryOf(submission)}</span>
        </span>
        <br />
        <bdi class="badge">{reasonOf(submission, words)}</bdi>{' '}
        <span class="muted">
          <Time at={submission.createdAt} />
        </span>
      </summary>
      <Fields submission={submission} labels={labels} />
      <Origin submission={submission} />
    </details>
  </li>
);

const NoSpam = ({ id }: { id: string }): JSX.Element => (
  <Empty icon="done" title="There is no spam">
    <p>Submissions with a blocked word, or without a solved captcha, wait here for 30 days.</p>
    <p>
      <ButtonLink href={pageLinks(id).settings}>Set up words and a captcha</ButtonLink>
    </p>
  </Empty>
);

const DeleteAll = ({ id, total, onDone }: { id: string; total: number; onDone(): void }): JSX.Element => (
  <ActionButton
    kind="danger"
    icon="trash"
    ask={{
      title: 'Delete all spam?',
      button: 'Delete all',
      text: `${counted(total, 'submission')} and their files are deleted for good.`,
    }}
    run={() => answer(api.DELETE('/deploy/{id}/spam', { params: { path: { id } } }))}
    done="The spam is deleted."
    onDone={onDone}
  >
    Delete all spam
  </ActionButton>
);

/** The submissions that are kept apart, and can be released. */
export function Spam({ id, onChange }: { id: string; onChange(): void }): JSX.Element {
  const labels = useLabels(id);
  const words = useData(`words:${id}`, (signal) => readWords(id, signal)).data ?? [];
  const loaded = usePages(`spam:${id}`, DASHBOARD_LIMITS.inbox.spamPageSize, (query, signal) =>
    readSpam(id, query, signal),
  );
  const selected = useSelected(loaded.data?.items ?? [], id);
  function onDone(): void {
    selected.clear();
    loaded.reload();
    onChange();
  }
  async function act({ done, make }: (typeof CHANGES)['release' | 'delete']): Promise<void> {
    try {
      for (const { id: submissionId } of selected.rows) await make({ id, submissionId });
      say(`${counted(selected.rows.length, 'submission')} ${done}.`);
    } catch (error) {
      say(`Not saved: ${toError(error).message}`);
    }
    onDone();
    focusHeading();
  }
  return (
    <Shown loaded={loaded} label="Loading the spam">
      {({ items, total }) =>
        total === 0 ? (
          <NoSpam id={id} />
        ) : (
          <>
            <ul class="rows card">
              {items.map((submission) => (
                <Kept key={submission.id} {...{ submission, words, labels, selected }} />
              ))}
            </ul>
            <ListFoot loaded={loaded} of="submission">
              <DeleteAll id={id} total={total} onDone={onDone} />
            </ListFoot>
            {selected.rows.length > 0 && (
              <SelectionBar selected={counted(selected.rows.length, 'submission')} onClear={selected.clear}>
                <div class="buttons actions">
                  <Button kind="quiet" icon="done" onClick={() => act(CHANGES.release)}>
                    Not spam
                  </Button>
                  <Button kind="quiet" icon="trash" onClick={() => act(CHANGES.delete)}>
                    Delete
                  </Button>
                </div>
              </SelectionBar>
            )}
          </>
        )
      }
    </Shown>
  );
}
