import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { useData } from '../../data.ts';
import { pageLinks } from '../../page-links.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { IconLink } from '../../ui/icon-button.tsx';
import { Empty, Loading, Problem } from '../../ui/states.tsx';
import { exactTime, Time } from '../../ui/time.tsx';
import { useLabels } from '../columns/column-labels.ts';
import { searchOf } from '../filter.ts';
import type { Inbox } from '../inbox-state.ts';
import { type Submission, titleOf } from '../read-submissions.ts';
import { SubmissionActions } from './submission-actions.tsx';
import { Details } from './submission-details.tsx';
import { Fields } from './submission-fields.tsx';
import { Note } from './submission-note.tsx';

/** The way back, and the submissions before and after it. */
function Bar({ inbox: { list, openId, hrefOf } }: { inbox: Inbox }): JSX.Element {
  const { rows } = list.state.value;
  const index = rows.findIndex((row) => row.id === openId);
  const [newer, older] = index < 0 ? [] : [rows[index - 1], rows[index + 1]];
  return (
    <div class="detail-bar">
      <IconLink icon="back" label={t.inbox.detail.back} href={hrefOf()} />
      <div class="buttons">
        {newer && <IconLink icon="newer" label={t.inbox.detail.newer} href={hrefOf(newer)} />}
        {older && <IconLink icon="unfold" label={t.inbox.detail.older} href={hrefOf(older)} />}
      </div>
    </div>
  );
}

function Opened({ inbox, submission }: { inbox: Inbox; submission: Submission }): JSX.Element {
  const { pageId, createdAt, read, isTest, isDone, form } = submission;
  const { labels } = useLabels(pageId, form);
  const page = inbox.overview.find((one) => one.id === pageId);
  const pageName = submission.pageName ?? page?.title ?? page?.slug ?? t.inbox.detail.yourMessage;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div class="submission-head">
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{titleOf(submission)}</bdi>
        </h2>
        <p class="muted">
          {exactTime(createdAt)}
          <span class="on-screen">
            {' · '}
            <Time at={createdAt} />{' '}
          </span>
          {inbox.page ? (
            <span class="on-paper">
              {' · '}
              <bdi>{pageName}</bdi>
            </span>
          ) : (
            <>
              {' · '}
              <a href={pageLinks(pageId).inbox}>
                <bdi>{pageName}</bdi>
              </a>
            </>
          )}
          {form !== '' && (
            <>
              {' · '}
              <Rich text={t.inbox.detail.form} with={{ form }} />
            </>
          )}{' '}
          {!read && <span class="badge">{t.inbox.marks.unread}</span>}{' '}
          {isTest && <span class="badge">{t.inbox.marks.test}</span>}{' '}
          {isDone && <span class="badge good">{t.inbox.marks.done}</span>}
        </p>
      </div>
      <SubmissionActions {...{ inbox, submission, labels, pageName }} />
      <Fields submission={submission} labels={labels} />
      <Note inbox={inbox} submission={submission} />
      <Details submission={submission} labels={labels} />
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
    <section class="inbox-detail card" aria-label={t.inbox.detail.label}>
      <Bar inbox={inbox} />
      {isGone && (
        <Empty icon="trash" title={t.inbox.detail.gone}>
          <p>{t.inbox.detail.goneHint}</p>
        </Empty>
      )}
      {error && !isGone && <Problem error={error} onRetry={reload} />}
      {submission && !isGone && <Opened key={id} inbox={inbox} submission={submission} />}
      {!submission && isLoading && <Loading label={t.inbox.detail.loading} />}
    </section>
  );
}
