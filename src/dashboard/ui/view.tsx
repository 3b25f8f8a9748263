import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { unseen } from './unseen.tsx';

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
  page,
  actions,
  children,
}: {
  title: string;
  /** The page that the view is about: its name is the heading that people see. Without a name, it is being read. */
  page?: { name: string; address?: JSX.Element | undefined };
  actions?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const count = unread.value === 0 ? '' : `(${unread.value}) `;
    document.title = count + [title, ...(page?.name ? [page.name] : []), 'formhost'].join(' · ');
  }, [title, page?.name, unread.value]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, [title]);
  return (
    <div class="view">
      <div class="view-head">
        <h1 ref={heading} tabIndex={-1}>
          {page ? (
            <Rich
              text={t.bar.viewOfPage}
              with={{ view: <>{title}</>, page: <bdi title={page.name}>{page.name}</bdi>, unseen }}
            />
          ) : (
            title
          )}
        </h1>
        {page?.address}
        {actions && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
