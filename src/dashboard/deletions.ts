import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, deleteAt } from './api.ts';
import { DASHBOARD_LIMITS } from './dashboard-limits.ts';
import { toError } from './data.ts';
import { fill, t } from './texts/chosen-texts.ts';
import { endHeld, say } from './ui/say.tsx';

/*
 * Deletions that the API can't take back. The request waits until the message with *Undo* has gone, or nobody looks at the tab any
 * more; until then only this tab leaves out what is deleted. Each is named by its path in the API.
 */

/** `held`: the message is shown. `sent`: the answer is waited for. `made`: it is deleted, but a list that was read before has it. */
type State = 'held' | 'sent' | 'made';
const deletions = signal<ReadonlyMap<string, State>>(new Map());

function put(paths: readonly string[], state: State): void {
  deletions.value = new Map([...deletions.peek(), ...paths.map((path) => [path, state] as const)]);
}

function forget(paths: readonly string[]): void {
  if (paths.some((path) => deletions.peek().has(path))) {
    deletions.value = new Map([...deletions.peek()].filter(([path]) => !paths.includes(path)));
  }
}

const notMade = (): string[] => [...deletions.peek()].flatMap(([path, state]) => (state === 'made' ? [] : [path]));

async function make(paths: readonly string[]): Promise<void> {
  put(paths, 'sent');
  for (const path of paths) {
    try {
      await deleteAt(path);
      put([path], 'made');
    } catch (error) {
      forget([path]);
      // After a reload nobody may be signed in.
      if (error instanceof ApiError && error.status === 401) continue;
      say(fill(t.bar.messages.notDeleted, { why: toError(error).message }));
    }
  }
}

/** Says that something is deleted, and deletes what is at these paths unless *Undo* is pressed. */
export function deleteLater(text: string, paths: readonly string[]): void {
  put(paths, 'held');
  const undo = async (): Promise<void> => forget(paths);
  say(text, undo, () => void make(paths));
}

/** Makes the deletions that still wait, before the session ends. */
export async function makeDeletions(): Promise<void> {
  endHeld();
  await Promise.allSettled(notMade().map((path) => deleteAt(path)));
}

/** The deletions that were sent when the browser left the dashboard: when, and the paths, each on a line. */
const STORED = 'deletions';

function store(): void {
  const paths = notMade();
  sessionStorage.removeItem(STORED);
  if (paths.length > 0) sessionStorage.setItem(STORED, [Date.now(), ...paths].join('\n'));
}

/** Makes deletions when nobody looks at the tab: it may be closed next. A reload goes on with those that were not answered. */
export function keepDeletions(): void {
  const [at = '0', ...paths] = sessionStorage.getItem(STORED)?.split('\n') ?? [];
  sessionStorage.removeItem(STORED);
  if (Date.now() - Number(at) < DASHBOARD_LIMITS.deletions.resentMs) void make(paths);
  addEventListener('pagehide', () => {
    void makeDeletions();
    store();
  });
  document.addEventListener('visibilitychange', () => document.hidden && endHeld());
}

/**
 * Returns the items of a list without those that are deleted, and reads the list again after a deletion. `items`: as they were
 * read, the same array until they are read again.
 */
export function useUndeleted<T>(
  items: readonly T[] | undefined,
  pathOf: (item: T) => string,
  reload: () => void,
): readonly T[] {
  const all = items ?? [];
  const reread = useRef<readonly string[]>([]);
  const made = all.map(pathOf).filter((path) => deletions.value.get(path) === 'made');
  // A row that the list has, though it was read after the deletion, has been added again.
  useEffect(() => {
    forget(reread.current);
    reread.current = [];
  }, [items]);
  useEffect(() => {
    if (made.length === 0) return;
    reread.current = made;
    reload();
  }, [made.join('\n')]);
  return all.filter((item) => !deletions.value.has(pathOf(item)));
}
