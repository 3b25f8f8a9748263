import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { sizeOf } from '../ui/size.ts';
import { Empty, NotSaved, Shown } from '../ui/states.tsx';
import { counted, numbers, Time } from '../ui/time.tsx';
import type { Changes } from './changes.ts';
import { Deliveries } from './deliveries.tsx';
import { type Labels, labelOf } from './labels.ts';
import { readOne } from './list.ts';
import { type Field, lineNamed, readSubmission, type SentFile, type Submission, titleOf } from './submissions.ts';

const EMAIL = /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/;

const File = ({ file }: { file: SentFile }): JSX.Element => (
  <a class="sent-file" href={file.href} download>
    <Icon name="page" />
    <bdi>{file.filename === '' ? 'File without a name' : file.filename}</bdi>
    <span class="muted">{sizeOf(file.size)}</span>
  </a>
);

function Text({ text }: { text: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  if (text === '') return <span class="muted">Empty</span>;
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

const Value = ({ field }: { field: Field }): JSX.Element => {
  const [only] = field.values;
  const show = (value: string | SentFile): JSX.Element =>
    typeof value === 'string' ? <Text text={value} /> : <File file={value} />;
  if (field.values.length === 0) return <Text text="" />;
  if (field.values.length === 1 && only !== undefined) return show(only);
  return (
    <ul class="values">
      {field.values.slice(0, DASHBOARD_LIMITS.inbox.shownFields).map((value, index) => (
        <li key={index}>{show(value)}</li>
      ))}
      {field.values.length > DASHBOARD_LIMITS.inbox.shownFields && (
        <li class="muted">{field.values.length - DASHBOARD_LIMITS.inbox.shownFields} more</li>
      )}
    </ul>
  );
};

/** All fields of a submission. */
export function Fields({ submission, labels }: { submission: Submission; labels: Labels }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const fields = isWhole ? submission.fields : submission.fields.slice(0, DASHBOARD_LIMITS.inbox.shownFields);
  return (
    <>
      <dl class="fields">
        {fields.map((field, index) => {
          const label = labelOf(labels, field.name);
          return (
            <div key={index} class={field.control ? 'field-pair aside' : 'field-pair'}>
              <dt>
                <bdi title={field.name.slice(0, DASHBOARD_LIMITS.inbox.fieldTitleChars)}>{label}</bdi>
              </dt>
              <dd>
                <Value field={field} />
              </dd>
            </div>
          );
        })}
      </dl>
      {submission.fields.length === 0 && <p class="muted">It was sent without fields.</p>}
      {fields.length < submission.fields.length && (
        <Button onClick={() => setWhole(true)}>Show all {counted(submission.fields.length, 'field')}</Button>
      )}
    </>
  );
}

type Props = {
  id: string;
  submissionId: string;
  labels: Labels;
  changes: Changes;
  closeHref: string;
  newerHref: string | undefined;
  olderHref: string | undefined;
  /** What the list knows of it, if it has it. */
  listed: Submission | undefined;
  onMarked(marks: { read: boolean; starred: boolean }): void;
  onRemove(action: 'delete' | 'spam'): void;
};

const Step = ({ href, children }: { href: string | undefined; children: ComponentChildren }): JSX.Element =>
  href === undefined ? (
    <Button kind="quiet" isDisabled onClick={() => undefined}>
      {children}
    </Button>
  ) : (
    <ButtonLink kind="quiet" href={href}>
      {children}
    </ButtonLink>
  );

function Opened({
  id,
  submission,
  labels,
  changes,
  listed,
  onMarked,
  onRemove,
}: Props & { submission: Submission }): JSX.Element {
  const { change, run } = useChange({ isRepeatable: true });
  const [marked, setMarked] = useState<Submission>();
  const [isReader, setReader] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // To open it is to read it.
    void run(async () => {
      const params = { path: { deployId: id, submissionId: submission.id } };
      try {
        const text = await answer(
          api.PATCH('/submissions/{deployId}/{submissionId}', { params, body: { read: true }, parseAs: 'text' }),
        );
        const answered = readSubmission(text);
        setMarked(answered);
        onMarked(answered);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 403)) throw error;
        // Who may only read marks nothing.
        setReader(true);
      }
    });
  }, [submission.id]);

  const known = marked ?? listed;
  const marks = {
    read: !isReader || (listed?.read ?? true),
    starred: known?.starred ?? false,
    ...changes.marked.value.get(submission.id),
  };
  const replyTo = submission.fields.filter(({ control }) => control === 'reply-to');
  const named = submission.fields.filter(({ name }) => /^e-?mail$/i.test(name));
  const lines = [...replyTo, ...named].map(({ name }) => lineNamed(submission, name).trim());
  const email = lines.find((line) => EMAIL.test(line));
  return (
    <>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {titleOf(submission)}
      </h2>
      <p class="muted detail-when">
        <Time at={submission.createdAt} />
        {!marks.read && <span class="badge">Unread</span>}
      </p>
      <div class="buttons detail-actions">
        {email !== undefined && (
          <ButtonLink icon="mail" href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`}>
            Reply by mail
          </ButtonLink>
        )}
        <Button
          icon="star"
          kind={marks.starred ? 'plain' : 'quiet'}
          onClick={() => changes.mark(marks.starred ? 'unstar' : 'star', [submission.id])}
        >
          {marks.starred ? 'Remove star' : 'Star'}
        </Button>
        <Button kind="quiet" onClick={() => changes.mark(marks.read ? 'unread' : 'read', [submission.id])}>
          {marks.read ? 'Mark unread' : 'Mark read'}
        </Button>
        <Button kind="quiet" icon="warning" onClick={() => onRemove('spam')}>
          Spam
        </Button>
        <Button kind="quiet" icon="trash" onClick={() => onRemove('delete')}>
          Delete
        </Button>
      </div>
      <NotSaved change={change} />
      <Fields submission={submission} labels={labels} />
      <dl class="facts detail-facts">
        <dt>IP address</dt>
        <dd>
          <bdi>{submission.ipAddress}</bdi>
        </dd>
        <dt>Page version</dt>
        <dd>
          {known?.pageVersion === undefined ? (
            'Not known'
          ) : (
            <a href={`${pageLinks(id).page}?version=${known.pageVersion}`}>Version {known.pageVersion}</a>
          )}
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{submission.id}</code>
        </dd>
      </dl>
      <Deliveries id={id} submissionId={submission.id} since={submission.createdAt} />
    </>
  );
}

/** One submission, beside the list or in its place. */
export function Detail(props: Props): JSX.Element {
  const { id, submissionId, closeHref, newerHref, olderHref } = props;
  const loaded = useData(`submission:${submissionId}`, (signal) => readOne(id, submissionId, signal));
  const isGone = loaded.error instanceof ApiError && loaded.error.status === 404;
  return (
    <section class="inbox-detail card" aria-label="Submission">
      <div class="detail-bar">
        <ButtonLink kind="quiet" icon="back" href={closeHref}>
          Back to the list
        </ButtonLink>
        <div class="buttons">
          <Step href={newerHref}>Newer</Step>
          <Step href={olderHref}>Older</Step>
        </div>
      </div>
      {isGone ? (
        <Empty icon="trash" title="This submission is not there">
          <p>It was deleted, or it is kept as spam.</p>
        </Empty>
      ) : (
        <Shown loaded={loaded} label="Loading the submission">
          {(submission) => <Opened key={submission.id} {...props} submission={submission} />}
        </Shown>
      )}
    </section>
  );
}
