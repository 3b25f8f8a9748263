import type { JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { counted } from '../ui/time.tsx';
import { save, toCsv } from './export.ts';
import type { Inbox } from './inbox.ts';
import { idsOf } from './list.ts';

/** What can be done with the submissions that are selected. */
export function Selection({ inbox: { page, list, labels, selected, remove } }: { inbox: Inbox }): JSX.Element {
  const ids = idsOf(selected.rows);
  return (
    <fieldset class="buttons selection" aria-label="Selection">
      <p role="status">{counted(ids.length, 'submission')} selected</p>
      <Button kind="quiet" onClick={() => list.mark('read', ids)}>
        Mark read
      </Button>
      <Button kind="quiet" onClick={() => list.mark('unread', ids)}>
        Mark unread
      </Button>
      <Button kind="quiet" icon="star" onClick={() => list.toggleStar(selected.rows)}>
        Star
      </Button>
      <Button kind="quiet" icon="warning" onClick={() => remove(ids, 'spam')}>
        Spam
      </Button>
      <Button kind="quiet" icon="trash" onClick={() => remove(ids, 'delete')}>
        Delete
      </Button>
      <Button kind="quiet" onClick={() => save(toCsv(selected.rows, labels), `${page.slug}-selection.csv`)}>
        Export selection
      </Button>
      <Button kind="quiet" icon="close" onClick={selected.clear}>
        Select none
      </Button>
    </fieldset>
  );
}
