import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

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
  isOn = false,
  kind = 'toggle',
  children,
}: {
  label: ComponentChildren;
  /** Something in it is chosen. */
  isOn?: boolean;
  /** `quiet`: in a row with other quiet buttons. */
  kind?: 'toggle' | 'quiet';
  children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  // A list has a menu in each row. What was chosen in one may still be asking, or running, when it is closed.
  const [wasOpened, setOpened] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button ${kind}`}
        popovertarget={id}
        aria-current={isOn ? 'true' : undefined}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: what is pressed is a control in it. */}
      <div
        id={id}
        popover="auto"
        class="menu"
        onBeforeToggle={({ currentTarget }) => {
          setOpened(true);
          if (button.current) place(currentTarget, button.current);
        }}
        onClick={({ target, currentTarget }) => {
          if (target instanceof Element && target.closest('a, button')) currentTarget.hidePopover();
        }}
      >
        {wasOpened && children}
      </div>
    </>
  );
}
