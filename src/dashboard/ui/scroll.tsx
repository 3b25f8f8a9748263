import type { ComponentChildren, JSX } from 'preact';

/** A part that scrolls by itself, also by the keyboard. */
export const Scroll = ({
  label,
  isTall,
  children,
}: {
  label: string;
  /** As high as it needs to be, up to a limit. */
  isTall?: boolean;
  children: ComponentChildren;
}): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus.
  <section class={isTall ? 'scroll tall' : 'scroll'} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
