import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Places a menu at its button, towards the middle of the screen. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { top, right, bottom, left } = button.getBoundingClientRect();
  const isBelow = top < innerHeight / 2;
  const isAtStart = left < innerWidth / 2;
  menu.style.top = isBelow ? `${bottom}px` : 'auto';
  menu.style.bottom = isBelow ? 'auto' : `${innerHeight - top}px`;
  menu.style.left = isAtStart ? `${left}px` : 'auto';
  menu.style.right = isAtStart ? 'auto' : `${innerWidth - right}px`;
}

/** Opens a part over the view. It closes with a choice in it, with Escape, and with a press elsewhere. */
export function Menu({
  label,
  icon,
  isOn = false,
  children,
}: {
  label: string;
  /** In place of the label, which is for people who do not see it. */
  icon?: IconName;
  /** Something in it is chosen. */
  isOn?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button toggle"
        popovertarget={id}
        aria-current={isOn ? 'true' : undefined}
        aria-label={icon && label}
      >
        {icon ? <Icon name={icon} /> : label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: what is pressed is a control in it. */}
      <div
        id={id}
        popover="auto"
        class="menu"
        onBeforeToggle={({ currentTarget }) => button.current && place(currentTarget, button.current)}
        onClick={({ target, currentTarget }) => {
          if (target instanceof Element && target.closest('a, button')) currentTarget.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

export type MenuAction = { label: string; icon?: IconName; run(): unknown };

/** Buttons in a row, as many as there is room for; the rest is in a menu. */
export function ActionRow({
  actions,
  room = actions.length,
}: {
  actions: readonly MenuAction[];
  room?: number;
}): JSX.Element {
  const buttons = actions.map(({ label, icon, run }) => (
    <Button key={label} kind="quiet" {...(icon && { icon })} onClick={run}>
      {label}
    </Button>
  ));
  return (
    <>
      {buttons.slice(0, room)}
      {buttons.length > room && (
        <Menu label="More" icon="more">
          {buttons.slice(room)}
        </Menu>
      )}
    </>
  );
}
