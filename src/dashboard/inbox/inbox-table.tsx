import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { counted, fill, numbers, t } from '../texts/chosen-texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import type { Column } from './columns/inbox-columns.ts';
import type { Inbox } from './inbox-state.ts';
import { countOthers, type Submission, titleOf } from './read-submissions.ts';
import { mayAct, starOrUnstar } from './submission-changes.ts';

/** Returns whether pressed keys are text, or are for the control that has the focus. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"])'));

/** Moves a row into sight. */
export const revealRow = (id: string): void =>
  document.getElementById(id)?.closest('.inbox-row')?.scrollIntoView({ block: 'nearest' });

/** Moves the focus to a row. */
export function focusRow(id: string): void {
  revealRow(id);
  // Keys that are typed into the search must not become commands.
  if (!isTyping(document.activeElement)) document.getElementById(id)?.focus({ preventScroll: true });
}

/** The id of the submission whose row has the focus. */
export const focusedRow = (): string | undefined =>
  document.activeElement?.closest('.inbox-row')?.querySelector('a')?.id;

/** A `<table>` would lose its roles with its layout. */
const ROLES = {
  table: { role: 'table', 'aria-label': t.inbox.rows.label },
  row: { role: 'row' },
  rowgroup: { role: 'rowgroup' },
  cell: { role: 'cell' },
  columnheader: { role: 'columnheader' },
} as const;

const classOf = ({ kind }: Column, index: number): string => `cell ${index === 0 ? 'first' : (kind ?? '')}`;

type Props = { inbox: Inbox; columns: readonly Column[] };

/** A row's parts. `latest`: the inbox as it is when something in the row is pressed, so that a row need not be made again for it. */
type RowProps = { row: Submission; isOpen: boolean; isSelected: boolean; latest: { current: Inbox } };

/** The signs of a row before its name. */
const Signs = ({ row: { read, isDone, isTest } }: { row: Submission }): JSX.Element => (
  <>
    {!read && <span class="unseen">{t.inbox.rows.unread} </span>}
    {isDone && <span class="unseen">{t.inbox.rows.done} </span>}
    {isDone && <Icon name="done" />}
    {isTest && <span class="badge">{t.inbox.marks.test}</span>}
  </>
);

const NoteSign = (): JSX.Element => (
  <>
    <Icon name="note" />
    <span class="unseen"> {t.inbox.rows.withNote}</span>
  </>
);

/** The texts of a row. A list of all pages has all of them in its columns. */
function Texts({ row, isOpen, latest, columns }: RowProps & { columns: readonly Column[] }): JSX.Element {
  const { page, hrefOf } = latest.current;
  const names = columns.map(({ name }) => name);
  const others = page ? countOthers(row, names) : 0;
  const texts = columns.map((column, index) => {
    const line = (
      <span class="line" dir="auto">
        {column.textOf(row)}
      </span>
    );
    return (
      <div {...ROLES.cell} key={index} class={classOf(column, index)}>
        {index > 0 ? (
          line
        ) : (
          <a id={row.id} href={hrefOf(row)} aria-current={isOpen ? 'true' : undefined}>
            <Signs row={row} />
            {line}
            {row.note !== '' && <NoteSign />}
          </a>
        )}
      </div>
    );
  });
  return (
    <div class="cells">
      {texts}
      <div {...ROLES.cell} class="cell-others">
        {others > 0 && <span title={counted(t.inbox.rows.otherFields, others)}>+{numbers.format(others)}</span>}
      </div>
    </div>
  );
}

function Star({ row, latest }: RowProps): JSX.Element {
  const title = titleOf(row);
  if (!mayAct('star')) {
    return row.starred ? (
      <span class="star is-on" role="img" aria-label={fill(t.inbox.rows.starred, { title })}>
        <Icon name="star" />
      </span>
    ) : (
      <span />
    );
  }
  return (
    <button
      type="button"
      class="star"
      aria-pressed={row.starred}
      aria-label={fill(t.inbox.rows.star, { title })}
      onClick={() => latest.current.act(starOrUnstar([row]), { rows: [row] })}
    >
      <Icon name="star" />
    </button>
  );
}

function Row({ columns, ...props }: RowProps & { columns: readonly Column[] }): JSX.Element {
  const { row, isSelected, latest } = props;
  const classes = [
    'inbox-row',
    ...(row.read ? [] : ['is-unread']),
    ...(row.isDone ? ['is-done'] : []),
    ...(isSelected ? ['selected'] : []),
  ];
  return (
    <div {...ROLES.row} class={classes.join(' ')}>
      <div {...ROLES.cell} class="cell-tick">
        <input
          type="checkbox"
          aria-label={fill(t.inbox.rows.select, { title: titleOf(row) })}
          checked={isSelected}
          onClick={({ shiftKey }) => latest.current.selected.toggle(row.id, shiftKey)}
        />
      </div>
      <div {...ROLES.cell} class="cell-star">
        <Star {...props} />
      </div>
      <Texts {...props} columns={columns} />
      <div {...ROLES.cell} class="cell-time">
        <Time at={row.createdAt} isShort />
      </div>
    </div>
  );
}

type Made = { row: Submission; isOpen: boolean; isSelected: boolean; element: JSX.Element };

/**
 * The elements of the rows. A row that is as it was keeps its element, which Preact does not compare: a change of one row among
 * ten thousand is made at once.
 */
function useRows({ inbox, columns }: Props): JSX.Element[] {
  const { list, selected, openId, hrefOf } = inbox;
  const latest = useRef(inbox);
  latest.current = inbox;
  const made = useRef({ key: '', columns, rows: new Map<string, Made>() });
  // Links to submissions end in the filter.
  const key = `${hrefOf()} ${mayAct('star')}`;
  const before = made.current.key === key && made.current.columns === columns ? made.current.rows : undefined;
  const rows = new Map<string, Made>();
  for (const row of list.state.value.rows) {
    const [isOpen, isSelected] = [row.id === openId, selected.ids.has(row.id)];
    const old = before?.get(row.id);
    const isSame = old?.row === row && old.isOpen === isOpen && old.isSelected === isSelected;
    const props = { row, isOpen, isSelected };
    rows.set(
      row.id,
      isSame ? old : { ...props, element: <Row key={row.id} {...props} latest={latest} columns={columns} /> },
    );
  }
  made.current = { key, columns, rows };
  return Array.from(rows.values(), ({ element }) => element);
}

const Head = ({ inbox: { list, selected }, columns }: Props): JSX.Element => (
  <div {...ROLES.rowgroup} class="inbox-head">
    <div {...ROLES.row} class="inbox-row">
      <div {...ROLES.columnheader} class="cell-tick">
        <input
          type="checkbox"
          aria-label={t.inbox.rows.selectLoaded}
          checked={selected.rows.length > 0}
          indeterminate={selected.rows.length > 0 && selected.rows.length < list.state.value.rows.length}
          onClick={selected.rows.length > 0 ? selected.clear : selected.selectLoaded}
        />
      </div>
      <div {...ROLES.columnheader} class="cell-star">
        <span class="unseen">{t.inbox.columns.star}</span>
      </div>
      <div class="cells">
        {columns.map((column, index) => (
          <div {...ROLES.columnheader} key={index} class={classOf(column, index)}>
            <span class="line" dir="auto" title={column.label}>
              {column.label}
            </span>
          </div>
        ))}
        <div {...ROLES.columnheader} class="cell-others">
          <span class="unseen">{t.inbox.columns.moreFields}</span>
        </div>
      </div>
      <div {...ROLES.columnheader} class="cell-time">
        {t.inbox.columns.received}
      </div>
    </div>
  </div>
);

/** The list as a table, or as cards where it is narrow. The browser renders only the rows on the screen. */
export function Table({ inbox, columns }: Props): JSX.Element {
  const { list } = inbox;
  const { cursor, error, isReading } = list.state.value;
  const elements = useRows({ inbox, columns });
  const end = useRef<HTMLParagraphElement>(null);

  // More is read before the end of the list is on the screen.
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && list.more(), {
      rootMargin: '100%',
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [list, isReading, error]);

  return (
    <>
      <div {...ROLES.table} class="inbox-table">
        <Head inbox={inbox} columns={columns} />
        <div {...ROLES.rowgroup} class="inbox-body">
          {elements}
        </div>
      </div>
      {cursor !== null && !error && (
        <p ref={end} class="muted inbox-more">
          {t.inbox.loadingMore}
        </p>
      )}
    </>
  );
}
