import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { usePages } from '../data.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { counted, Time } from '../ui/time.tsx';
import { Fields } from './detail.tsx';
import type { Labels } from './labels.ts';
import { readAnswer, type Submission, titleOf } from './submissions.ts';

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

/** A page of what is kept as spam. */
export async function readSpam(
  id: string,
  query: { page: number; limit: number },
  signal: AbortSignal,
): Promise<{ items: Submission[]; total: number }> {
  const params = { path: { id }, query };
  const text = await answer(api.GET('/deploy/{id}/spam', { params, parseAs: 'text', signal }));
  const { submissions, rest } = readAnswer(text);
  return { items: submissions, total: Number(rest.get('total')) };
}

function Kept({
  id,
  submission,
  labels,
  onDone,
}: {
  id: string;
  submission: Submission;
  labels: Labels;
  onDone(): void;
}): JSX.Element {
  const title = titleOf(submission);
  const params = { path: { id, submissionId: submission.id } };
  return (
    <li class="row spam-row">
      <details class="row-text">
        <summary>
          <bdi>{title}</bdi>
        </summary>
        <Fields submission={submission} labels={labels} />
        <p class="muted">
          From <bdi>{submission.ipAddress}</bdi>
        </p>
      </details>
      <p class="muted">
        <span class="badge">{REASONS[submission.reason ?? ''] ?? submission.reason}</span>{' '}
        <Time at={submission.createdAt} />
      </p>
      <div class="buttons">
        <ActionButton
          of={title}
          run={() => answer(api.POST('/deploy/{id}/spam/{submissionId}/release', { params }))}
          done="It is in the inbox."
          onDone={onDone}
          isRemoving
        >
          Not spam
        </ActionButton>
        <ActionButton
          kind="quiet"
          icon="trash"
          of={title}
          run={() => answer(api.DELETE('/deploy/{id}/spam/{submissionId}', { params }))}
          done="The spam is deleted."
          onDone={onDone}
          isRemoving
        >
          Delete
        </ActionButton>
      </div>
    </li>
  );
}

/** What is kept apart, and can be released. */
export function Spam({ id, labels, onChange }: { id: string; labels: Labels; onChange(): void }): JSX.Element {
  const loaded = usePages(`spam:${id}`, DASHBOARD_LIMITS.inbox.spamPageSize, (query, signal) =>
    readSpam(id, query, signal),
  );
  const onDone = (): void => {
    loaded.reload();
    onChange();
  };
  return (
    <Shown loaded={loaded} label="Loading the spam">
      {({ items, total }) =>
        total === 0 ? (
          <Empty icon="done" title="There is no spam">
            <p>What the blocked words or the captcha of the settings keep apart waits here for 30 days.</p>
          </Empty>
        ) : (
          <>
            <ul class="rows card">
              {items.map((submission) => (
                <Kept key={submission.id} id={id} submission={submission} labels={labels} onDone={onDone} />
              ))}
            </ul>
            <ListFoot loaded={loaded} of="submission">
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
            </ListFoot>
          </>
        )
      }
    </Shown>
  );
}
