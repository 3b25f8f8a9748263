import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { Button } from './button.tsx';

type Message = { text: string; action?: { label: string; run(): unknown } };

const message = signal<Message | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says a sentence at the bottom of the screen, with a way to undo what it tells of. */
export function say(text: string, action?: Message['action']): void {
  clearTimeout(timer);
  message.value = { text, ...(action && { action }) };
  timer = setTimeout(() => {
    message.value = undefined;
  }, DASHBOARD_LIMITS.notes.messageMs);
}

/** Where it is said. */
export const Said = (): JSX.Element => (
  <div role="status" class="said">
    {message.value && (
      <div class="said-inner">
        <span dir="auto">{message.value.text}</span>
        {message.value.action && (
          <Button
            kind="quiet"
            onClick={() => {
              const { action } = message.value ?? {};
              message.value = undefined;
              return action?.run();
            }}
          >
            {message.value.action.label}
          </Button>
        )}
      </div>
    )}
  </div>
);
