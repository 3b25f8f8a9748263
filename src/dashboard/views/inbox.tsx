import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useData } from '../data.ts';
import { Detail } from '../inbox/detail.tsx';
import { filterOf, searchOf } from '../inbox/filters.tsx';
import { Help } from '../inbox/help.tsx';
import type { Inbox } from '../inbox/inbox.ts';
import { type Labels, readLabels } from '../inbox/labels.ts';
import { SubmissionList } from '../inbox/list.ts';
import { useListKeys } from '../inbox/list-keys.ts';
import { ListPane } from '../inbox/list-pane.tsx';
import { follow } from '../inbox/live.ts';
import { useSelected } from '../inbox/selected.ts';
import { DeleteDialog } from '../inbox/selection.tsx';
import { readSpam, Spam } from '../inbox/spam.tsx';
import { focusRow, revealRow } from '../inbox/table.tsx';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { pageLinks } from '../links.ts';
import { type Page, PageView } from '../ui/page-view.tsx';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';

const SHORTCUTS_OFF = 'shortcuts-off';
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
  const [deleting, setDeleting] = useState<{ ids: readonly string[]; index: number }>();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [hasShortcuts, setHasShortcuts] = useState(() => localStorage.getItem(SHORTCUTS_OFF) === null);

  const spam = useData(`spam-count:${id}`, (signal) => readSpam(id, { page: 1, limit: 1 }, signal));
  const labels = useData(`labels:${id}`, (signal) => readLabels(id, signal), labelsSeen).data ?? NO_LABELS;
  const { list, arrived } = useList(id, search);
  const { rows } = list.state.value;
  const selected = useSelected(rows, search + isSpam);
  useRowInSight(list, openId);

  /** Goes on at the place of what was removed. */
  function onRemoved(ids: readonly string[], index: number): void {
    if (openId !== undefined && ids.includes(openId)) route(base + search, true);
    const left = list.state.value.rows;
    const next = left[Math.max(0, Math.min(index, left.length - 1))];
    // A dialog that closes gives the focus back first.
    if (next) setTimeout(() => focusRow(next.id));
  }
  function remove(ids: readonly string[], action: 'delete' | 'spam'): void {
    const index = rows.findIndex((row) => ids.includes(row.id));
    if (action === 'delete') {
      if (ids.length > 0) setDeleting({ ids, index });
      return;
    }
    list.remove('spam', ids).then(
      () => {
        onRemoved(ids, index);
        spam.reload();
      },
      (error) => say(`Not saved: ${error.message}`),
    );
  }
  const showHelp = (): void => setHelpOpen(true);
  const inbox: Inbox = { page, filter, list, labels, selected, openId, hrefOf, remove, setFocused, showHelp };
  // The keys are those of the list: without it nobody sees what they do.
  useListKeys(inbox, focused, hasShortcuts && !isSpam);

  return (
    <div class={openId === undefined ? 'inbox' : 'inbox with-detail'}>
      <div class="inbox-list">
        <nav class="folders" aria-label="Folders">
          <a href={base} aria-current={isSpam ? undefined : 'page'}>
            Inbox
          </a>
          <a href={`${base}?view=spam`} aria-current={isSpam ? 'page' : undefined}>
            Spam{spam.data && spam.data.total > 0 ? ` (${spam.data.total})` : ''}
          </a>
        </nav>
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
      {deleting && (
        <DeleteDialog
          ids={deleting.ids}
          list={list}
          onDone={() => {
            setDeleting(undefined);
            onRemoved(deleting.ids, deleting.index);
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
      <Help
        isOpen={isHelpOpen}
        isOn={hasShortcuts}
        onSwitch={(isOn) => {
          setHasShortcuts(isOn);
          if (isOn) localStorage.removeItem(SHORTCUTS_OFF);
          else localStorage.setItem(SHORTCUTS_OFF, '1');
        }}
        onClose={() => setHelpOpen(false)}
      />
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
