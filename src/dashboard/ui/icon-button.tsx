import type { JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Content = { icon: IconName; label: string };

/** A button that is a picture; its name is shown to those who point at it. `isOn`: it is pressed, or not. */
export const IconButton = ({
  icon,
  label,
  isOn,
  onClick,
}: Content & { isOn?: boolean; onClick(): unknown }): JSX.Element => (
  <button
    type="button"
    class="button quiet icon-only"
    aria-label={label}
    title={label}
    aria-pressed={isOn}
    onClick={() => onClick()}
  >
    <Icon name={icon} />
  </button>
);

/** A link that is a picture. */
export const IconLink = ({ icon, label, href }: Content & { href: string }): JSX.Element => (
  <a class="button quiet icon-only" href={href} aria-label={label} title={label}>
    <Icon name={icon} />
  </a>
);
