import { signal } from '@preact/signals';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { answer, api } from '../api.ts';
import { beforeSignOut } from '../session.ts';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';
import type { List } from './list.ts';

type Action = 'read' | 'unread' | 'star' | 'unstar' | 'delete' | 'spam';
const MARKS = {
  read: { read: true },
  unread: { read: false },
  star: { starred: true },
  unstar: { starred: false },
} as const;
const OPPOSITE = { read: 'unread', unread: 'read', star: 'unstar', unstar: 'star' } as const;

const notSaved = (error: unknown, again: () => unknown): void =>
  say(`Not saved: ${error instanceof Error ? error.message : error}`, { label: 'Try again', run: again });

export type Changes = ReturnType<typeof createChanges>;

/** What shows the changes: the inbox, while it is open. */
type Shown = { list: List; onSpam(): void };

/** By page: what can be undone can still be undone in another view. */
const all = new Map<string, Changes>();

/** The changes of a page's submissions. */
export function changesOf(id: string): Changes {
  const known = all.get(id);
  if (known) return known;
  const created = createChanges(id);
  all.set(id, created);
  beforeSignOut.add(created.flush);
  addEventListener('pagehide', created.flush);
  return created;
}

/** Changes of submissions: shown at once, and taken back when they could not be saved. */
function createChanges(id: string) {
  let shown: Shown | undefined;
  /** What goes when the time to undo it is over. */
  const leaving = new Map<ReadonlySet<string>, { action: 'delete' | 'spam'; timer: ReturnType<typeof setTimeout> }>();
  /** What was marked here; the detail of a submission shows it too. */
  const marked = signal<ReadonlyMap<string, { read?: boolean; starred?: boolean }>>(new Map());

  async function sendBulk(action: Action, ids: readonly string[], isLast = false): Promise<void> {
    for (let from = 0; from < ids.length; from += DASHBOARD_LIMITS.inbox.changedIds) {
      const body = { action, ids: ids.slice(from, from + DASHBOARD_LIMITS.inbox.changedIds) };
      const params = { path: { deployId: id } };
      await answer(api.POST('/submissions/{deployId}/bulk', { params, body, keepalive: isLast }));
    }
  }

  function show(action: keyof typeof MARKS, ids: readonly string[]): void {
    const all = new Map(marked.value);
    for (const one of ids) all.set(one, { ...all.get(one), ...MARKS[action] });
    marked.value = all;
    shown?.list.mark(new Set(ids), MARKS[action]);
  }

  async function mark(action: keyof typeof MARKS, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    show(action, ids);
    try {
      await sendBulk(action, ids);
    } catch (error) {
      show(OPPOSITE[action], ids);
      notSaved(error, () => mark(action, ids));
    }
  }

  async function finish(ids: ReadonlySet<string>, isLast = false): Promise<void> {
    const left = leaving.get(ids);
    if (!left) return;
    clearTimeout(left.timer);
    leaving.delete(ids);
    try {
      await sendBulk(left.action, [...ids], isLast);
      shown?.list.remove(ids);
      if (left.action === 'spam') shown?.onSpam();
    } catch (error) {
      shown?.list.show(ids);
      notSaved(error, () => remove([...ids], left.action));
    }
  }

  function undo(): void {
    const last = [...leaving.keys()].at(-1);
    if (!last) {
      say('There is nothing to undo any more.');
      return;
    }
    clearTimeout(leaving.get(last)?.timer);
    leaving.delete(last);
    shown?.list.show(last);
    say(`${counted(last.size, 'submission')} kept.`);
  }

  /** Takes submissions out of the list: they are deleted, or moved to spam, when it can't be undone any more. */
  function remove(ids: readonly string[], action: 'delete' | 'spam' = 'delete'): void {
    if (ids.length === 0) return;
    const gone = new Set(ids);
    shown?.list.hide(gone);
    leaving.set(gone, { action, timer: setTimeout(() => finish(gone), DASHBOARD_LIMITS.notes.undoMs) });
    say(`${counted(ids.length, 'submission')} ${action === 'spam' ? 'moved to spam' : 'deleted'}.`, {
      label: 'Undo',
      run: undo,
    });
  }

  /** Does at once what could still be undone: the dashboard is left. */
  const flush = async (): Promise<void> => {
    await Promise.all([...leaving.keys()].map((ids) => finish(ids, true)));
  };

  return {
    marked,
    mark,
    remove,
    undo,
    flush,
    leaving: (): string[] => [...leaving.keys()].flatMap((ids) => [...ids]),
    showIn(place: Shown | undefined): void {
      shown = place;
    },
  };
}
