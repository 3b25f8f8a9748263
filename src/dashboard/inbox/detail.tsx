import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { sizeOf } from '../ui/size.ts';
import { Empty, NotSaved, Shown } from '../ui/states.tsx';
import { numbers, Time } from '../ui/time.tsx';
import { Deliveries } from './deliveries.tsx';
import type { Inbox } from './inbox.ts';
import { type Labels, labelOf } from './labels.ts';
import { type Field, lineNamed, readSubmission, type SentFile, type Submission, titleOf } from './submissions.ts';

const EMAIL = /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/;

const mailto = (address: string): string => `mailto:${encodeURIComponent(address).replace('%40', '@')}`;

const File = ({ file }: { file: SentFile }): JSX.Element => (
  <a class="sent-file" href={file.href} download>
    <Icon name="page" />
    <bdi>{file.filename === '' ? 'File without a name' : file.filename}</bdi>
    <span class="muted">{sizeOf(file.size)}</span>
  </a>
);

/** Where a value leads that is an address of mail, a URL, or a phone number. */
function linkOf(name: string, text: string): string | undefined {
  if (EMAIL.test(text)) return mailto(text);
  if (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) return text;
  const isPhone = /^\+?[\d ()/.-]{6,25}$/.test(text) && (text.startsWith('+') || /phone|tel|mobil/i.test(name));
  return isPhone ? `tel:${text.replaceAll(/[^\d+]/g, '')}` : undefined;
}

function Text({ name, text }: { name: string; text: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  if (text === '') return <span class="muted">Empty</span>;
  const href = linkOf(name, text);
  if (href !== undefined) {
    return (
      <a class="text" dir="auto" href={href} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  }
  if (text.length <= DASHBOARD_LIMITS.inbox.shownChars || isWhole) {
    return (
      <p class="text" dir="auto">
        {text}
      </p>
    );
  }
  return (
    <>
      <p class="text" dir="auto">
        {text.slice(0, DASHBOARD_LIMITS.inbox.shownChars).toWellFormed()}…
      </p>
      <Button kind="quiet" onClick={() => setWhole(true)}>
        Show all {numbers.format(text.length)} characters
      </Button>
    </>
  );
}

const Value = ({ field: { name, values } }: { field: Field }): JSX.Element => {
  const show = (value: string | SentFile): JSX.Element =>
    typeof value === 'string' ? <Text name={name} text={value} /> : <File file={value} />;
  const [first = '', ...others] = values;
  if (others.length === 0) return show(first);
  return (
    <ul class="values">
      {values.map((value, index) => (
        <li key={index}>{show(value)}</li>
      ))}
    </ul>
  );
};

/** All fields of a submission. */
export const Fields = ({ submission, labels }: { submission: Submission; labels: Labels }): JSX.Element => (
  <>
    <dl class="fields stack">
      {submission.fields.map((field, index) => (
        <div key={index} class={field.control ? 'field-pair aside' : 'field-pair'}>
          <dt>
            <bdi title={field.name.slice(0, DASHBOARD_LIMITS.inbox.fieldTitleChars)}>{labelOf(labels, field.name)}</bdi>
          </dt>
          <dd>
            <Value field={field} />
          </dd>
        </div>
      ))}
    </dl>
    {submission.fields.length === 0 && <p class="muted">It was sent without fields.</p>}
  </>
);

/** One submission, whole. */
async function readOne(deployId: string, submissionId: string, signal: AbortSignal): Promise<Submission> {
  const params = { path: { deployId, submissionId } };
  return readSubmission(
    await answer(api.GET('/submissions/{deployId}/{submissionId}', { params, parseAs: 'text', signal })),
  );
}

/** Marks a submission as read: returns it with its marks, or nothing to a key that may only read. */
async function markRead(deployId: string, submissionId: string): Promise<Submission | undefined> {
  const params = { path: { deployId, submissionId } };
  try {
    const body = { read: true };
    return readSubmission(
      await answer(api.PATCH('/submissions/{deployId}/{submissionId}', { params, body, parseAs: 'text' })),
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** The address to answer to, if the submission has one. */
function addressIn(submission: Submission): string | undefined {
  const replyTo = submission.fields.filter(({ control }) => control === 'reply-to');
  const named = submission.fields.filter(({ name }) => /^e-?mail$/i.test(name));
  const lines = [...replyTo, ...named].map(({ name }) => lineNamed(submission, name).trim());
  return lines.find((line) => EMAIL.test(line));
}

function Actions({
  inbox: { list, remove },
  submission,
  isRead,
  isStarred,
}: {
  inbox: Inbox;
  submission: Submission;
  isRead: boolean;
  isStarred: boolean;
}): JSX.Element {
  const email = addressIn(submission);
  return (
    <div class="buttons detail-actions">
      {email !== undefined && (
        <ButtonLink icon="mail" href={mailto(email)}>
          Reply by mail
        </ButtonLink>
      )}
      <Button
        icon="star"
        kind={isStarred ? 'plain' : 'quiet'}
        onClick={() => list.mark(isStarred ? 'unstar' : 'star', [submission.id])}
      >
        {isStarred ? 'Remove star' : 'Star'}
      </Button>
      <Button kind="quiet" onClick={() => list.mark(isRead ? 'unread' : 'read', [submission.id])}>
        {isRead ? 'Mark unread' : 'Mark read'}
      </Button>
      <Button kind="quiet" icon="warning" onClick={() => remove([submission.id], 'spam')}>
        Spam
      </Button>
      <Button kind="quiet" icon="trash" onClick={() => remove([submission.id], 'delete')}>
        Delete
      </Button>
    </div>
  );
}

function Opened({ inbox, submission }: { inbox: Inbox; submission: Submission }): JSX.Element {
  const { page, labels, list } = inbox;
  const { change, run } = useChange({ isRepeatable: true });
  const [answered, setAnswered] = useState<Submission>();
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // To open it is to read it.
    void run(async () => {
      const marked = await markRead(page.id, submission.id);
      if (!marked) return;
      setAnswered(marked);
      list.show({ read: true, starred: marked.starred }, [submission.id]);
    });
  }, [submission.id]);

  const listed = list.state.value.rows.find((row) => row.id === submission.id);
  const marks = list.state.value.marks.get(submission.id);
  const { read = true, starred = false } = { ...answered, ...listed, ...marks };
  const version = answered?.pageVersion ?? listed?.pageVersion;
  return (
    <>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {titleOf(submission)}
      </h2>
      <p class="muted detail-when">
        <Time at={submission.createdAt} />
        {!read && <span class="badge">Unread</span>}
      </p>
      <Actions inbox={inbox} submission={submission} isRead={read} isStarred={starred} />
      <NotSaved change={change} />
      <Fields submission={submission} labels={labels} />
      <dl class="facts detail-facts">
        <dt>IP address</dt>
        <dd>
          <bdi>{submission.ipAddress}</bdi>
        </dd>
        <dt>Page version</dt>
        <dd>
          {version === undefined ? (
            'Not known'
          ) : (
            <a href={`${pageLinks(page.id).page}?version=${version}`}>Version {version}</a>
          )}
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{submission.id}</code>
        </dd>
      </dl>
      <Deliveries id={page.id} submissionId={submission.id} />
    </>
  );
}

/** One submission, beside the list or in its place. */
export function Detail({ inbox, submissionId }: { inbox: Inbox; submissionId: string }): JSX.Element {
  const { page, list, hrefOf } = inbox;
  const loaded = useData(`submission:${submissionId}`, (signal) => readOne(page.id, submissionId, signal));
  const { rows } = list.state.value;
  const index = rows.findIndex((row) => row.id === submissionId);
  const newer = rows[index - 1];
  const older = index < 0 ? undefined : rows[index + 1];
  const isGone = loaded.error instanceof ApiError && loaded.error.status === 404;
  return (
    <section class="inbox-detail card" aria-label="Submission">
      <div class="detail-bar">
        <ButtonLink kind="quiet" icon="back" href={hrefOf()}>
          Back to the list
        </ButtonLink>
        <div class="buttons">
          {newer && (
            <ButtonLink kind="quiet" href={hrefOf(newer.id)}>
              Newer
            </ButtonLink>
          )}
          {older && (
            <ButtonLink kind="quiet" href={hrefOf(older.id)}>
              Older
            </ButtonLink>
          )}
        </div>
      </div>
      {isGone ? (
        <Empty icon="trash" title="This submission is not there">
          <p>It was deleted, or it is kept as spam.</p>
        </Empty>
      ) : (
        <Shown loaded={loaded} label="Loading the submission">
          {(submission) => <Opened key={submission.id} inbox={inbox} submission={submission} />}
        </Shown>
      )}
    </section>
  );
}
