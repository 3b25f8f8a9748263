import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** How many things are unread, in the title of the window. */
export const unread = signal(0);

/** Where the focus goes when what had it is gone: once the dialog that asked is closed, which gives the focus back. */
export const focusHeading = (): void => {
  setTimeout(() => document.querySelector('h1')?.focus());
};

/** A view with its heading, which gets the focus after a navigation, so that screen readers say where one is. */
export function View({
  title,
  name,
  of,
  actions,
  isNarrow,
  children,
}: {
  title: string;
  /** The page that it is about, in the title of the window. */
  name?: string | undefined;
  /** What it is about, above the heading. */
  of?: ComponentChildren;
  actions?: ComponentChildren;
  /** For forms and texts. */
  isNarrow?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const count = unread.value === 0 ? '' : `(${unread.value}) `;
    document.title = count + [title, ...(name === undefined ? [] : [name]), 'formhost'].join(' · ');
  }, [title, name, unread.value]);
  useEffect(() => {
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
