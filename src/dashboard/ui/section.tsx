import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** A part of a view under its heading; `isSplit`: the heading is beside the content where there is room, as in a form. */
export function Section({
  title,
  hint,
  isSplit,
  children,
}: {
  title: ComponentChildren;
  /** A sentence about the section, below the heading. */
  hint?: ComponentChildren;
  isSplit?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <section class={isSplit ? 'card split' : 'card'} aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint && <div class="muted">{hint}</div>}
      </div>
      <div class="stack">{children}</div>
    </section>
  );
}
