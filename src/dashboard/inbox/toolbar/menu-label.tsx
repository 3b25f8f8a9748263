import type { JSX } from 'preact';
import { Icon, type IconName } from '../../ui/icon.tsx';

/** The name of a menu in the toolbar, of which a picture stays where there is no room for words. */
export const MenuLabel = ({ icon, text }: { icon: IconName; text: string }): JSX.Element => (
  <>
    <Icon name={icon} />
    <span title={text}>{text}</span>
  </>
);
