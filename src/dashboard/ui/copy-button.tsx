import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/chosen-texts.ts';
import { Button } from './button.tsx';
import { say } from './say.tsx';

/** "Copied" is shown for so long: one look is enough. */
const COPIED_MS = 2_500;

/** Copies a text, and says so in its own place. */
export function CopyButton({
  text,
  of,
  kind = 'quiet',
  children,
}: {
  text: string;
  of?: string | undefined;
  kind?: 'plain' | 'quiet';
  children: ComponentChildren;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      say(t.bar.copying.notAllowed);
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return (
    <>
      <Button kind={kind} icon={isCopied ? 'done' : 'copy'} of={of} onClick={copy}>
        {children}
      </Button>
      <span role="status" class="unseen">
        {isCopied && t.bar.copying.copied}
      </span>
    </>
  );
}
