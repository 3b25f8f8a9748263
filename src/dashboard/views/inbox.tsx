import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useData } from '../data.ts';
import { Detail } from '../inbox/detail.tsx';
import { filterOf, searchOf } from '../inbox/filters.tsx';
import { Help, hasShortcuts } from '../inbox/help.tsx';
import type { Inbox } from '../inbox/inbox.ts';
import { type Labels, readLabels } from '../inbox/labels.ts';
import { type Filter, isFiltered, SubmissionList } from '../inbox/list.ts';
import { useListKeys } from '../inbox/list-keys.ts';
import { ListPane } from '../inbox/list-pane.tsx';
import { follow } from '../inbox/live.ts';
import { useRemoval } from '../inbox/removal.tsx';
import { useSelected } from '../inbox/selected.ts';
import { readSpam, Spam } from '../inbox/spam.tsx';
import { focusRow, revealRow } from '../inbox/table.tsx';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { pageLinks } from '../links.ts';
import { readOverview } from '../own-pages.ts';
import { Icon } from '../ui/icon.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { counted } from '../ui/time.tsx';
import { unread } from '../ui/view.tsx';

const NO_LABELS: Labels = new Map();
const labelsSeen = new Map<string, Labels>();

/** The list, which is made again for each filter, and to which new submissions are added; `arrived` says how many came. */
function useList(id: string, filterKey: string): { list: SubmissionList; arrived: string } {
  const list = useMemo(
    () => new SubmissionList(id, filterOf(Object.fromEntries(new URLSearchParams(filterKey)))),
    [id, filterKey],
  );
  const current = useRef(list);
  current.current = list;
  const [arrived, setArrived] = useState('');
  useEffect(() => {
    void list.restart();
    return () => list.close();
  }, [list]);
  useEffect(() => {
    const stopping = new AbortController();
    void follow(id, stopping.signal, {
      onSubmissions(submissions) {
        const added = current.current.add(submissions);
        if (added > 0) setArrived(counted(added, 'new submission'));
      },
      onLost: () => void current.current.restart(),
    });
    return () => stopping.abort();
  }, [id]);
  return { list, arrived };
}

/** Shows the row of the submission that is open, and has the focus where it was when the list is shown again. */
function useRowInSight(list: SubmissionList, openId: string | undefined): void {
  const lastOpen = useRef<string>(undefined);
  useEffect(() => {
    const before = lastOpen.current;
    lastOpen.current = openId;
    if (openId !== undefined) revealRow(openId);
    else if (before !== undefined) focusRow(before);
  }, [openId]);
  const { rows } = list.state.value;
  const openIndex = rows.findIndex((row) => row.id === openId);
  // Whoever goes from one submission to the next may not see the list.
  useEffect(() => {
    if (openIndex >= 0 && openIndex > rows.length - DASHBOARD_LIMITS.inbox.rowsAhead) void list.more();
  }, [list, openIndex]);
}

/** Says that visitors could not send, because others just had, and leads to the setting. */
function TurnedAway({ id }: { id: string }): JSX.Element | null {
  const { data } = useData(`overview:${id}`, (signal) => readOverview({ page: 1, limit: 100 }, signal));
  const count = data?.items.find((page) => page.id === id)?.turned_away ?? 0;
  return count === 0 ? null : (
    <p class="notice">
      <Icon name="warning" />
      <span>
        About {counted(count, 'visitor')} could not send in the last 7 days, because many sent within a minute.{' '}
        <a href={pageLinks(id).settings}>Accept more a minute</a>
      </span>
    </p>
  );
}

const Folders = ({ base, isSpam, spamCount }: { base: string; isSpam: boolean; spamCount: number }): JSX.Element => (
  <nav class="folders" aria-label="Folders">
    <a href={base} aria-current={isSpam ? undefined : 'page'}>
      Inbox
    </a>
    <a href={`${base}?view=spam`} aria-current={isSpam ? 'page' : undefined}>
      Spam{spamCount > 0 ? ` (${spamCount})` : ''}
    </a>
  </nav>
);

/** Has the number of unread rows in the title of the window. */
function useUnreadInTitle(list: SubmissionList, filter: Filter): void {
  const count = list.state.value.rows.filter(({ read }) => !read).length;
  const isAll = !isFiltered(filter);
  useEffect(() => {
    if (isAll) unread.value = count;
  }, [isAll, count]);
  useEffect(
    () => () => {
      unread.value = 0;
    },
    [],
  );
}

function InboxOf({ page }: { page: Page }): JSX.Element {
  const { id } = page;
  const { query, route } = useLocation();
  const { submissionId: openId } = useRoute().params;
  const filter = filterOf(query);
  const search = searchOf(filter);
  const base = pageLinks(id).inbox;
  const isSpam = query.view === 'spam';
  const hrefOf = (submissionId?: string): string =>
    submissionId === undefined ? base + search : `${base}/${submissionId}${search}`;

  const [focused, setFocused] = useState<string>();
  const spam = useData(`spam-count:${id}`, (signal) => readSpam(id, { page: 1, limit: 1 }, signal));
  const labels = useData(`labels:${id}`, (signal) => readLabels(id, signal), labelsSeen).data ?? NO_LABELS;
  const { list, arrived } = useList(id, search);
  const selected = useSelected(list.state.value.rows, search + isSpam);
  const { remove, question } = useRemoval(list, (ids) => {
    if (openId !== undefined && ids.includes(openId)) route(hrefOf(), true);
    spam.reload();
  });
  const inbox: Inbox = { page, filter, list, labels, selected, openId, hrefOf, remove, setFocused };
  useRowInSight(list, openId);
  useUnreadInTitle(list, filter);
  // The keys are those of the list: without it nobody sees what they do.
  useListKeys(inbox, focused, hasShortcuts.value && !isSpam);

  return (
    <div class={openId === undefined ? 'inbox' : 'inbox with-detail'}>
      <div class="inbox-list">
        <TurnedAway id={id} />
        <Folders base={base} isSpam={isSpam} spamCount={spam.data?.total ?? 0} />
        {isSpam ? (
          <Spam
            id={id}
            labels={labels}
            onChange={() => {
              spam.reload();
              void list.restart();
            }}
          />
        ) : (
          <ListPane inbox={inbox} />
        )}
      </div>
      {openId !== undefined && <Detail inbox={inbox} submissionId={openId} />}
      <p role="status" class="unseen">
        {arrived}
      </p>
      {question}
      <Help />
    </div>
  );
}

/** Downloads of all submissions. */
function Exports(): JSX.Element {
  const { id = '' } = useRoute().params;
  return (
    <>
      <a class="button quiet" href={`/submissions/${id}/export.csv?labels=1&bom=1`} download>
        Export CSV
      </a>
      <a class="button quiet" href={`/submissions/${id}/export.xlsx?labels=1`} download>
        Export Excel
      </a>
    </>
  );
}

/** What came in: the list, and one submission of it. */
const InboxView = (): JSX.Element => (
  <PageView title="Inbox" actions={<Exports />}>
    {(page) => <InboxOf key={page.id} page={page} />}
  </PageView>
);

export default InboxView;
