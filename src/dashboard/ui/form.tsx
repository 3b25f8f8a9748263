import type { ComponentChildren, JSX } from 'preact';
import type { Change } from '../data.ts';
import { may, type Needs } from '../permissions.ts';
import { t } from '../texts/chosen-texts.ts';
import { Button, type ButtonProps } from './button.tsx';
import { NotSaved, Saved } from './states.tsx';

/** A form that a script submits, and whose fields say themselves what is wrong. */
export const Form = ({
  class: className,
  id,
  needs,
  onSubmit,
  children,
}: {
  /** What it calls: people who may not do so don't see it. */
  needs: Needs;
  id?: string;
  class?: string | undefined;
  onSubmit(): unknown;
  children: ComponentChildren;
}): JSX.Element | false =>
  may(needs) && (
    <form
      noValidate
      class={className}
      id={id}
      onSubmit={async (event) => {
        event.preventDefault();
        const form = event.currentTarget;
        await onSubmit();
        // The first field that is wrong may be out of sight.
        setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus());
      }}
    >
      {children}
    </form>
  );

/** The end of a form: why its change was not made, and its buttons. `children`: before them. */
export const FormEnd = ({
  change,
  kind = 'main',
  icon,
  button,
  onCancel,
  children,
}: Pick<ButtonProps, 'kind' | 'icon'> & {
  change: Change;
  button: string;
  onCancel?: () => void;
  children?: ComponentChildren;
}): JSX.Element => (
  <div class="stack form-end">
    <NotSaved change={change} />
    <div class="buttons end">
      {children}
      {onCancel && <Button onClick={onCancel}>{t.shared.cancel}</Button>}
      <Button kind={kind} {...(icon && { icon })} isBusy={change.state === 'saving'}>
        {button}
      </Button>
    </div>
  </div>
);

/** A form with a button that saves it, and with what became of that. */
export const SavingForm = ({
  needs,
  change,
  isChanged,
  onSave,
  children,
}: {
  needs: Needs;
  change: Change;
  /** True if there is something to save. The form then no longer shows *Saved*. */
  isChanged: boolean;
  onSave(): unknown;
  children: ComponentChildren;
}): JSX.Element => (
  <Form needs={needs} onSubmit={onSave}>
    {children}
    <FormEnd change={change} button={t.shared.save}>
      {!isChanged && <Saved change={change} />}
    </FormEnd>
  </Form>
);
