import type { ComponentChildren, JSX } from 'preact';
import type { Change } from '../data.ts';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { NotSaved, Saved } from './states.tsx';

/** A form with a button that saves it, and with what became of that. */
export const SavingForm = ({
  change,
  isChanged,
  onSave,
  class: className,
  children,
}: {
  change: Change;
  /** Whether there is something to save: *Saved* is no longer true then. */
  isChanged: boolean;
  onSave(): unknown;
  class?: string;
  children: ComponentChildren;
}): JSX.Element => (
  <Form class={className} onSubmit={onSave}>
    {children}
    <div class="stack">
      <NotSaved change={change} />
      <div class="buttons end">
        {!isChanged && <Saved change={change} />}
        <Button kind="main" isBusy={change.state === 'saving'}>
          Save
        </Button>
      </div>
    </div>
  </Form>
);
