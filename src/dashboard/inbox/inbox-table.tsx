import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { counted, Time } from '../ui/time.tsx';
import type { Column } from './column-labels.ts';
import type { Inbox } from './inbox-state.ts';
import { countOthers, type Submission, titleOf } from './read-submissions.ts';
import { starOrUnstar } from './submission-changes.ts';

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
  table: { role: 'table', 'aria-label': 'Submissions' },
  row: { role: 'row' },
  rowgroup: { role: 'rowgroup' },
  cell: { role: 'cell' },
  columnheader: { role: 'columnheader' },
} as const;

const classOf = ({ kind }: Column, index: number): string => `cell ${index === 0 ? 'first' : (kind ?? '')}`;

type Props = { inbox: Inbox; columns: readonly Column[] };

/** The texts of a row. A list of all pages has all of them in its columns. */
function Texts({ row, inbox: { page, openId, hrefOf }, columns }: Props & { row: Submission }): JSX.Element {
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
          <a id={row.id} href={hrefOf(row)} aria-current={row.id === openId ? 'true' : undefined}>
            {!row.read && <span class="unseen">Unread: </span>}
            {line}
          </a>
        )}
      </div>
    );
  });
  return (
    <div class="cells">
      {texts}
      <div {...ROLES.cell} class="cell-others">
        {others > 0 && <span title={counted(others, 'more field')}>+{others}</span>}
      </div>
    </div>
  );
}

function Row({ row, inbox, columns }: Props & { row: Submission }): JSX.Element {
  const { selected, act } = inbox;
  const isSelected = selected.ids.has(row.id);
  const title = titleOf(row);
  const classes = ['inbox-row', ...(row.read ? [] : ['is-unread']), ...(isSelected ? ['selected'] : [])];
  return (
    <div {...ROLES.row} class={classes.join(' ')}>
      <div {...ROLES.cell} class="cell-tick">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isSelected}
          onClick={({ shiftKey }) => selected.toggle(row.id, shiftKey)}
        />
      </div>
      <div {...ROLES.cell} class="cell-star">
        <button
          type="button"
          class="star"
          aria-pressed={row.starred}
          aria-label={`Star ${title}`}
          onClick={() => act(starOrUnstar([row]), { rows: [row] })}
        >
          <Icon name="star" />
        </button>
      </div>
      <Texts row={row} inbox={inbox} columns={columns} />
      <div {...ROLES.cell} class="cell-time">
        <Time at={row.createdAt} isShort />
      </div>
    </div>
  );
}

const Head = ({ inbox: { list, selected }, columns }: Props): JSX.Element => (
  <div {...ROLES.rowgroup} class="inbox-head">
    <div {...ROLES.row} class="inbox-row">
      <div {...ROLES.columnheader} class="cell-tick">
        <input
          type="checkbox"
          aria-label="Select all that are loaded"
          checked={selected.rows.length > 0}
          indeterminate={selected.rows.length > 0 && selected.rows.length < list.state.value.rows.length}
          onClick={selected.rows.length > 0 ? selected.clear : selected.selectLoaded}
        />
      </div>
      <div {...ROLES.columnheader} class="cell-star">
        <span class="unseen">Star</span>
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
          <span class="unseen">More fields</span>
        </div>
      </div>
      <div {...ROLES.columnheader} class="cell-time">
        Received
      </div>
    </div>
  </div>
);

/** The list as a table, or as cards where it is narrow. The browser renders only the rows on the screen. */
export function Table({ inbox, columns }: Props): JSX.Element {
  const { list } = inbox;
  const { rows, cursor, error, isReading } = list.state.value;
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
          {rows.map((row) => (
            <Row key={row.id} row={row} inbox={inbox} columns={columns} />
          ))}
        </div>
      </div>
      {cursor !== null && !error && (
        <p ref={end} class="muted inbox-more">
          Loading more…
        </p>
      )}
    </>
  );
}
