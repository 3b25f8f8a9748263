import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import type { Inbox } from './inbox.ts';
import { isTyping } from './keys.ts';
import { labelOf } from './labels.ts';
import { lineNamed, type Submission, titleOf } from './submissions.ts';

export const isInTable = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.inbox-scroll') !== null;

const rowOf = (id: string): Element | null => document.getElementById(id)?.closest('.inbox-row') ?? null;

/** Moves a row into sight. */
export const revealRow = (id: string): void => rowOf(id)?.scrollIntoView({ block: 'nearest' });

/** Moves the focus to a row. */
export function focusRow(id: string): void {
  revealRow(id);
  // Keys that are typed into the search must not become commands.
  if (!isTyping(document.activeElement)) document.getElementById(id)?.focus({ preventScroll: true });
}

/** A `<table>` would lose its roles with its layout. */
const ROLES = {
  table: { role: 'table', 'aria-label': 'Submissions' },
  row: { role: 'row' },
  rowgroup: { role: 'rowgroup' },
  cell: { role: 'cell' },
  columnheader: { role: 'columnheader' },
} as const;

type RowProps = {
  row: Submission;
  columns: readonly string[];
  isSelected: boolean;
  isOpen: boolean;
  href: string;
  inbox: { current: Inbox };
};

function drawRow({ row, columns, isSelected, isOpen, href, inbox }: RowProps): JSX.Element {
  const title = titleOf(row);
  const [first = '', ...others] = columns.map((name) => lineNamed(row, name));
  const classes = ['inbox-row', ...(row.read ? [] : ['is-unread']), ...(isSelected ? ['selected'] : [])];
  return (
    <div {...ROLES.row} class={classes.join(' ')} onFocusCapture={() => inbox.current.setFocused(row.id)}>
      <div {...ROLES.cell} class="cell-tick">
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isSelected}
          onClick={({ shiftKey }) => inbox.current.selected.toggle(row.id, shiftKey)}
        />
      </div>
      <div {...ROLES.cell} class="cell-star">
        <button
          type="button"
          class="star"
          aria-pressed={row.starred}
          aria-label={`Star ${title}`}
          onClick={() => inbox.current.list.toggleStar([row])}
        >
          <Icon name="star" />
        </button>
      </div>
      <div class="cell-fields">
        <div {...ROLES.cell} class="cell-first">
          <a id={row.id} href={href} aria-current={isOpen ? 'true' : undefined}>
            {!row.read && <span class="unseen">Unread: </span>}
            <span class="line" dir="auto">
              {first.trim() === '' ? title : first}
            </span>
          </a>
        </div>
        {others.map((text, at) => (
          <div {...ROLES.cell} key={columns[at + 1]}>
            <span class="line" dir="auto">
              {text}
            </span>
          </div>
        ))}
      </div>
      <div {...ROLES.cell} class="cell-time">
        <Time at={row.createdAt} isShort />
      </div>
    </div>
  );
}

/** A row is drawn again only when it has changed: there may be thousands. */
function Row(props: RowProps): JSX.Element {
  const { row, columns, isSelected, isOpen, href } = props;
  return useMemo(() => drawRow(props), [row, columns.join('\n'), isSelected, isOpen, href]);
}

type Props = { inbox: Inbox; columns: readonly string[] };

const Head = ({ inbox: { list, labels, selected }, columns }: Props): JSX.Element => (
  <div {...ROLES.rowgroup} class="inbox-head">
    <div {...ROLES.row} class="inbox-row">
      <div {...ROLES.columnheader} class="cell-tick">
        <input
          type="checkbox"
          aria-label="Select all that are loaded"
          checked={selected.rows.length > 0}
          indeterminate={selected.rows.length > 0 && selected.rows.length < list.state.value.rows.length}
          onClick={selected.rows.length > 0 ? selected.clear : selected.selectAll}
        />
      </div>
      <div {...ROLES.columnheader} class="cell-star">
        <span class="unseen">Star</span>
      </div>
      <div class="cell-fields">
        {columns.map((name) => (
          <div {...ROLES.columnheader} key={name}>
            <span class="line" dir="auto" title={labelOf(labels, name)}>
              {labelOf(labels, name)}
            </span>
          </div>
        ))}
        {columns.length === 0 && <div {...ROLES.columnheader}>Submission</div>}
      </div>
      <div {...ROLES.columnheader} class="cell-time">
        Received
      </div>
    </div>
  </div>
);

/** The list as a table, or as cards where it is narrow: styles choose. The browser renders only what is on the screen. */
export function Table({ inbox, columns }: Props): JSX.Element {
  const { list, selected, openId, hrefOf } = inbox;
  const { rows, cursor, error, isReading } = list.state.value;
  const scroller = useRef<HTMLElement>(null);
  const end = useRef<HTMLParagraphElement>(null);
  const latest = useRef(inbox);
  latest.current = inbox;

  // More is read before the end of the list is on the screen.
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && list.more(), {
      root: scroller.current,
      rootMargin: '100%',
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [list, isReading, error]);

  return (
    <section ref={scroller} class="inbox-scroll" aria-label="List" tabIndex={-1}>
      <div {...ROLES.table} aria-busy={isReading && rows.length === 0} class="inbox-table">
        <Head inbox={inbox} columns={columns} />
        <div {...ROLES.rowgroup} class="inbox-body">
          {rows.map((row) => (
            <Row
              key={row.id}
              row={row}
              columns={columns}
              isSelected={selected.ids.has(row.id)}
              isOpen={row.id === openId}
              href={hrefOf(row.id)}
              inbox={latest}
            />
          ))}
        </div>
      </div>
      {cursor !== null && !error && (
        <p ref={end} class="muted inbox-more">
          Loading more…
        </p>
      )}
    </section>
  );
}
