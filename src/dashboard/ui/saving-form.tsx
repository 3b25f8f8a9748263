import type { ComponentChildren, JSX } from 'preact';
import type { Change } from '../data.ts';
import { Form, FormEnd } from './form.tsx';
import { Saved } from './states.tsx';

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
    <FormEnd change={change} button="Save">
      {!isChanged && <Saved change={change} />}
    </FormEnd>
  </Form>
);
