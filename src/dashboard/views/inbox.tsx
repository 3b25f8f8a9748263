import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useData } from '../data.ts';
import { changesOf } from '../inbox/changes.ts';
import { Detail } from '../inbox/detail.tsx';
import { exportSelection, save } from '../inbox/export.ts';
import { Filters, filterOf, Progress, SEARCH_ID, searchOf } from '../inbox/filters.tsx';
import { Help } from '../inbox/help.tsx';
import { columnsOf, type Labels, readLabels } from '../inbox/labels.ts';
import { createList, isFiltered, type List, readNewest } from '../inbox/list.ts';
import { follow } from '../inbox/live.ts';
import { readSpam, Spam } from '../inbox/spam.tsx';
import type { Submission } from '../inbox/submissions.ts';
import { isInTable, isTyping, MAX_COLUMNS, Table, type TableHandle } from '../inbox/table.tsx';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { say } from '../ui/say.tsx';
import { Empty, Spinner } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';

const SHORTCUTS_OFF = 'shortcuts-off';
const NO_LABELS: Labels = new Map();
const labelsSeen = new Map<string, Labels>();

/** The list, which is made again for each filter. */
function useList(id: string, filterKey: string, hidden: () => readonly string[]): List {
  const list = useMemo(
    () => createList(id, filterOf(Object.fromEntries(new URLSearchParams(filterKey)))),
    [id, filterKey],
  );
  useEffect(() => {
    list.hide(hidden());
    void list.start();
    return list.close;
  }, [list]);
  return list;
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

  const current = useRef<List>(undefined);
  const table = useRef<TableHandle>(null);
  const [selected, setSelected] = useState<ReadonlyMap<string, Submission>>(new Map());
  const [focused, setFocused] = useState<string>();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [hasShortcuts, setHasShortcuts] = useState(() => localStorage.getItem(SHORTCUTS_OFF) === null);
  const [isExporting, setExporting] = useState(false);
  const [arrived, setArrived] = useState('');
  const rangeStart = useRef<string>(undefined);
  /** Where the focus was: also of a row that has left the document. */
  const lastIndex = useRef<number>(undefined);

  const spam = useData(`spam-count:${id}`, (signal) => readSpam(id, { page: 1, limit: 1 }, signal));
  const labelsRead = useData(`labels:${id}`, (signal) => readLabels(id, signal), labelsSeen);
  const labels = labelsRead.data ?? NO_LABELS;
  const changes = changesOf(id);
  const list = useList(id, search, changes.leaving);
  current.current = list;
  void list.version.value;
  useEffect(() => {
    changes.showIn({ list, onSpam: spam.reload });
    return () => changes.showIn(undefined);
  }, [changes, list]);
  // What is not shown any more is not meant any more.
  useEffect(() => setSelected(new Map()), [search, isSpam]);

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
          const added = current.current?.add(submissions) ?? 0;
          if (added === 0) return;
          table.current?.pushDown(added);
          setArrived(`${counted(added, 'new submission')}`);
        },
        onLost() {
          void current.current?.start();
          void begin();
        },
      });
    };
    begin().catch(() => undefined);
    return () => stopping.abort();
  }, [id]);

  const known = list.known();
  const indexOf = (submissionId: string | undefined): number | undefined =>
    known.find(({ row }) => row.id === submissionId)?.index;
  const openIndex = indexOf(openId);
  const at = (index: number): Submission | undefined => (index < 0 ? undefined : list.rows(index, index)[0]);
  const hrefAt = (index: number | undefined): string | undefined => {
    const row = index === undefined ? undefined : at(index);
    return row && hrefOf(row.id);
  };

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
  function targets(): Submission[] {
    // Also those that have left the memory of the list.
    if (selected.size > 0)
      return Array.from(selected.values(), (row) => ({ ...row, ...changes.marked.value.get(row.id) }));
    return known.flatMap(({ row }) => (row.id === (openId ?? focused) ? [row] : []));
  }
  const idsOf = (rows: readonly Submission[]): string[] => rows.map((row) => row.id);

  function remove(ids: readonly string[], action: 'delete' | 'spam'): void {
    const [first] = ids;
    const index = indexOf(openId ?? focused ?? first) ?? 0;
    changes.remove(ids, action);
    const removed = new Set(ids);
    setSelected((before) => new Map([...before].filter(([one]) => !removed.has(one))));
    if (openId !== undefined && ids.includes(openId)) {
      lastOpen.current = undefined;
      route(base + search, true);
    }
    table.current?.focus(Math.max(0, Math.min(index, list.count - 1)));
  }
  const toggleRead = (rows: readonly Submission[]): unknown =>
    changes.mark(rows.some((row) => !row.read) ? 'read' : 'unread', idsOf(rows));
  const toggleStar = (rows: readonly Submission[]): unknown =>
    changes.mark(rows.some((row) => !row.starred) ? 'star' : 'unstar', idsOf(rows));

  function select(submissionId: string, index: number, isRange: boolean): void {
    const isOn = !selected.has(submissionId);
    // By its id: new submissions have moved it.
    const start = (isRange ? indexOf(rangeStart.current) : undefined) ?? index;
    const [from, to] = [start, index].toSorted((one, other) => one - other);
    rangeStart.current = submissionId;
    const changed = new Map(selected);
    for (const { row, index: position } of known) {
      if (position < (from ?? index) || position > (to ?? index)) continue;
      if (isOn) changed.set(row.id, row);
      else changed.delete(row.id);
    }
    setSelected(changed);
  }

  // A submission that was to be opened in place of another, before the list had read so far.
  const awaited = useRef<{ index: number; after: string }>(undefined);
  useEffect(() => {
    if (awaited.current?.after !== openId) awaited.current = undefined;
    const href = awaited.current && hrefAt(awaited.current.index);
    if (href === undefined) return;
    awaited.current = undefined;
    route(href, true);
  });

  function moveTo(index: number): void {
    const href = openId === undefined ? undefined : hrefAt(index);
    awaited.current = openId !== undefined && href === undefined ? { index, after: openId } : undefined;
    if (href !== undefined && index !== openIndex) route(href, true);
    else table.current?.focus(index);
    // The next key may come before the focus has moved.
    setFocused(at(index)?.id);
    lastIndex.current = index;
  }
  function step(by: 1 | -1): void {
    const from = openIndex ?? indexOf(focused) ?? lastIndex.current;
    moveTo(from === undefined ? 0 : Math.max(0, Math.min(list.count - 1, from + by)));
  }

  async function exportSelected(): Promise<void> {
    setExporting(true);
    try {
      const ids = idsOf(targets());
      save(await exportSelection(id, ids, labels), `${page.slug}-selection.csv`);
    } catch (error) {
      say(`Not exported: ${error instanceof Error ? error.message : error}`);
    }
    setExporting(false);
  }

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const keys: Readonly<Record<string, () => unknown>> = {
      j: () => step(1),
      k: () => step(-1),
      e: () => toggleRead(targets()),
      s: () => toggleStar(targets()),
      x: () => {
        const index = openIndex ?? indexOf(focused);
        const row = index === undefined ? undefined : at(index);
        if (row && index !== undefined) select(row.id, index, false);
      },
      z: changes.undo,
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
      else setSelected(new Map());
    } else if ((event.key === 'Home' || event.key === 'End') && isInTable(event.target)) {
      event.preventDefault();
      moveTo(event.key === 'Home' ? 0 : list.count - 1);
    } else if (event.key === 'Enter' && event.target === document.body) {
      const href = hrefAt(indexOf(focused));
      if (href !== undefined) route(href);
    }
  }
  const latestOnKey = useRef(onKey);
  latestOnKey.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => latestOnKey.current(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);

  const columns = columnsOf(
    labels,
    known.slice(0, 20).map(({ row }) => row),
    MAX_COLUMNS,
  );
  const { progress } = list;
  const isEmpty = list.count === 0 && progress.state !== 'loading' && progress.state !== 'searching' && !progress.error;

  return (
    <div class={openId === undefined ? 'inbox' : 'inbox with-detail'}>
      <div class="inbox-list">
        {
          <nav class="folders" aria-label="Folders">
            <a href={base} aria-current={isSpam ? undefined : 'page'}>
              Inbox
            </a>
            <a href={`${base}?view=spam`} aria-current={isSpam ? 'page' : undefined}>
              Spam{spam.data && spam.data.total > 0 ? ` (${spam.data.total})` : ''}
            </a>
          </nav>
        }
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
                    <Button icon="replace" onClick={list.start}>
                      {counted(list.missed, 'new submission')}
                    </Button>
                  )}
                  <Button kind="quiet" onClick={() => setHelpOpen(true)}>
                    Shortcuts
                  </Button>
                </>
              ) : (
                <fieldset class="buttons selection" aria-label="Selection">
                  <p role="status">{counted(selected.size, 'submission')} selected</p>
                  <Button kind="quiet" onClick={() => changes.mark('read', [...selected.keys()])}>
                    Mark read
                  </Button>
                  <Button kind="quiet" onClick={() => changes.mark('unread', [...selected.keys()])}>
                    Mark unread
                  </Button>
                  <Button kind="quiet" icon="star" onClick={() => toggleStar(targets())}>
                    Star
                  </Button>
                  <Button kind="quiet" icon="warning" onClick={() => remove([...selected.keys()], 'spam')}>
                    Spam
                  </Button>
                  <Button kind="quiet" icon="trash" onClick={() => remove([...selected.keys()], 'delete')}>
                    Delete
                  </Button>
                  <Button kind="quiet" isBusy={isExporting} onClick={exportSelected}>
                    Export selection
                  </Button>
                  <Button kind="quiet" icon="close" onClick={() => setSelected(new Map())}>
                    Select none
                  </Button>
                </fieldset>
              )}
            </div>
            {progress.error && (
              <div class="notice problem" role="alert">
                <Icon name="warning" />
                <div>
                  <p>{progress.error.message}</p>
                  <Button onClick={list.goOn}>Try again</Button>
                </div>
              </div>
            )}
            {list.count === 0 && progress.state === 'loading' && <Spinner label="Loading the inbox" />}
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
            {list.count > 0 && (
              <Table
                list={list}
                columns={columns}
                labels={labels}
                selected={selected}
                openId={openId}
                hrefOf={hrefOf}
                onSelect={select}
                onSelectAll={() => setSelected(new Map(selected.size > 0 ? [] : known.map(({ row }) => [row.id, row])))}
                onStar={(row) => changes.mark(row.starred ? 'unstar' : 'star', [row.id])}
                onFocus={(rowId, index) => {
                  setFocused(rowId);
                  lastIndex.current = index;
                }}
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
          listed={openIndex === undefined ? undefined : at(openIndex)}
          onMarked={(marks) => list.mark(new Set([openId]), { read: marks.read, starred: marks.starred })}
          onRemove={(action) => remove([openId], action)}
        />
      )}
      <p role="status" class="unseen">
        {arrived}
      </p>
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
      <a class="button quiet" href={`/submissions/${id}/export.csv?labels=1`} download>
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
