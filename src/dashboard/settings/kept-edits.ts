import { effect, signal } from '@preact/signals';
import { session } from '../api.ts';
import type { Settings, Typed } from '../setting-fields.ts';
import { changedNames } from './typed.ts';

/*
 * Settings that are typed and not saved. They stay while other views are looked at, and the window asks before it closes with them.
 */

/**
 * `settings`: as they were last read, also as a form has them (`read`), and their `etag`. `theirs`: values that somebody else has saved meanwhile, of settings
 * that are changed here too.
 */
export type Edits = { settings: Settings; read: Typed; etag: string; typed: Typed; theirs: Typed };

const kept = signal<ReadonlyMap<string, Edits>>(new Map());

/** Returns the edits of a form, by its name. A component that calls it is rendered again when they change. */
export const editsOf = (form: string): Edits | undefined => kept.value.get(form);

export function keepEdits(form: string, edits: Edits): void {
  kept.value = new Map([...kept.peek(), [form, edits]]);
}

/**
 * Returns edits after the settings were read again. What was typed stays; where others have changed the same setting, both values are
 * known. `since`: the settings that the typed ones are compared with.
 */
export function rebased(edits: Edits, now: Omit<Edits, 'typed' | 'theirs'>, since: Typed = edits.read): Edits {
  const typed: Record<string, string> = {};
  const theirs: Record<string, string> = {};
  for (const [name, value] of Object.entries(now.read)) {
    const mine = edits.typed[name] ?? '';
    typed[name] = mine === since[name] ? value : mine;
    const isOpen = edits.theirs[name] !== undefined || (since === edits.read && value !== since[name]);
    if (isOpen && typed[name] !== value) theirs[name] = value;
  }
  const { settings, read, etag } = now;
  return { settings, read, etag, typed, theirs };
}

const askBeforeClosing = (event: BeforeUnloadEvent): void => event.preventDefault();

effect(() => {
  // After signing out, another owner may sign in.
  if (session.value === 'none' && kept.peek().size > 0) kept.value = new Map();
});
effect(() => {
  const isChanged = [...kept.value.values()].some(({ typed, read }) => changedNames(typed, read).length > 0);
  if (isChanged) addEventListener('beforeunload', askBeforeClosing);
  else removeEventListener('beforeunload', askBeforeClosing);
});
