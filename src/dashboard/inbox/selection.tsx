import type { ComponentChildren, JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { queryOf } from './filter.ts';
import type { Inbox } from './inbox-state.ts';
import { downloadCsv } from './submission/submission-csv.ts';
import { doneOrOpen, filterUpTo, mayAct, readOrUnread, starOrUnstar, type Target } from './submission-changes.ts';
import { exportLink } from './toolbar/export-menu.tsx';

type Props = { inbox: Inbox; target: Target };

/** A file with the submissions that are selected: all that match come from the service, others are in this browser. */
function ExportButton({ inbox: { page, list, filter, labels }, target }: Props): JSX.Element | null {
  const { isAll, rows } = list.nameAll(target);
  if (!isAll) {
    const download = (): void => downloadCsv(rows, labels, page?.slug);
    return (
      <Button kind="quiet" icon="download" onClick={download}>
        {t.inbox.exporting.csv}
      </Button>
    );
  }
  // The submissions of several pages are in several files: the menu of the toolbar has them.
  if (!page) return null;
  const newest = rows[0] ? filterUpTo(rows[0], filter) : queryOf(filter);
  return (
    <a class="button quiet" href={exportLink(page.id, 'csv', newest)} download>
      <Icon name="download" />
      {t.inbox.exporting.csv}
    </a>
  );
}

/** Buttons that change submissions; on a phone, some are in a menu. */
function Actions({ inbox, target }: Props): JSX.Element {
  const { act } = inbox;
  const { rows } = target;
  const [done, star, read] = [doneOrOpen(rows), starOrUnstar(rows), readOrUnread(rows)];
  if (!mayAct(read)) return <ExportButton inbox={inbox} target={target} />;
  const rest = (
    <>
      <Button kind="quiet" icon="unread" onClick={() => act(read, target)}>
        {read === 'read' ? t.inbox.actions.markRead : t.inbox.actions.markUnread}
      </Button>
      <Button kind="quiet" icon="star" onClick={() => act(star, target)}>
        {star === 'star' ? t.inbox.actions.star : t.inbox.actions.removeStar}
      </Button>
      {/* The folder for spam has no room for all. */}
      {!target.isAll && mayAct('spam') && (
        <Button kind="quiet" icon="spam" onClick={() => act('spam', target)}>
          {t.inbox.actions.spam}
        </Button>
      )}
      <ExportButton inbox={inbox} target={target} />
    </>
  );
  return (
    <div class="buttons actions">
      {mayAct('delete') && (
        <Button kind="quiet" icon="trash" onClick={() => act('delete', target)}>
          {t.inbox.actions.delete}
        </Button>
      )}
      <Button kind="quiet" icon="finished" onClick={() => act(done, target)}>
        {done === 'done' ? t.inbox.actions.done : t.inbox.actions.reopen}
      </Button>
      <div class="rest">{rest}</div>
      <div class="more">
        <Menu label={t.inbox.actions.more} kind="quiet">
          {rest}
        </Menu>
      </div>
    </div>
  );
}

type BarProps = { selected: string; onClear(): void; children: ComponentChildren };

/** The actions on the rows that are selected, at the bottom of the screen. `selected`: says how many. */
export const SelectionBar = ({ selected, onClear, children }: BarProps): JSX.Element => (
  <fieldset class="selection" aria-label={t.inbox.selection.label}>
    <Button kind="quiet" icon="close" onClick={onClear}>
      <span class="unseen">{t.inbox.selection.none}</span>
    </Button>
    <p role="status">{selected}</p>
    {children}
  </fieldset>
);

export function Selection({ inbox }: { inbox: Inbox }): JSX.Element {
  const { overview, list, selected } = inbox;
  const { rows, cursor } = list.state.value;
  const isEverything = selected.isAll || (cursor === null && selected.rows.length === rows.length);
  return (
    <SelectionBar selected={list.inWords(t.inbox.selection.selected, selected)} onClear={selected.clear}>
      {!isEverything && overview.length > 0 && (
        <Button kind="quiet" onClick={cursor === null ? selected.selectLoaded : selected.selectAll}>
          {list.inWords(t.inbox.selection.select, { ...selected, isAll: true })}
        </Button>
      )}
      <Actions inbox={inbox} target={selected} />
    </SelectionBar>
  );
}
