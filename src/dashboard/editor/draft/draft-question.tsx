import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Time } from '../../ui/time.tsx';
import type { Drafted } from './use-page-draft.ts';

/** Asks which draft goes on, once the account has got another one than this tab. */
export function DraftQuestion({ drafted: { state, choose } }: { drafted: Drafted }): JSX.Element | false {
  if (state.state !== 'conflict') return false;
  const { other } = state;
  const { title, text, copy, useMine, useOther } = t.editor.draft.newer;
  return (
    <Dialog title={title}>
      <p>
        <Rich text={text} with={{ time: <Time at={other.updatedAt} /> }} />
      </p>
      <div class="buttons end">
        <CopyButton text={other.html}>{copy}</CopyButton>
        <Button onClick={() => choose('mine')}>{useMine}</Button>
        <Button onClick={() => choose('other')}>{useOther}</Button>
      </div>
    </Dialog>
  );
}
