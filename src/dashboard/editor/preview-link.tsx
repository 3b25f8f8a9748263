import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/chosen-texts.ts';
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
            {t.editor.preview.open}
          </a>
          <CopyButton text={made.url}>{t.editor.preview.copyAddress}</CopyButton>
        </>
      )}
      <ActionButton
        needs="PUT /deploy/{id}"
        isRepeatable
        run={async () => setMade({ html, url: await make() })}
        done={t.editor.preview.made}
      >
        {t.editor.preview.link}
      </ActionButton>
    </>
  );
}
