import type { JSX } from 'preact';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';

const SHORTCUTS = [
  ['j', 'Next, older submission'],
  ['k', 'Previous, newer submission'],
  ['Home', 'Newest submission'],
  ['End', 'Oldest submission that is loaded'],
  ['Enter', 'Open'],
  ['Esc', 'Back to the list, or select none'],
  ['e', 'Mark as read or unread'],
  ['s', 'Star'],
  ['x', 'Select'],
  ['#', 'Delete'],
  ['/', 'Search'],
  ['?', 'This help'],
] as const;

/** What the keys do. They can be switched off, for people who dictate. */
export const Help = ({
  isOpen,
  isOn,
  onSwitch,
  onClose,
}: {
  isOpen: boolean;
  isOn: boolean;
  onSwitch(isOn: boolean): void;
  onClose(): void;
}): JSX.Element => (
  <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
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
    <Checkbox label="Use shortcuts of one key" isOn={isOn} onChange={onSwitch} />
    <div class="buttons end">
      <Button onClick={onClose}>Close</Button>
    </div>
  </Dialog>
);
