import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../data.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';
import type { Changes } from './changes.ts';
import { exportSelection, save } from './export.ts';
import type { Labels } from './labels.ts';

/** What can be done with the submissions that are selected. */
export function Selection({
  id,
  slug,
  ids,
  labels,
  changes,
  onStar,
  onRemove,
  onClear,
}: {
  id: string;
  slug: string;
  ids: readonly string[];
  labels: Labels;
  changes: Changes;
  onStar(): void;
  onRemove(action: 'delete' | 'spam'): void;
  onClear(): void;
}): JSX.Element {
  const [isExporting, setExporting] = useState(false);
  async function exportSelected(): Promise<void> {
    setExporting(true);
    try {
      save(await exportSelection(id, ids, labels), `${slug}-selection.csv`);
    } catch (error) {
      say(`Not exported: ${error instanceof Error ? error.message : error}`);
    }
    setExporting(false);
  }
  return (
    <fieldset class="buttons selection" aria-label="Selection">
      <p role="status">{counted(ids.length, 'submission')} selected</p>
      <Button kind="quiet" onClick={() => changes.mark('read', ids)}>
        Mark read
      </Button>
      <Button kind="quiet" onClick={() => changes.mark('unread', ids)}>
        Mark unread
      </Button>
      <Button kind="quiet" icon="star" onClick={onStar}>
        Star
      </Button>
      <Button kind="quiet" icon="warning" onClick={() => onRemove('spam')}>
        Spam
      </Button>
      <Button kind="quiet" icon="trash" onClick={() => onRemove('delete')}>
        Delete
      </Button>
      <Button kind="quiet" isBusy={isExporting} onClick={exportSelected}>
        Export selection
      </Button>
      <Button kind="quiet" icon="close" onClick={onClear}>
        Select none
      </Button>
    </fieldset>
  );
}

/** Asks before submissions are deleted. */
export function DeleteDialog({
  ids,
  changes,
  onDone,
  onClose,
}: {
  ids: readonly string[];
  changes: Changes;
  onDone(): void;
  onClose(): void;
}): JSX.Element {
  const { change, run } = useChange();
  return (
    <ConfirmDialog
      title={`Delete ${counted(ids.length, 'submission')}?`}
      text="Their files are deleted too. Nobody can restore them afterwards."
      button="Delete"
      change={change}
      onConfirm={async () => {
        if (await run(() => changes.remove('delete', ids))) onDone();
      }}
      onClose={onClose}
    />
  );
}
