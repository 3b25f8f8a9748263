import type { ComponentChildren, JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { CopyButton } from './copy-button.tsx';

/** Code to copy. `children`: more buttons. */
export const Snippet = ({
  text,
  copy = t.page.snippet.copy,
  children,
}: {
  text: string;
  /** The label of the button that copies it. */
  copy?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element => (
  <>
    <pre>
      <code>{text}</code>
    </pre>
    <div class="buttons">
      <CopyButton kind="plain" text={text}>
        {copy}
      </CopyButton>
      {children}
    </div>
  </>
);
