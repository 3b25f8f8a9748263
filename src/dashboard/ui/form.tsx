import type { ComponentChildren, JSX } from 'preact';

/** A form that a script submits, and whose fields say themselves what is wrong. */
export const Form = ({
  class: className,
  labelledBy,
  onSubmit,
  children,
}: {
  class?: string | undefined;
  labelledBy?: string;
  onSubmit(): unknown;
  children: ComponentChildren;
}): JSX.Element => (
  <form
    noValidate
    class={className}
    aria-labelledby={labelledBy}
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
