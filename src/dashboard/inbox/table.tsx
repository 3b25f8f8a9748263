import type { JSX, Ref } from 'preact';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { Icon } from '../ui/icon.tsx';
import { type Labels, labelOf } from './labels.ts';
import type { List } from './list.ts';
import { MAX_DRIFT_PX, MAX_STEP_PX, scrollRangeOf } from './scroll-range.ts';
import { lineNamed, type Submission, titleOf } from './submissions.ts';

/** Rows above and below the screen that are rendered, too. */
const OVERSCAN = 6;
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

/** Whether keys that are pressed are text, or for the control that has the focus. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"])'));

export const isInTable = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.inbox-scroll') !== null;

/** Rows that are placed by themselves, and cards, can't be rows of a `<table>`: it would lose its roles with its layout. */
const ROLES = {
  table: (rows: number, isBusy: boolean) => ({
    role: 'table' as const,
    'aria-label': 'Submissions',
    'aria-rowcount': rows,
    'aria-busy': isBusy,
  }),
  row: (index: number) => ({ role: 'row' as const, 'aria-rowindex': index }),
  rowgroup: { role: 'rowgroup' },
  cell: { role: 'cell' },
  columnheader: { role: 'columnheader' },
} as const;

export type TableHandle = {
  /** Moves the focus to a row, and the row into sight. */
  focus(index: number): void;
  /** Moves a row into sight. */
  reveal(index: number): void;
  /** Keeps what is on the screen where it is, when rows come before it. */
  pushDown(rows: number): void;
};

type Props = {
  list: List;
  columns: readonly string[];
  labels: Labels;
  selected: Pick<ReadonlySet<string>, 'has' | 'size'>;
  /** The submission that is shown beside the list. */
  openId: string | undefined;
  hrefOf(id: string): string;
  onSelect(id: string, index: number, isRange: boolean): void;
  onSelectAll(): void;
  onStar(row: Submission): void;
  onFocus(id: string, index: number): void;
  handle: Ref<TableHandle>;
};

function Row({
  row,
  index,
  columns,
  labels,
  isCard,
  isSelected,
  isOpen,
  href,
  onSelect,
  onStar,
}: Pick<Props, 'columns' | 'labels' | 'onSelect' | 'onStar'> & {
  row: Submission;
  index: number;
  isCard: boolean;
  isSelected: boolean;
  isOpen: boolean;
  href: string;
}): JSX.Element {
  const title = titleOf(row);
  const [first = '', ...others] = columns.map((name) => lineNamed(row, name));
  return (
    <>
      <div {...ROLES.cell} class="cell-tick">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isSelected}
          onClick={({ shiftKey }) => onSelect(row.id, index, shiftKey)}
        />
      </div>
      <div {...ROLES.cell} class="cell-star">
        <button
          type="button"
          class="star"
          aria-pressed={row.starred}
          aria-label={`Star ${title}`}
          onClick={() => onStar(row)}
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
    </>
  );
}

/** The list as a table, or as cards where it is narrow. Only what is on the screen is in the document. */
export function Table(props: Props): JSX.Element {
  const { list, labels, selected, openId, hrefOf, onSelectAll, onFocus, handle } = props;
  const scroller = useRef<HTMLElement>(null);
  // `place` is where the screen begins in the list, `top` the scroll position that goes with it.
  const [view, setView] = useState({ place: 0, top: 0, height: 600, width: 0, rem: 16 });
  const pendingFocus = useRef<number>(undefined);

  const isCard = view.width < CARDS_REM * view.rem;
  const rowHeight = Math.round((isCard ? CARD_REM : ROW_REM) * view.rem);
  const fitting = Math.floor((view.width / view.rem - FIXED_COLUMNS_REM) / COLUMN_REM) + 1;
  const columns = props.columns.slice(0, isCard ? 4 : Math.max(1, Math.min(MAX_COLUMNS, fitting)));
  const { count } = list;
  const range = scrollRangeOf(count * rowHeight);
  const shownHeight = view.height - (isCard ? 0 : ROW_REM * view.rem);
  const top = Math.min(view.top, Math.max(0, range.height - shownHeight));
  const from = Math.max(0, Math.min(view.place, count * rowHeight - shownHeight));
  const first = Math.max(0, Math.floor(from / rowHeight) - OVERSCAN);
  const last = Math.min(count - 1, Math.ceil((from + view.height) / rowHeight) + OVERSCAN);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => {
      // Nothing is measured while the list is not shown.
      if (element.clientHeight === 0) return;
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setView((before) => ({ ...before, height: element.clientHeight, width: element.clientWidth, rem }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  /** Scrolls to a place of the list; where the list is not shown, when it is shown again. */
  const scrollTo = (place: number): void => {
    const target = Math.round(range.toScrollTop(place));
    if (scroller.current) scroller.current.scrollTop = target;
    setView((before) => ({ ...before, place: range.excess === 0 ? target : place, top: target }));
  };
  /** Puts the scroll bar where it belongs, while the rows stay where they are. */
  const settle = useRef<() => void>(() => undefined);
  settle.current = () => {
    const drift = Math.abs(range.toScrollTop(from) - top);
    const isNearEnd = Math.min(top, range.height - top) < 2 * MAX_DRIFT_PX;
    // Seldom: it would end the scrolling that begins at the same moment.
    if (drift > MAX_DRIFT_PX || (isNearEnd && drift > 1)) scrollTo(from);
  };
  const calm = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(calm.current), []);
  useLayoutEffect(() => settle.current(), [range.excess]);

  // The same rows are shown when rows become cards, or cards rows.
  const heightBefore = useRef(rowHeight);
  useLayoutEffect(() => {
    if (heightBefore.current !== rowHeight) scrollTo((from * rowHeight) / heightBefore.current);
    heightBefore.current = rowHeight;
  }, [rowHeight]);

  // A browser forgets where a list was that was not shown meanwhile.
  useLayoutEffect(() => {
    if (scroller.current && scroller.current.clientHeight > 0 && scroller.current.scrollTop !== top) {
      scroller.current.scrollTop = top;
    }
  }, [openId, view.height]);

  useEffect(() => list.want(first, last), [list, list.version.value, first, last]);

  useLayoutEffect(() => {
    if (pendingFocus.current === undefined) return;
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${pendingFocus.current}"] a`);
    if (!link) return;
    pendingFocus.current = undefined;
    // Keys that are typed into the search must not become commands when the row comes.
    if (!isTyping(document.activeElement)) link.focus({ preventScroll: true });
  });

  function onScroll(element: HTMLElement): void {
    const { scrollTop } = element;
    const step = scrollTop - view.top;
    const place =
      range.excess === 0 || Math.abs(step) > MAX_STEP_PX ? range.toPlace(scrollTop) : Math.max(0, view.place + step);
    setView((before) => ({ ...before, place, top: scrollTop }));
    if (range.excess > 0) {
      clearTimeout(calm.current);
      calm.current = setTimeout(() => settle.current(), DASHBOARD_LIMITS.inbox.settleMs);
    }
    // A row that leaves the document takes the focus with it: keys would no longer scroll the list.
    const focused = document.activeElement?.closest('.inbox-body .inbox-row')?.getAttribute('data-index');
    const distance = Number(focused ?? Number.NaN) * rowHeight - place;
    if (distance < -OVERSCAN * rowHeight || distance > view.height + OVERSCAN * rowHeight) {
      element.focus({ preventScroll: true });
    }
  }

  const reveal = (index: number): void => {
    const start = index * rowHeight;
    const end = start + rowHeight - shownHeight;
    scrollTo(start < from ? start : end > from ? end : from);
  };
  useImperativeHandle(
    handle,
    () => ({
      focus(index) {
        pendingFocus.current = index;
        reveal(index);
      },
      reveal,
      pushDown(rows) {
        if (scroller.current && scroller.current.scrollTop > 0) scrollTo(from + rows * rowHeight);
      },
    }),
    [rowHeight, from, count, view.height],
  );

  const rows = list.rows(first, last);
  const style = isCard
    ? {}
    : { gridTemplateColumns: `2.75rem 2.5rem repeat(${Math.max(1, columns.length)}, minmax(0, 1fr)) 9.75rem` };
  return (
    <section
      ref={scroller}
      class="inbox-scroll"
      aria-label="List"
      tabIndex={-1}
      onScroll={({ currentTarget }) => onScroll(currentTarget)}
    >
      <div
        {...ROLES.table(count + 1, list.progress.state === 'loading')}
        class={isCard ? 'inbox-table cards' : 'inbox-table'}
      >
        <div {...ROLES.rowgroup} class="inbox-head">
          <div {...ROLES.row(1)} class="inbox-row" style={style}>
            <div {...ROLES.columnheader} class="cell-tick">
              <input
                type="checkbox"
                aria-label="Select all that are loaded"
                checked={selected.size > 0}
                indeterminate={selected.size > 0 && selected.size < count}
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
        <div {...ROLES.rowgroup} class="inbox-body" style={{ height: `${range.height}px` }}>
          {rows.map((row, offset) => {
            const index = first + offset;
            const place = {
              ...(row && style),
              height: `${rowHeight}px`,
              transform: `translateY(${index * rowHeight - from + top}px)`,
            };
            if (!row) {
              return (
                <div key={`at ${index}`} {...ROLES.row(index + 2)} class="inbox-row empty-row" style={place}>
                  <div {...ROLES.cell} class="cell-first">
                    <span class="unseen">Loading</span>
                  </div>
                </div>
              );
            }
            const classes = [
              'inbox-row',
              ...(row.read ? [] : ['is-unread']),
              ...(selected.has(row.id) ? ['selected'] : []),
            ];
            return (
              <div
                key={row.id}
                {...ROLES.row(index + 2)}
                class={classes.join(' ')}
                data-index={index}
                style={place}
                onFocusCapture={() => onFocus(row.id, index)}
              >
                <Row
                  {...props}
                  row={row}
                  index={index}
                  columns={columns}
                  isCard={isCard}
                  isSelected={selected.has(row.id)}
                  isOpen={row.id === openId}
                  href={hrefOf(row.id)}
                />
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
