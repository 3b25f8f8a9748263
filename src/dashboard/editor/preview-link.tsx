import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ActionButton } from '../ui/action-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';

/** Makes a preview of what is typed, and shows its secret address until something else is typed. `make` returns the address. */
export function PreviewLink({ html, make }: { html: string; make(): Promise<string> }): JSX.Element {
  const [made, setMade] = useState<{ html: string; url: string }>();
  return (
    <>
      {made?.html === html && (
        <>
          <a href={made.url} target="_blank" rel="noreferrer">
            Open the preview
          </a>
          <CopyButton text={made.url}>Copy its address</CopyButton>
        </>
      )}
      <ActionButton
        needs="PUT /deploy/{id}"
        isRepeatable
        run={async () => setMade({ html, url: await make() })}
        done="The preview is at an address of its own. The live page is as it was, and the preview’s form sends tests."
      >
        Preview link
      </ActionButton>
    </>
  );
}
