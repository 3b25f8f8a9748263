import type { ComponentChildren, JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { ActionRow, type MenuAction } from '../ui/menu.tsx';
import type { Inbox } from './inbox.ts';
import { readOrUnread, starOrUnstar, type Target } from './list.ts';
import type { Submission } from './submissions.ts';

/** The actions on the rows that are selected, at the bottom of the screen. */
export const SelectionBar = ({
  selected,
  actions,
  room = actions.length,
  onClear,
  children,
}: {
  /** The rows that are selected, in words. */
  selected: string;
  actions: readonly MenuAction[];
  /** How many of the actions are buttons; the rest is in a menu. */
  room?: number;
  onClear(): void;
  children?: ComponentChildren;
}): JSX.Element => (
  <fieldset class="selection" aria-label="Selection">
    <p role="status">{selected} selected</p>
    {children}
    <ActionRow actions={actions} room={room} />
    <Button kind="quiet" icon="close" onClick={onClear}>
      <span class="unseen">Select none</span>
    </Button>
  </fieldset>
);

/** The changes of submissions, or of all that are found; `rows`: those that are known of them. */
export function actionsOn({ act }: Inbox, target: Target, rows: readonly Submission[]): MenuAction[] {
  const [star, read] = [starOrUnstar(rows), readOrUnread(rows)];
  return [
    { label: 'Delete', icon: 'trash', run: () => act('delete', target) },
    { label: read === 'read' ? 'Mark read' : 'Mark unread', run: () => act(read, target) },
    { label: star === 'star' ? 'Star' : 'Remove star', icon: 'star', run: () => act(star, target) },
    // The folder for spam has no room for all.
    ...(target === 'all' ? [] : [{ label: 'Spam', icon: 'warning', run: () => act('spam', target) } as const]),
  ];
}

export function Selection({ inbox }: { inbox: Inbox }): JSX.Element {
  const { overview, list, selected, isNarrow } = inbox;
  const { rows, cursor } = list.state.value;
  const target = selected.isAll ? 'all' : selected.rows;
  const canSelectAll =
    overview.length > 0 && !selected.isAll && selected.rows.length === rows.length && cursor !== null;
  return (
    <SelectionBar
      selected={list.count(target)}
      actions={actionsOn(inbox, target, selected.rows)}
      {...(isNarrow && { room: 2 })}
      onClear={selected.clear}
    >
      {canSelectAll && (
        <Button kind="quiet" onClick={selected.selectAll}>
          Select {list.count('all')}
        </Button>
      )}
    </SelectionBar>
  );
}
