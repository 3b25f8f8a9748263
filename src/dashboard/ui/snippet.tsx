import type { ComponentChildren, JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

/** Code to copy. `children`: more buttons. */
export const Snippet = ({ text, children }: { text: string; children?: ComponentChildren }): JSX.Element => (
  <>
    <pre>
      <code>{text}</code>
    </pre>
    <div class="buttons">
      <CopyButton kind="plain" text={text}>
        Copy
      </CopyButton>
      {children}
    </div>
  </>
);
