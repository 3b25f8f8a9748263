import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useData } from '../data.ts';
import { Changes, notSaved } from '../inbox/changes.ts';
import { Detail } from '../inbox/detail.tsx';
import { Filters, filterOf, Progress, SEARCH_ID, searchOf } from '../inbox/filters.tsx';
import { Help } from '../inbox/help.tsx';
import { useKeys } from '../inbox/keys.ts';
import { columnsOf, type Labels, readLabels } from '../inbox/labels.ts';
import { isFiltered, readNewest, SubmissionList } from '../inbox/list.ts';
import { follow } from '../inbox/live.ts';
import { DeleteDialog, Selection } from '../inbox/selection.tsx';
import { readSpam, Spam } from '../inbox/spam.tsx';
import type { Submission } from '../inbox/submissions.ts';
import { isInTable, MAX_COLUMNS, Table, type TableHandle } from '../inbox/table.tsx';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { Empty, Spinner } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';

const SHORTCUTS_OFF = 'shortcuts-off';
const NO_LABELS: Labels = new Map();
const labelsSeen = new Map<string, Labels>();

/** The list, which is made again for each filter. */
function useList(id: string, filterKey: string): SubmissionList {
  const list = useMemo(
    () => new SubmissionList(id, filterOf(Object.fromEntries(new URLSearchParams(filterKey)))),
    [id, filterKey],
  );
  useEffect(() => {
    void list.start();
    return () => list.close();
  }, [list]);
  return list;
}

/** Adds what comes in to the list that is shown. */
function useLive(id: string, list: { current: SubmissionList | undefined }, onAdded: (count: number) => void): void {
  useEffect(() => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const begin = async (): Promise<void> => {
      const newest = await readNewest(id, signal);
      follow({
        id,
        cursor: newest ?? '0',
        signal,
        onSubmissions(submissions) {
          const added = list.current?.add(submissions) ?? 0;
          if (added > 0) onAdded(added);
        },
        onLost() {
          void list.current?.start();
          void begin();
        },
      });
    };
    begin().catch(() => undefined);
    return () => stopping.abort();
  }, [id]);
}

function Inbox({ page }: { page: Page }): JSX.Element {
  const { id } = page;
  const { query, route, path } = useLocation();
  const { submissionId: openId } = useRoute().params;
  const filter = filterOf(query);
  const search = searchOf(filter);
  const base = pageLinks(id).inbox;
  const isSpam = query.view === 'spam';
  const hrefOf = (submissionId: string): string => `${base}/${submissionId}${search}`;

  const current = useRef<SubmissionList>(undefined);
  const table = useRef<TableHandle>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const [deleting, setDeleting] = useState<{ ids: readonly string[]; index: number }>();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [hasShortcuts, setHasShortcuts] = useState(() => localStorage.getItem(SHORTCUTS_OFF) === null);
  const [arrived, setArrived] = useState('');
  const rangeStart = useRef<string>(undefined);

  const spam = useData(`spam-count:${id}`, (signal) => readSpam(id, { page: 1, limit: 1 }, signal));
  const labelsRead = useData(`labels:${id}`, (signal) => readLabels(id, signal), labelsSeen);
  const labels = labelsRead.data ?? NO_LABELS;
  const changes = useMemo(() => new Changes(id, current), [id]);
  const list = useList(id, search);
  current.current = list;
  void list.version.value;
  // What is not shown any more is not meant any more.
  useEffect(() => setSelected(new Set()), [search, isSpam]);

  useLive(id, current, (added) => setArrived(counted(added, 'new submission')));

  const { rows, progress } = list;
  const indexOf = (submissionId: string | undefined): number | undefined => {
    const index = rows.findIndex((row) => row.id === submissionId);
    return index < 0 ? undefined : index;
  };
  const openIndex = indexOf(openId);
  const hrefAt = (index: number): string | undefined => {
    const row = rows[index];
    return row && hrefOf(row.id);
  };
  // Whoever goes from one submission to the next may not see the list.
  useEffect(() => {
    if (openIndex !== undefined) list.want(openIndex);
  }, [list, openIndex]);

  // Who comes back to the list is where one left it.
  const lastOpen = useRef<string>(undefined);
  useEffect(() => {
    const before = lastOpen.current;
    lastOpen.current = openId;
    const index = indexOf(openId ?? before);
    if (index === undefined) return;
    if (openId !== undefined) table.current?.reveal(index);
    else if (before !== undefined) table.current?.focus(index);
  }, [openId]);

  /** What an action is for: the selection, or else what is open, or has the focus. */
  const targets = (): Submission[] =>
    rows.filter((row) => (selected.size > 0 ? selected.has(row.id) : row.id === (openId ?? focused)));
  const idsOf = (of: readonly Submission[]): string[] => of.map((row) => row.id);

  function onRemoved(ids: readonly string[], index: number): void {
    setSelected((before) => new Set([...before].filter((one) => !ids.includes(one))));
    if (openId !== undefined && ids.includes(openId)) {
      lastOpen.current = undefined;
      route(base + search, true);
    }
    table.current?.focus(Math.max(0, Math.min(index, list.rows.length - 1)));
  }
  function remove(ids: readonly string[], action: 'delete' | 'spam'): void {
    const [first] = ids;
    if (first === undefined) return;
    const index = indexOf(openId ?? focused ?? first) ?? 0;
    if (action === 'delete') setDeleting({ ids, index });
    else {
      changes.remove('spam', ids).then(
        () => {
          onRemoved(ids, index);
          spam.reload();
        },
        (error) => notSaved(error, () => remove(ids, action)),
      );
    }
  }
  const toggleRead = (of: readonly Submission[]): unknown =>
    changes.mark(of.some((row) => !row.read) ? 'read' : 'unread', idsOf(of));
  const toggleStar = (of: readonly Submission[]): unknown =>
    changes.mark(of.some((row) => !row.starred) ? 'star' : 'unstar', idsOf(of));

  function select(submissionId: string, isRange: boolean): void {
    const isOn = !selected.has(submissionId);
    const index = indexOf(submissionId) ?? 0;
    // By its id: new submissions have moved it.
    const start = (isRange ? indexOf(rangeStart.current) : undefined) ?? index;
    rangeStart.current = submissionId;
    const changed = new Set(selected);
    for (const { id: one } of rows.slice(Math.min(start, index), Math.max(start, index) + 1)) {
      if (isOn) changed.add(one);
      else changed.delete(one);
    }
    setSelected(changed);
  }

  function moveTo(index: number): void {
    const href = openId === undefined ? undefined : hrefAt(index);
    if (href !== undefined && index !== openIndex) route(href, true);
    else table.current?.focus(index);
    // The next key may come before the focus has moved.
    setFocused(rows[index]?.id);
  }
  function step(by: 1 | -1): void {
    const from = openIndex ?? indexOf(focused);
    moveTo(from === undefined ? 0 : Math.max(0, Math.min(rows.length - 1, from + by)));
  }

  function onKey(event: KeyboardEvent): void {
    const keys: Readonly<Record<string, () => unknown>> = {
      j: () => step(1),
      k: () => step(-1),
      e: () => toggleRead(targets()),
      s: () => toggleStar(targets()),
      x: () => {
        const one = openId ?? focused;
        if (indexOf(one) !== undefined && one !== undefined) select(one, false);
      },
      '#': () => remove(idsOf(targets()), 'delete'),
      '/': () => document.getElementById(SEARCH_ID)?.focus(),
      '?': () => setHelpOpen(true),
    };
    // The keys are those of the list: without it nobody sees what they do.
    if (isSpam && event.key !== '?') return;
    const action = hasShortcuts && Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (action) {
      event.preventDefault();
      action();
    } else if (event.key === 'Escape') {
      if (openId !== undefined) route(base + search);
      else setSelected(new Set());
    } else if ((event.key === 'Home' || event.key === 'End') && isInTable(event.target)) {
      event.preventDefault();
      moveTo(event.key === 'Home' ? 0 : rows.length - 1);
    } else if (event.key === 'Enter' && event.target === document.body) {
      const href = hrefAt(indexOf(focused) ?? -1);
      if (href !== undefined) route(href);
    }
  }
  useKeys(onKey);

  const columns = columnsOf(labels, rows.slice(0, 20), MAX_COLUMNS);
  const isEmpty =
    rows.length === 0 && progress.state !== 'loading' && progress.state !== 'searching' && !progress.error;

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
              void list.start();
            }}
          />
        ) : (
          <>
            <Filters filter={filter} onChange={(changed) => route(path + searchOf(changed), true)} />
            <div class="inbox-bar">
              {selected.size === 0 ? (
                <>
                  <Progress list={list} filter={filter} />
                  {list.missed > 0 && (
                    <Button icon="replace" onClick={() => list.start()}>
                      {counted(list.missed, 'new submission')}
                    </Button>
                  )}
                  <Button kind="quiet" onClick={() => setHelpOpen(true)}>
                    Shortcuts
                  </Button>
                </>
              ) : (
                <Selection
                  id={id}
                  slug={page.slug}
                  ids={idsOf(targets())}
                  labels={labels}
                  changes={changes}
                  onStar={() => toggleStar(targets())}
                  onRemove={(action) => remove([...selected], action)}
                  onClear={() => setSelected(new Set())}
                />
              )}
            </div>
            {progress.error && (
              <div class="notice problem" role="alert">
                <Icon name="warning" />
                <div>
                  <p>{progress.error.message}</p>
                  <Button onClick={() => list.goOn()}>Try again</Button>
                </div>
              </div>
            )}
            {rows.length === 0 && progress.state === 'loading' && <Spinner label="Loading the inbox" />}
            {isEmpty && !isFiltered(filter) && (
              <Empty icon="mail" title="Nothing was sent yet">
                <p>What visitors send with the form of your page appears here at once.</p>
                <p>
                  <ButtonLink icon="open" href={page.url} isElsewhere>
                    Open the page
                  </ButtonLink>
                </p>
              </Empty>
            )}
            {isEmpty && isFiltered(filter) && (
              <Empty icon="page" title="Nothing was found">
                <p>{progress.state === 'stopped' ? 'The search was stopped.' : 'No submission is like that.'}</p>
              </Empty>
            )}
            {rows.length > 0 && (
              <Table
                list={list}
                columns={columns}
                labels={labels}
                selected={selected}
                openId={openId}
                hrefOf={hrefOf}
                onSelect={select}
                onSelectAll={() => setSelected(new Set(selected.size > 0 ? [] : idsOf(rows)))}
                onStar={(row) => changes.mark(row.starred ? 'unstar' : 'star', [row.id])}
                onFocus={setFocused}
                handle={table}
              />
            )}
          </>
        )}
      </div>
      {openId !== undefined && (
        <Detail
          id={id}
          submissionId={openId}
          labels={labels}
          changes={changes}
          closeHref={base + search}
          newerHref={openIndex === undefined ? undefined : hrefAt(openIndex - 1)}
          olderHref={openIndex === undefined ? undefined : hrefAt(openIndex + 1)}
          listed={openIndex === undefined ? undefined : rows[openIndex]}
          onMarked={(marks) => list.mark(new Set([openId]), { read: marks.read, starred: marks.starred })}
          onRemove={(action) => remove([openId], action)}
        />
      )}
      <p role="status" class="unseen">
        {arrived}
      </p>
      {deleting && (
        <DeleteDialog
          ids={deleting.ids}
          changes={changes}
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
    {(page) => <Inbox key={page.id} page={page} />}
  </PageView>
);

export default InboxView;
