import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../texts/chosen-texts.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import type { Edited } from './use-history.ts';

/** Fields and the code have keys of their own. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog, .code-editor') !== null;

const HistoryButton = ({
  icon,
  label,
  isPossible,
  onClick,
}: {
  icon: IconName;
  label: string;
  isPossible: boolean;
  onClick(): void;
}): JSX.Element => (
  // It keeps the focus when there is nothing more to take back.
  <button
    type="button"
    class="button quiet icon-only"
    aria-label={label}
    title={label}
    aria-disabled={!isPossible}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);

/** Takes back changes of the page, wherever they were made, and makes them again; by keys too. */
export function UndoButtons({ canUndo, canRedo, undo, redo }: Edited): JSX.Element {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event)) return;
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'z' && !event.shiftKey) undo();
      else redo();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return (
    <div class="buttons">
      <HistoryButton icon="undo" label={t.editor.undo} isPossible={canUndo} onClick={undo} />
      <HistoryButton icon="redo" label={t.editor.redo} isPossible={canRedo} onClick={redo} />
    </div>
  );
}
