import type { JSX, Ref } from 'preact';
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { isTyping } from './keys.ts';
import { type Labels, labelOf } from './labels.ts';
import type { SubmissionList } from './list.ts';
import { lineNamed, type Submission, titleOf } from './submissions.ts';

/** As high as the styles make a row, and a card. */
const ROW_REM = 2.75;
const CARD_REM = 5.25;
/** Narrower than this, rows are cards. */
const CARDS_REM = 40;
const COLUMN_REM = 9;
const FIXED_COLUMNS_REM = 16;
export const MAX_COLUMNS = 8;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** A time as short as it can be. */
function ShortTime({ at }: { at: string }): JSX.Element {
  const time = new Date(at);
  const now = new Date();
  const isToday = time.toDateString() === now.toDateString();
  const format = isToday ? clock : time.getFullYear() === now.getFullYear() ? dayAndClock : dateOnly;
  return (
    <time dateTime={at} title={long.format(time)}>
      {format.format(time)}
    </time>
  );
}

export const isInTable = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.inbox-scroll') !== null;

/** A `<table>` would lose its roles with its layout. */
const ROLES = {
  table: { role: 'table', 'aria-label': 'Submissions' },
  row: { role: 'row' },
  rowgroup: { role: 'rowgroup' },
  cell: { role: 'cell' },
  columnheader: { role: 'columnheader' },
} as const;

export type TableHandle = {
  /** Moves the focus to a row, and the row into sight. */
  focus(index: number): void;
  /** Moves a row into sight. */
  reveal(index: number): void;
};

/** What can be done with a row. */
type Actions = {
  onSelect(id: string, isRange: boolean): void;
  onStar(row: Submission): void;
  onFocus(id: string): void;
};

type Props = Actions & {
  list: SubmissionList;
  columns: readonly string[];
  labels: Labels;
  selected: ReadonlySet<string>;
  /** The submission that is shown beside the list. */
  openId: string | undefined;
  hrefOf(id: string): string;
  onSelectAll(): void;
  handle: Ref<TableHandle>;
};

type RowProps = {
  row: Submission;
  columns: readonly string[];
  labels: Labels;
  isCard: boolean;
  isSelected: boolean;
  isOpen: boolean;
  href: string;
  actions: { current: Actions };
};

function drawRow({ row, columns, labels, isCard, isSelected, isOpen, href, actions }: RowProps): JSX.Element {
  const title = titleOf(row);
  const [first = '', ...others] = columns.map((name) => lineNamed(row, name));
  const classes = ['inbox-row', ...(row.read ? [] : ['is-unread']), ...(isSelected ? ['selected'] : [])];
  return (
    <div {...ROLES.row} class={classes.join(' ')} onFocusCapture={() => actions.current.onFocus(row.id)}>
      <div {...ROLES.cell} class="cell-tick">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isSelected}
          onClick={({ shiftKey }) => actions.current.onSelect(row.id, shiftKey)}
        />
      </div>
      <div {...ROLES.cell} class="cell-star">
        <button
          type="button"
          class="star"
          aria-pressed={row.starred}
          aria-label={`Star ${title}`}
          onClick={() => actions.current.onStar(row)}
        >
          <Icon name="star" />
        </button>
      </div>
      <div {...ROLES.cell} class="cell-first">
        <a href={href} aria-current={isOpen ? 'true' : undefined}>
          {!row.read && <span class="unseen">Unread: </span>}
          <span class="line" dir="auto">
            {first.trim() === '' ? title : first}
          </span>
        </a>
      </div>
      {isCard ? (
        <div {...ROLES.cell} class="cell-rest">
          {others.map((text, at) => {
            const name = columns[at + 1] ?? '';
            return text === '' ? undefined : (
              <span key={name} class="line" dir="auto">
                <bdi class="unseen">{labelOf(labels, name)}: </bdi>
                {text}
              </span>
            );
          })}
        </div>
      ) : (
        others.map((text, at) => (
          <div {...ROLES.cell} key={columns[at + 1]}>
            <span class="line" dir="auto">
              {text}
            </span>
          </div>
        ))
      )}
      <div {...ROLES.cell} class="cell-time">
        <ShortTime at={row.createdAt} />
      </div>
    </div>
  );
}

/** A row is drawn again only when it has changed: there may be thousands. */
function Row(props: RowProps): JSX.Element {
  const { row, columns, labels, isCard, isSelected, isOpen, href } = props;
  return useMemo(() => drawRow(props), [row, columns, labels, isCard, isSelected, isOpen, href]);
}

function Head({ columns, labels, selected, list, onSelectAll }: Omit<Props, 'handle'>): JSX.Element {
  return (
    <div {...ROLES.rowgroup} class="inbox-head">
      <div {...ROLES.row} class="inbox-row">
        <div {...ROLES.columnheader} class="cell-tick">
          <input
            type="checkbox"
            aria-label="Select all that are loaded"
            checked={selected.size > 0}
            indeterminate={selected.size > 0 && selected.size < list.rows.length}
            onClick={onSelectAll}
          />
        </div>
        <div {...ROLES.columnheader} class="cell-star">
          <span class="unseen">Star</span>
        </div>
        {columns.map((name) => (
          <div {...ROLES.columnheader} key={name}>
            <span class="line" dir="auto" title={labelOf(labels, name)}>
              {labelOf(labels, name)}
            </span>
          </div>
        ))}
        {columns.length === 0 && <div {...ROLES.columnheader}>Submission</div>}
        <div {...ROLES.columnheader} class="cell-time">
          Received
        </div>
      </div>
    </div>
  );
}

/** The list as a table, or as cards where it is narrow. The browser renders only what is on the screen. */
export function Table({ handle, ...props }: Props): JSX.Element {
  const { list, labels, selected, openId, hrefOf } = props;
  const scroller = useRef<HTMLElement>(null);
  const [view, setView] = useState({ width: 0, rem: 16 });
  /** A row to go to, once it is in the document. */
  const [target, setTarget] = useState<{ index: number; isFocused: boolean }>();
  const actions = useRef<Actions>(props);
  actions.current = props;

  const isCard = view.width < CARDS_REM * view.rem;
  const rowHeight = (isCard ? CARD_REM : ROW_REM) * view.rem;
  const fitting = Math.floor((view.width / view.rem - FIXED_COLUMNS_REM) / COLUMN_REM) + 1;
  const count = isCard ? 4 : Math.max(1, Math.min(MAX_COLUMNS, fitting));
  const columns = useMemo(() => props.columns.slice(0, count), [props.columns.join('\n'), count]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => {
      // Nothing is measured while the list is not shown.
      if (element.clientHeight === 0) return;
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setView({ width: element.clientWidth, rem });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const want = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {};
    list.want(Math.ceil((scrollTop + clientHeight) / rowHeight));
  };
  useEffect(want);

  useLayoutEffect(() => {
    const row = target && scroller.current?.querySelectorAll('.inbox-body .inbox-row')[target.index];
    row?.scrollIntoView({ block: 'nearest' });
    // Keys that are typed into the search must not become commands.
    if (target?.isFocused && !isTyping(document.activeElement)) {
      row?.querySelector('a')?.focus({ preventScroll: true });
    }
  }, [target]);
  useImperativeHandle(
    handle,
    () => ({
      focus: (index) => setTarget({ index, isFocused: true }),
      reveal: (index) => setTarget({ index, isFocused: false }),
    }),
    [],
  );

  return (
    <section ref={scroller} class="inbox-scroll" aria-label="List" tabIndex={-1} onScroll={want}>
      <div
        {...ROLES.table}
        aria-busy={list.progress.state === 'loading'}
        class={isCard ? 'inbox-table cards' : 'inbox-table'}
        style={{ '--columns': Math.max(1, columns.length) }}
      >
        <Head {...props} columns={columns} />
        <div {...ROLES.rowgroup} class="inbox-body">
          {list.rows.map((row) => (
            <Row
              key={row.id}
              row={row}
              columns={columns}
              labels={labels}
              isCard={isCard}
              isSelected={selected.has(row.id)}
              isOpen={row.id === openId}
              href={hrefOf(row.id)}
              actions={actions}
            />
          ))}
        </div>
      </div>
      {list.hasMore && <p class="muted inbox-more">Loading more…</p>}
    </section>
  );
}
