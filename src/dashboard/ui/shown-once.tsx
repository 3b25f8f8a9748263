import type { ComponentChildren, JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

/** Shows a secret that has just been made, and that nobody can see again. `children`: what to know about it. */
export const ShownOnce = ({
  title,
  secret,
  onClose,
  children,
}: {
  title: string;
  secret: string;
  onClose(): void;
  children: ComponentChildren;
}): JSX.Element => (
  <Dialog title={title} onClose={onClose}>
    <p>{children}</p>
    <pre class="secret">
      <code>{secret}</code>
    </pre>
    <div class="buttons end">
      <CopyButton kind="plain" text={secret}>
        {t.account.shownOnce.copy}
      </CopyButton>
      <Button kind="main" onClick={onClose}>
        {t.account.shownOnce.close}
      </Button>
    </div>
  </Dialog>
);
