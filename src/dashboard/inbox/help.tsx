import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';

const SHORTCUTS = [
  ['j', 'Next, older submission'],
  ['k', 'Previous, newer submission'],
  ['Enter', 'Open'],
  ['Esc', 'Back to the list, or select none'],
  ['e', 'Mark as read or unread'],
  ['s', 'Star'],
  ['x', 'Select'],
  ['#', 'Delete'],
  ['/', 'Search'],
  ['?', 'This help'],
] as const;

const SHORTCUTS_OFF = 'shortcuts-off';

/** Whether keys that are letters do something. People who dictate switch them off. */
export const hasShortcuts = signal(localStorage.getItem(SHORTCUTS_OFF) === null);

function switchShortcuts(isOn: boolean): void {
  hasShortcuts.value = isOn;
  if (isOn) localStorage.removeItem(SHORTCUTS_OFF);
  else localStorage.setItem(SHORTCUTS_OFF, '1');
}

const isOpen = signal(false);

export const showHelp = (isShown = true): void => {
  isOpen.value = isShown;
};

/** Says what the keys do. */
export const Help = (): JSX.Element => (
  <Dialog title="Keyboard shortcuts" isOpen={isOpen.value} onClose={() => showHelp(false)}>
    <dl class="shortcuts stack">
      {SHORTCUTS.map(([key, effect]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
    <Checkbox label="Use shortcuts of one key" isOn={hasShortcuts.value} onChange={switchShortcuts} />
    <div class="buttons end">
      <Button onClick={() => showHelp(false)}>Close</Button>
    </div>
  </Dialog>
);
