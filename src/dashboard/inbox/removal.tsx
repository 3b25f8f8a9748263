import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../data.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';
import type { Inbox } from './inbox.ts';
import type { SubmissionList } from './list.ts';
import { focusRow } from './table.tsx';

/** Moves submissions to spam at once; deletes them once `question` is answered. */
export function useRemoval(
  list: SubmissionList,
  onRemoved: (ids: readonly string[]) => void,
): { remove: Inbox['remove']; question: JSX.Element | undefined } {
  const [deleting, setDeleting] = useState<readonly string[]>();
  const { change, run, clear } = useChange();

  /** Goes on at the place of the first one that was removed. */
  async function removeNow(ids: readonly string[], action: 'delete' | 'spam'): Promise<void> {
    const index = list.state.value.rows.findIndex((row) => ids.includes(row.id));
    await list.remove(action, ids);
    onRemoved(ids);
    const { rows } = list.state.value;
    const next = rows[Math.max(0, Math.min(index, rows.length - 1))];
    // A dialog that closes gives the focus back first.
    if (next) setTimeout(() => focusRow(next.id));
  }
  return {
    remove(ids, action) {
      clear();
      if (action === 'delete' && ids.length > 0) setDeleting(ids);
      if (action === 'spam') removeNow(ids, 'spam').catch((error) => say(`Not saved: ${error.message}`));
    },
    question: deleting && (
      <ConfirmDialog
        title={`Delete ${counted(deleting.length, 'submission')}?`}
        text="Their files are deleted too. Nobody can restore them afterwards."
        button="Delete"
        change={change}
        onConfirm={async () => {
          if (await run(() => removeNow(deleting, 'delete'))) setDeleting(undefined);
        }}
        onClose={() => setDeleting(undefined)}
      />
    ),
  };
}
