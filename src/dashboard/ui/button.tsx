import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** "Copied" is shown for so long: one look is enough. */
const COPIED_MS = 2_500;

export type ButtonProps = {
  /** `main`: what one came for, at most one in a view. `danger`: it deletes. `quiet`: everything else in a row. */
  kind?: 'main' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  isBusy?: boolean;
  /** For people who don't see the row that it is in. */
  of?: string | undefined;
  onClick?: () => unknown;
  children: ComponentChildren;
};

/** A button; without `onClick` it submits its form. */
export const Button = ({ kind = 'plain', icon, isBusy, of, onClick, children }: ButtonProps): JSX.Element => (
  <button
    type={onClick ? 'button' : 'submit'}
    class={`button ${kind}`}
    aria-disabled={isBusy ? true : undefined}
    aria-busy={isBusy ? true : undefined}
    onClick={(event) => {
      if (isBusy) event.preventDefault();
      else onClick?.();
    }}
  >
    {icon && <Icon name={icon} />}
    <span>
      {children}
      {of !== undefined && <span class="unseen"> {of}</span>}
    </span>
  </button>
);

/** A link that looks like a button. */
export const ButtonLink = ({
  kind = 'plain',
  icon,
  of,
  href,
  isElsewhere,
  children,
}: Pick<ButtonProps, 'kind' | 'icon' | 'of' | 'children'> & { href: string; isElsewhere?: boolean }): JSX.Element => (
  <a class={`button ${kind}`} href={href} {...(isElsewhere && { target: '_blank', rel: 'noopener' })}>
    {icon && <Icon name={icon} />}
    <span>
      {children}
      {of !== undefined && <span class="unseen"> {of}</span>}
    </span>
  </a>
);

/** A button that is pressed, or not. */
export const Toggle = ({
  isOn,
  onSwitch,
  children,
}: {
  isOn: boolean;
  onSwitch(): void;
  children: ComponentChildren;
}): JSX.Element => (
  <button type="button" class="button toggle" aria-pressed={isOn} onClick={onSwitch}>
    {children}
  </button>
);

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
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      // Without https a browser has no clipboard.
      setOutcome('refused');
    }
    setTimeout(() => setOutcome(undefined), COPIED_MS);
  }
  return (
    <span class="copy">
      <Button kind={kind} icon={outcome === 'copied' ? 'done' : 'copy'} of={of} onClick={copy}>
        {children}
      </Button>
      <span role="status" class="unseen">
        {outcome === 'copied' && 'Copied'}
      </span>
      {outcome === 'refused' && <input class="copy-text" readOnly value={text} aria-label="Text to copy" />}
    </span>
  );
}
