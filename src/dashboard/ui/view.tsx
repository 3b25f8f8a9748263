import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** Where the focus goes when what had it is gone. */
export const focusHeading = (): void => document.querySelector('h1')?.focus();

/** A view with its heading, which gets the focus after a navigation, so that screen readers say where one is. */
export function View({
  title,
  of,
  actions,
  isNarrow,
  children,
}: {
  title: string;
  /** What it is about: the title of a page, above the heading and in the title of the window. */
  of?: ComponentChildren;
  actions?: ComponentChildren;
  /** For forms and texts. */
  isNarrow?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · formhost`;
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, [title]);
  return (
    <div class={isNarrow ? 'view narrow' : 'view'}>
      <div class="view-head">
        <div class="view-title">
          {of}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
