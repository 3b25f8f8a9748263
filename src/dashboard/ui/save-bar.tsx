import type { JSX } from 'preact';
import type { Change } from '../data.ts';
import { Button } from './button.tsx';
import './save-bar.css';
import { whyNotSaved } from './states.tsx';
import { counted } from './time.tsx';

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
      <span role="status">{counted(count, 'change')}</span>
      <span role="alert" class="save-problem">
        {change.state === 'failed' && (
          <>
            <strong>Not saved</strong>: {whyNotSaved(change)}
          </>
        )}
      </span>
      <div class="buttons">
        <Button kind="quiet" onClick={onDiscard}>
          Discard
        </Button>
        <Button kind="main" form={form} isBusy={change.state === 'saving'}>
          Save
        </Button>
      </div>
    </div>
  );
