import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Button } from './button.tsx';

/** How long a message is shown. */
const MESSAGE_MS = 8_000;
/** How long one with a button, which has to be found first. */
const UNDO_MS = 30_000;

type Message = { text: string; undo?: (() => Promise<unknown>) | undefined };

const message = signal<Message | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says a sentence at the bottom of the screen, for a while. `undo`: takes back the change that the sentence is about. */
export function say(text: string, undo?: () => Promise<unknown>): void {
  clearTimeout(timer);
  message.value = { text, undo };
  timer = setTimeout(
    () => {
      message.value = undefined;
    },
    undo ? UNDO_MS : MESSAGE_MS,
  );
}

/** Undoes a change once, and says so if that is not possible. */
const takeBack = (undo: () => Promise<unknown>): void => {
  message.value = undefined;
  undo().catch((error) => say(`Not undone: ${error.message}`));
};

/** Where it is said. */
export function Said(): JSX.Element {
  const { text, undo } = message.value ?? {};
  return (
    <div role="status" class="said">
      {text !== undefined && (
        <span>
          <bdi>{text}</bdi>
          {undo && (
            <Button kind="quiet" onClick={() => takeBack(undo)}>
              Undo
            </Button>
          )}
        </span>
      )}
    </div>
  );
}
