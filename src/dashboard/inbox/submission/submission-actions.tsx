import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { say } from '../../ui/say.tsx';
import type { Labels } from '../columns/column-labels.ts';
import type { Inbox } from '../inbox-state.ts';
import type { Submission } from '../read-submissions.ts';
import { mayAct, readOrUnread } from '../submission-changes.ts';
import { plainText, replyLink } from './value-links.ts';

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t.inbox.detail.copied);
  } catch {
    say(t.inbox.detail.notCopied);
  }
}

type Props = { inbox: Inbox; submission: Submission; labels: Labels; pageName: string };

/** The actions for an open submission. */
export function SubmissionActions({ inbox, submission, labels, pageName }: Props): JSX.Element {
  const { act } = inbox;
  const target = { rows: [submission] };
  const reply = replyLink(submission, labels, pageName);
  const read = readOrUnread(target.rows);
  return (
    <div class="buttons submission-actions">
      {reply !== undefined && (
        <ButtonLink kind="main" icon="mail" href={reply}>
          {t.inbox.actions.reply}
        </ButtonLink>
      )}
      {mayAct(read) && (
        <>
          <IconButton
            icon="finished"
            label={t.inbox.actions.done}
            isOn={submission.isDone}
            onClick={() => act(submission.isDone ? 'open' : 'done', target)}
          />
          <IconButton
            icon="star"
            label={t.inbox.actions.star}
            isOn={submission.starred}
            onClick={() => act(submission.starred ? 'unstar' : 'star', target)}
          />
          <IconButton
            icon="unread"
            label={read === 'read' ? t.inbox.actions.markRead : t.inbox.actions.markUnread}
            onClick={() => act(read, target)}
          />
        </>
      )}
      <IconButton
        icon="copy"
        label={t.inbox.actions.copy}
        onClick={() => copy(plainText(submission, labels, pageName))}
      />
      <IconButton icon="print" label={t.inbox.actions.print} onClick={() => print()} />
      {mayAct('spam') && <IconButton icon="spam" label={t.inbox.actions.spam} onClick={() => act('spam', target)} />}
      {mayAct('delete') && (
        <IconButton icon="trash" label={t.inbox.actions.delete} onClick={() => act('delete', target)} />
      )}
    </div>
  );
}
