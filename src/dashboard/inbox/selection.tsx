import type { ComponentChildren, JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import type { Inbox } from './inbox-state.ts';
import { readOrUnread, starOrUnstar, type Target } from './submission-changes.ts';

type Props = { inbox: Inbox; target: Target };

/** Buttons that change submissions; on a phone, some are in a menu. */
export function Actions({ inbox: { act }, target }: Props): JSX.Element {
  const [star, read] = [starOrUnstar(target.rows), readOrUnread(target.rows)];
  const rest = (
    <>
      <Button kind="quiet" icon="star" onClick={() => act(star, target)}>
        {star === 'star' ? 'Star' : 'Remove star'}
      </Button>
      {/* The folder for spam has no room for all. */}
      {!target.isAll && (
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
  const isEverything = selected.isAll || (cursor === null && selected.rows.length === rows.length);
  return (
    <SelectionBar selected={list.count(selected)} onClear={selected.clear}>
      {!isEverything && overview.length > 0 && (
        <Button kind="quiet" onClick={cursor === null ? selected.selectLoaded : selected.selectAll}>
          Select {list.count({ ...selected, isAll: true })}
        </Button>
      )}
      <Actions inbox={inbox} target={selected} />
    </SelectionBar>
  );
}
