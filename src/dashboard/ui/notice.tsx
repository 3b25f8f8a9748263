import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icon.tsx';

/** A text that stands out. `isProblem`: something is wrong. */
export const Notice = ({ isProblem, children }: { isProblem?: boolean; children: ComponentChildren }): JSX.Element => (
  <div class={isProblem ? 'notice problem' : 'notice'}>
    <Icon name="warning" />
    <div>{children}</div>
  </div>
);
