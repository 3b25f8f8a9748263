import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { answer, api } from '../api.ts';
import { useChange, usePages } from '../data.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { say } from '../ui/say.tsx';
import { Empty, ListFoot, NotSaved, Shown } from '../ui/states.tsx';
import { counted, Time } from '../ui/time.tsx';
import { focusHeading } from '../ui/view.tsx';
import { Fields } from './detail.tsx';
import type { Labels } from './labels.ts';
import { readAnswer, type Submission, titleOf } from './submissions.ts';

const REASONS: Readonly<Record<string, string>> = {
  blocklist: 'Has a blocked word',
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
  const { change, run } = useChange();
  const title = titleOf(submission);
  const params = { path: { id, submissionId: submission.id } };
  async function make(send: () => Promise<unknown>, done: string): Promise<void> {
    if (!(await run(async () => void (await send())))) return;
    say(done);
    onDone();
    focusHeading();
  }
  const release = (): Promise<void> =>
    make(() => answer(api.POST('/deploy/{id}/spam/{submissionId}/release', { params })), 'It is in the inbox.');
  const remove = (): Promise<void> =>
    make(() => answer(api.DELETE('/deploy/{id}/spam/{submissionId}', { params })), 'The spam is deleted.');
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
        <Button of={title} isBusy={change.state === 'saving'} onClick={release}>
          Not spam
        </Button>
        <Button kind="quiet" icon="trash" of={title} onClick={remove}>
          Delete
        </Button>
      </div>
      <NotSaved change={change} />
    </li>
  );
}

/** What is kept apart, and can be released. */
export function Spam({ id, labels, onChange }: { id: string; labels: Labels; onChange(): void }): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const { change, run } = useChange();
  const loaded = usePages(`spam:${id}`, DASHBOARD_LIMITS.inbox.spamPageSize, (query, signal) =>
    readSpam(id, query, signal),
  );
  const onDone = (): void => {
    loaded.reload();
    onChange();
  };
  async function empty(): Promise<void> {
    if (!(await run(async () => void (await answer(api.DELETE('/deploy/{id}/spam', { params: { path: { id } } }))))))
      return;
    setAsked(false);
    say('The spam is deleted.');
    onDone();
  }
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
              <Button kind="danger" icon="trash" onClick={() => setAsked(true)}>
                Delete all spam
              </Button>
            </ListFoot>
            {isAsked && (
              <ConfirmDialog
                title="Delete all spam?"
                button="Delete all"
                change={change}
                onConfirm={empty}
                onClose={() => setAsked(false)}
              >
                <p>{counted(total, 'submission')} and their files are deleted for good.</p>
              </ConfirmDialog>
            )}
          </>
        )
      }
    </Shown>
  );
}
