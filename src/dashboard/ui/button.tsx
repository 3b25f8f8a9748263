import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { say } from './say.tsx';

/** "Copied" is shown for so long: one look is enough. */
const COPIED_MS = 2_500;

type ContentProps = {
  icon?: IconName;
  /** For people who don't see the row that it is in. */
  of?: string | undefined;
  children: ComponentChildren;
};

const Content = ({ icon, of, children }: ContentProps): JSX.Element => (
  <>
    {icon && <Icon name={icon} />}
    <span>
      {children}
      {of !== undefined && <span class="unseen"> {of}</span>}
    </span>
  </>
);

export type ButtonProps = ContentProps & {
  /** `main`: what one came for, at most one in a view. `danger`: it deletes. `quiet`: everything else in a row. */
  kind?: 'main' | 'plain' | 'quiet' | 'danger';
  isBusy?: boolean;
  onClick?: () => unknown;
};

/** A button; without `onClick` it submits its form. */
export const Button = ({ kind = 'plain', isBusy, onClick, ...content }: ButtonProps): JSX.Element => (
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
    <Content {...content} />
  </button>
);

/** A link that looks like a button. */
export const ButtonLink = ({
  kind = 'plain',
  href,
  isElsewhere,
  ...content
}: ContentProps & { kind?: ButtonProps['kind']; href: string; isElsewhere?: boolean }): JSX.Element => (
  <a class={`button ${kind}`} href={href} {...(isElsewhere && { target: '_blank', rel: 'noopener' })}>
    <Content {...content} />
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
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      say('The browser did not allow copying: select the text, and copy it by hand.');
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
        {isCopied && 'Copied'}
      </span>
    </>
  );
}
