import type { ComponentChildren, JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

/** Code to copy. `children`: more buttons. */
export const Snippet = ({
  text,
  of,
  children,
}: {
  text: string;
  /** Says what it is to people who don't see what is around it. */
  of?: string;
  children?: ComponentChildren;
}): JSX.Element => (
  <>
    <pre>
      <code>{text}</code>
    </pre>
    <div class="buttons">
      <CopyButton kind="plain" text={text} of={of}>
        Copy
      </CopyButton>
      {children}
    </div>
  </>
);
