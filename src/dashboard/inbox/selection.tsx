import type { JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { ActionRow, type MenuAction } from '../ui/menu.tsx';
import type { Inbox } from './inbox.ts';
import { readOrUnread, starOrUnstar, type Target } from './list.ts';
import type { Submission } from './submissions.ts';

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

/** The actions on the rows that are selected, at the bottom of the screen. */
export function Selection({ inbox }: { inbox: Inbox }): JSX.Element {
  const { overview, list, selected, isNarrow } = inbox;
  const { rows, cursor } = list.state.value;
  const target = selected.isAll ? 'all' : selected.rows;
  const canSelectAll =
    overview.length > 0 && !selected.isAll && selected.rows.length === rows.length && cursor !== null;
  return (
    <fieldset class="selection" aria-label="Selection">
      <p role="status">{list.count(target)} selected</p>
      {canSelectAll && (
        <Button kind="quiet" onClick={selected.selectAll}>
          Select {list.count('all')}
        </Button>
      )}
      <ActionRow actions={actionsOn(inbox, target, selected.rows)} {...(isNarrow && { room: 2 })} />
      <Button kind="quiet" icon="close" onClick={selected.clear}>
        <span class="unseen">Select none</span>
      </Button>
    </fieldset>
  );
}
