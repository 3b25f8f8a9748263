import type { ComponentChildren, JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Icon, type IconName } from './icon.tsx';
import { unseen } from './unseen.tsx';

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
      {of === undefined ? (
        children
      ) : (
        <Rich text={t.bar.buttonOf} with={{ label: <>{children}</>, of: <>{of}</>, unseen }} />
      )}
    </span>
  </>
);

export type ButtonProps = ContentProps & {
  /** `main`: what one came for, at most one in a view. `danger`: it deletes. `quiet`: everything else in a row. */
  kind?: 'main' | 'plain' | 'quiet' | 'danger';
  isBusy?: boolean;
  /** It does nothing yet. */
  isOff?: boolean;
  /** The id of the form that it submits, if it is outside. */
  form?: string | undefined;
  onClick?: () => unknown;
};

/** A button; without `onClick` it submits its form. */
export const Button = ({ kind = 'plain', isBusy, isOff, form, onClick, ...content }: ButtonProps): JSX.Element => (
  <button
    type={onClick ? 'button' : 'submit'}
    form={form}
    class={`button ${kind}`}
    aria-disabled={isBusy || isOff ? true : undefined}
    aria-busy={isBusy ? true : undefined}
    onClick={(event) => {
      if (isBusy || isOff) event.preventDefault();
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
