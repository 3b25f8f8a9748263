import type { JSX } from 'preact';
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
    say('Copied as text.');
  } catch {
    say('The browser did not allow copying: select the text, and copy it by hand.');
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
          Reply
        </ButtonLink>
      )}
      {mayAct(read) && (
        <>
          <IconButton
            icon="finished"
            label="Done"
            isOn={submission.isDone}
            onClick={() => act(submission.isDone ? 'open' : 'done', target)}
          />
          <IconButton
            icon="star"
            label="Star"
            isOn={submission.starred}
            onClick={() => act(submission.starred ? 'unstar' : 'star', target)}
          />
          <IconButton
            icon="unread"
            label={read === 'read' ? 'Mark read' : 'Mark unread'}
            onClick={() => act(read, target)}
          />
        </>
      )}
      <IconButton icon="copy" label="Copy as text" onClick={() => copy(plainText(submission, labels, pageName))} />
      <IconButton icon="print" label="Print" onClick={() => print()} />
      {mayAct('spam') && <IconButton icon="spam" label="Spam" onClick={() => act('spam', target)} />}
      {mayAct('delete') && <IconButton icon="trash" label="Delete" onClick={() => act('delete', target)} />}
    </div>
  );
}
