import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** A part of a view under its heading; `isSplit`: the heading is beside the content where there is room, as in a form. */
export function Section({
  title,
  hint,
  actions,
  isSplit,
  children,
}: {
  title: ComponentChildren;
  /** A sentence about the section, below the heading. */
  hint?: ComponentChildren;
  /** At the end of the heading's line. */
  actions?: ComponentChildren;
  isSplit?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <section class={isSplit ? 'card split' : 'card'} aria-labelledby={id}>
      <div class="spread">
        <div>
          <h2 id={id}>{title}</h2>
          {hint && <div class="muted">{hint}</div>}
        </div>
        {actions}
      </div>
      <div class="stack">{children}</div>
    </section>
  );
}
