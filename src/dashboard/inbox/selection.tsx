import type { ComponentChildren, JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import type { Inbox } from './inbox.ts';
import { readOrUnread, starOrUnstar, type Target } from './list.ts';
import type { Submission } from './submissions.ts';

type Props = { inbox: Inbox; target: Target; rows: readonly Submission[] };

/** Buttons that change submissions, or all that are found; on a phone, some are in a menu. `rows`: those that are known of them. */
export function Actions({ inbox: { act }, target, rows }: Props): JSX.Element {
  const [star, read] = [starOrUnstar(rows), readOrUnread(rows)];
  const rest = (
    <>
      <Button kind="quiet" icon="star" onClick={() => act(star, target)}>
        {star === 'star' ? 'Star' : 'Remove star'}
      </Button>
      {/* The folder for spam has no room for all. */}
      {target !== 'all' && (
        <Button kind="quiet" icon="warning" onClick={() => act('spam', target)}>
          Spam
        </Button>
      )}
    </>
  );
  return (
    <div class="buttons actions">
      <Button kind="quiet" icon="trash" onClick={() => act('delete', target)}>
        Delete
      </Button>
      <Button kind="quiet" onClick={() => act(read, target)}>
        {read === 'read' ? 'Mark read' : 'Mark unread'}
      </Button>
      <div class="rest">{rest}</div>
      <div class="more">
        <Menu label="More" kind="quiet">
          {rest}
        </Menu>
      </div>
    </div>
  );
}

type BarProps = { selected: string; onClear(): void; children: ComponentChildren };

/** The actions on the rows that are selected, at the bottom of the screen. `selected`: the rows, in words. */
export const SelectionBar = ({ selected, onClear, children }: BarProps): JSX.Element => (
  <fieldset class="selection" aria-label="Selection">
    <Button kind="quiet" icon="close" onClick={onClear}>
      <span class="unseen">Select none</span>
    </Button>
    <p role="status">{selected} selected</p>
    {children}
  </fieldset>
);

export function Selection({ inbox }: { inbox: Inbox }): JSX.Element {
  const { overview, list, selected } = inbox;
  const { rows, cursor } = list.state.value;
  const target = selected.isAll ? 'all' : selected.rows;
  const isEverything = selected.isAll || (cursor === null && selected.rows.length === rows.length);
  return (
    <SelectionBar selected={list.count(target)} onClear={selected.clear}>
      {!isEverything && overview.length > 0 && (
        <Button kind="quiet" onClick={cursor === null ? selected.selectLoaded : selected.selectAll}>
          Select {list.count('all')}
        </Button>
      )}
      <Actions inbox={inbox} target={target} rows={selected.rows} />
    </SelectionBar>
  );
}
