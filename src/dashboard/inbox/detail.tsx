import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { useData } from '../data.ts';
import { pageLinks } from '../page-links.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty, Loading, Problem } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useLabels } from './column-labels.ts';
import { searchOf } from './filter.ts';
import type { Inbox } from './inbox-state.ts';
import { isTest, type Submission, titleOf } from './read-submissions.ts';
import { Actions } from './selection.tsx';
import { Deliveries } from './submission-deliveries.tsx';
import { Fields, Origin } from './submission-fields.tsx';
import { replyLink } from './value-links.ts';

/** The way back, and the submissions before and after it. */
function Bar({ inbox: { list, openId, hrefOf } }: { inbox: Inbox }): JSX.Element {
  const { rows } = list.state.value;
  const index = rows.findIndex((row) => row.id === openId);
  const linkTo = (label: string, row: Submission | undefined) =>
    row && (
      <ButtonLink kind="quiet" href={hrefOf(row)}>
        {label}
      </ButtonLink>
    );
  return (
    <div class="detail-bar">
      <ButtonLink kind="quiet" icon="back" href={hrefOf()}>
        Back to the list
      </ButtonLink>
      <div class="buttons">
        {linkTo('Newer', rows[index - 1])}
        {index >= 0 && linkTo('Older', rows[index + 1])}
      </div>
    </div>
  );
}

function Opened({ inbox, submission }: { inbox: Inbox; submission: Submission }): JSX.Element {
  const { id, pageId, createdAt, read } = submission;
  const labels = useLabels(pageId);
  const page = inbox.overview.find((one) => one.id === pageId);
  const pageName = submission.pageName ?? page?.title ?? page?.slug ?? 'Your message';
  const reply = replyLink(submission, labels, pageName);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div>
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {titleOf(submission)}
        </h2>
        <p class="muted">
          <Time at={createdAt} />{' '}
          {!inbox.page && (
            <a href={pageLinks(pageId).inbox}>
              <bdi>{pageName}</bdi>
            </a>
          )}{' '}
          {!read && <span class="badge">Unread</span>} {isTest(submission) && <span class="badge">Test</span>}
        </p>
      </div>
      <div class="buttons">
        {reply !== undefined && (
          <ButtonLink icon="mail" href={reply}>
            Reply
          </ButtonLink>
        )}
        <Actions inbox={inbox} target={{ rows: [submission] }} />
      </div>
      <Fields submission={submission} labels={labels} />
      <Origin submission={submission} />
      <Deliveries id={pageId} submissionId={id} />
    </>
  );
}

/** One submission, beside the list or in its place. */
export function Detail({ inbox, pageId, id }: { inbox: Inbox; pageId: string; id: string }): JSX.Element {
  const { list, filter } = inbox;
  const key = `submission:${id}${searchOf(filter)}`;
  const { error, isLoading, reload } = useData(key, (signal) => list.open(pageId, id, signal));
  const submission = list.find(id);
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <section class="inbox-detail card" aria-label="Submission">
      <Bar inbox={inbox} />
      {isGone && (
        <Empty icon="trash" title="This submission is not there">
          <p>It was deleted, or it is kept as spam.</p>
        </Empty>
      )}
      {error && !isGone && <Problem error={error} onRetry={reload} />}
      {submission && !isGone && <Opened key={id} inbox={inbox} submission={submission} />}
      {!submission && isLoading && <Loading label="Loading the submission" />}
    </section>
  );
}
