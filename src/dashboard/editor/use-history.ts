import { useRef } from 'preact/hooks';
import { EditHistory } from './source/edit-history.ts';

export type Edited = {
  canUndo: boolean;
  canRedo: boolean;
  /** Changes with one `step`, one after another, are undone together. */
  change(text: string, step?: string): void;
  undo(): void;
  redo(): void;
};

/** Makes the changes of a text, and takes them back. A change from outside is a step of its own. */
export function useHistory(text: string, onChange: (text: string) => void): Edited {
  const kept = useRef<EditHistory>(undefined);
  kept.current ??= new EditHistory(text);
  const history = kept.current;
  const lastStep = useRef<string>(undefined);
  if (history.html !== text) {
    history.push(text);
    lastStep.current = undefined;
  }
  function change(changed: string, step?: string): void {
    if (step !== undefined && step === lastStep.current) history.undo();
    history.push(changed);
    lastStep.current = step;
    onChange(changed);
  }
  function go(became: string): void {
    lastStep.current = undefined;
    onChange(became);
  }
  return {
    ...{ canUndo: history.canUndo, canRedo: history.canRedo, change },
    undo: () => go(history.undo()),
    redo: () => go(history.redo()),
  };
}
