import { signal } from '@preact/signals';
import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';
import type { SubmissionList } from './list.ts';

const MARKS = {
  read: { read: true },
  unread: { read: false },
  star: { starred: true },
  unstar: { starred: false },
} as const;
const OPPOSITE = { read: 'unread', unread: 'read', star: 'unstar', unstar: 'star' } as const;

type Mark = keyof typeof MARKS;

export const notSaved = (error: unknown, again: () => unknown): void =>
  say(`Not saved: ${error instanceof Error ? error.message : error}`, { label: 'Try again', run: again });

/** Changes of a page's submissions. */
export class Changes {
  /** What was marked here; the detail of a submission shows it too. */
  readonly marked = signal<ReadonlyMap<string, { read?: boolean; starred?: boolean }>>(new Map());
  readonly #id: string;
  readonly #list: { current: SubmissionList | undefined };

  constructor(id: string, list: { current: SubmissionList | undefined }) {
    this.#id = id;
    this.#list = list;
  }

  /** Marks are shown at once, and taken back when they could not be saved. */
  async mark(action: Mark, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    this.#show(action, ids);
    try {
      await this.#send(action, ids);
    } catch (error) {
      this.#show(OPPOSITE[action], ids);
      notSaved(error, () => this.mark(action, ids));
    }
  }

  /** Deletes submissions, or moves them to spam. */
  async remove(action: 'delete' | 'spam', ids: readonly string[]): Promise<void> {
    await this.#send(action, ids);
    this.#list.current?.remove(new Set(ids));
    say(`${counted(ids.length, 'submission')} ${action === 'spam' ? 'moved to spam' : 'deleted'}.`);
  }

  #show(action: Mark, ids: readonly string[]): void {
    const all = new Map(this.marked.value);
    for (const id of ids) all.set(id, { ...all.get(id), ...MARKS[action] });
    this.marked.value = all;
    this.#list.current?.mark(new Set(ids), MARKS[action]);
  }

  async #send(action: Mark | 'delete' | 'spam', ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += DASHBOARD_LIMITS.inbox.changedIds) {
      const body = { action, ids: ids.slice(from, from + DASHBOARD_LIMITS.inbox.changedIds) };
      await answer(api.POST('/submissions/{deployId}/bulk', { params: { path: { deployId: this.#id } }, body }));
    }
  }
}
