import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { useOtherTabs } from '../other-tabs.ts';
import type { Overviewed } from '../own-pages.ts';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { counted, t } from '../texts/chosen-texts.ts';
import { Notice } from '../ui/notice.tsx';
import type { Page } from '../ui/page-layout.tsx';
import { unread } from '../ui/view.tsx';
import { useActions } from './actions.tsx';
import { useLabels } from './columns/column-labels.ts';
import { filterOf, searchOf } from './filter.ts';
import type { Inbox } from './inbox-state.ts';
import { focusRow, revealRow } from './inbox-table.tsx';
import { ListPane } from './list-pane.tsx';
import { useSelected } from './selected.ts';
import { Selection } from './selection.tsx';
import { Help, useShortcuts } from './shortcuts.tsx';
import { Detail } from './submission/detail.tsx';
import { SubmissionList } from './submission-list.ts';

/** The list, which is made again for each filter, and to which new submissions are added; `arrived` says how many came. */
function useList(pageId: string | undefined, search: string, onChange: () => void) {
  const list = useMemo(() => {
    const filter = filterOf(Object.fromEntries(new URLSearchParams(search)));
    return new SubmissionList(pageId, filter, onChange);
  }, [pageId, search]);
  const [arrived, setArrived] = useState('');
  useEffect(() => {
    const stopping = new AbortController();
    async function follow(): Promise<void> {
      // After a look that failed comes another one.
      const added = await list.refresh(stopping.signal).catch(() => 0);
      if (added > 0) setArrived(counted(t.inbox.arrived, added));
      if (!stopping.signal.aborted) setTimeout(follow, DASHBOARD_LIMITS.inbox.refreshMs);
    }
    void list.restart();
    void follow();
    return () => {
      stopping.abort();
      list.close();
    };
  }, [list]);
  useOtherTabs(() => list.reread());
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
  // The list may be hidden while its submissions are read one after the other.
  useEffect(() => {
    if (openIndex >= 0 && openIndex > rows.length - DASHBOARD_LIMITS.inbox.rowsAhead) void list.more();
  }, [list, openIndex]);
}

/** Has the number of unread submissions in the title of the window. */
function useUnreadInTitle(overview: readonly Overviewed[]): void {
  const count = overview.reduce((sum, page) => sum + page.unread, 0);
  useEffect(() => {
    unread.value = count;
    return () => {
      unread.value = 0;
    };
  }, [count]);
}

/** Says that visitors could not send, because others just had, and leads to the setting. */
const TurnedAway = ({ page }: { page: Page }): JSX.Element => (
  <Notice>
    {counted(t.inbox.turnedAway, page.turned_away)}{' '}
    {may('PATCH /deploy/{id}') && <a href={`${pageLinks(page.id).settings}#places`}>{t.inbox.acceptMore}</a>}
  </Notice>
);

type Props = {
  /** Undefined for all pages. */
  page?: Page;
  /** The page, or all pages. */
  overview: readonly Overviewed[];
  /** Reads the numbers of the pages again. */
  onChange(): void;
};

/** The submissions of a page, or of all pages: the list, and one of them. */
export function InboxPane({ page, overview, onChange }: Props): JSX.Element {
  const { query, route } = useLocation();
  const { submissionId: openId, id: openPageId = '' } = useRoute().params;
  const filter = filterOf(query);
  const search = searchOf(filter);
  const base = page ? pageLinks(page.id).inbox : VIEW_PATHS.allInboxes;
  const hrefOf: Inbox['hrefOf'] = (one) => base + (one ? `/${page ? one.id : `${one.pageId}/${one.id}`}` : '') + search;

  const pageIds = overview.map(({ id }) => id);
  const { list, arrived } = useList(page?.id, search, onChange);
  const selected = useSelected(list.state.value.rows, search);
  const { act, question } = useActions(list, pageIds, () => {
    if (openId !== undefined && !list.find(openId)) route(hrefOf(), true);
  });
  const { labels, forms } = useLabels(page?.id, filter.form);
  const shared = { page, overview, labels, forms };
  const inbox: Inbox = { ...shared, filter, list, selected, openId, hrefOf, act };
  useRowInSight(list, openId);
  useUnreadInTitle(overview);
  useShortcuts(inbox);

  return (
    <div class={openId === undefined ? 'stack' : 'stack with-detail'}>
      <div class="stack inbox-list">
        {page && page.turned_away > 0 && <TurnedAway page={page} />}
        <ListPane inbox={inbox} />
      </div>
      {openId !== undefined && <Detail inbox={inbox} pageId={openPageId} id={openId} />}
      {selected.rows.length > 0 && <Selection inbox={inbox} />}
      <p role="status" class="unseen">
        {arrived}
      </p>
      {question}
      <Help />
    </div>
  );
}
