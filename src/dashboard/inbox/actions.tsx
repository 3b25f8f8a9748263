import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../data.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { say } from '../ui/say.tsx';
import type { Inbox } from './inbox-state.ts';
import { focusRow } from './inbox-table.tsx';
import type { Action, Target } from './submission-changes.ts';
import type { SubmissionList } from './submission-list.ts';

/** Changes submissions of these pages at once; deletes them once `question` is answered. */
export function useActions(
  list: SubmissionList,
  pageIds: readonly string[],
  onRemoved: () => void,
): { act: Inbox['act']; question: JSX.Element | undefined } {
  const [deleting, setDeleting] = useState<Target>();
  const { change, run, clear } = useChange();

  /** Goes on at the place of the first one that was removed. */
  async function actNow(action: Action, of: Target): Promise<void> {
    const index = list.state.value.rows.findIndex(({ id }) => id === of.rows[0]?.id);
    await list.change(action, of, pageIds);
    if (action !== 'delete' && action !== 'spam') return;
    onRemoved();
    const { rows } = list.state.value;
    const next = rows[Math.max(0, Math.min(index, rows.length - 1))];
    // A dialog that closes gives the focus back first.
    if (next) setTimeout(() => focusRow(next.id));
  }
  return {
    act(action, of) {
      if (of.rows.length === 0) return;
      clear();
      if (action === 'delete') setDeleting(of);
      else actNow(action, of).catch((error) => say(`Not saved: ${error.message}`));
    },
    question: deleting && (
      <ConfirmDialog
        title={`Delete ${list.count(deleting)}?`}
        text="Files are deleted too. Nobody can restore anything afterwards."
        button="Delete"
        change={change}
        onConfirm={async () => {
          if (await run(() => actNow('delete', deleting))) setDeleting(undefined);
        }}
        onClose={() => setDeleting(undefined)}
      />
    ),
  };
}
