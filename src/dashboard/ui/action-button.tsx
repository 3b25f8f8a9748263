import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../data.ts';
import { may, type Needs } from '../permissions.ts';
import { Button, type ButtonProps } from './button.tsx';
import { ConfirmDialog, type Question } from './dialog.tsx';
import { say } from './say.tsx';
import { NotSaved } from './states.tsx';
import { useAttention } from './use-attention.ts';
import { focusHeading } from './view.tsx';

type Props = Pick<ButtonProps, 'kind' | 'icon' | 'of'> & {
  children: ComponentChildren;
  /** What it calls: people who may not do so don't see it. */
  needs: Needs;
  /** The question before the action; without it, it is done at once. */
  ask?: Question;
  /** Making the change twice does no harm. */
  isRepeatable?: boolean;
  /** The button's subject is gone afterwards, and the focus with it. */
  isRemoving?: boolean;
  /** Another site may lead a person here to press it without having read what it does. */
  isGuarded?: boolean;
  run(): Promise<unknown>;
  /** The message afterwards. */
  done?: string;
  onDone?(): void;
};

/** A button that makes a change: it asks first where that is needed, and says what became of it. */
export function ActionButton({
  needs,
  ask,
  isRepeatable = false,
  isRemoving,
  isGuarded = false,
  run,
  done,
  onDone,
  ...button
}: Props): JSX.Element | null {
  const [isAsked, setAsked] = useState(false);
  const { change, run: make, clear } = useChange({ isRepeatable });
  const { hasAttention, check } = useAttention(isGuarded);
  async function act(): Promise<void> {
    if (!(await make(async () => void (await run())))) return;
    setAsked(false);
    if (done !== undefined) say(done);
    onDone?.();
    if (isRemoving) focusHeading();
  }
  function press(): unknown {
    if (!check()) return undefined;
    if (!ask) return act();
    clear();
    return setAsked(true);
  }
  if (!may(needs)) return null;
  return (
    <>
      <Button {...button} isBusy={!isAsked && change.state === 'saving'} isOff={!hasAttention} onClick={press} />
      {!ask && <NotSaved change={change} />}
      {ask && isAsked && <ConfirmDialog {...ask} change={change} onConfirm={act} onClose={() => setAsked(false)} />}
    </>
  );
}
