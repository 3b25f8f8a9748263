import type { JSX } from 'preact';
import type { Change } from '../data.ts';
import { counted, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Button } from './button.tsx';
import './save-bar.css';
import { whyNotSaved } from './states.tsx';

/** Saves or discards all changes of a view. It is there while there are some. */
export const SaveBar = ({
  form,
  count,
  change,
  onDiscard,
}: {
  /** The id of the form with the changes. */
  form: string;
  count: number;
  change: Change;
  onDiscard(): void;
}): JSX.Element | null =>
  count === 0 ? null : (
    <div class="save-bar">
      <span role="status">{counted(t.bar.unsaved.count, count)}</span>
      <span role="alert" class="save-problem">
        {change.state === 'failed' && <Rich text={t.shared.notSaved} with={{ why: <>{whyNotSaved(change)}</> }} />}
      </span>
      <div class="buttons">
        <Button kind="quiet" onClick={onDiscard}>
          {t.bar.unsaved.discard}
        </Button>
        <Button kind="main" form={form} isBusy={change.state === 'saving'}>
          {t.shared.save}
        </Button>
      </div>
    </div>
  );
