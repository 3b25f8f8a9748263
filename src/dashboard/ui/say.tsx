import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { DASHBOARD_LIMITS } from '../limits.ts';

const message = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says a sentence at the bottom of the screen, for a while. */
export function say(text: string): void {
  clearTimeout(timer);
  message.value = text;
  timer = setTimeout(() => {
    message.value = '';
  }, DASHBOARD_LIMITS.notes.messageMs);
}

/** Where it is said. */
export const Said = (): JSX.Element => (
  <div role="status" class="said">
    {message.value !== '' && <span dir="auto">{message.value}</span>}
  </div>
);
