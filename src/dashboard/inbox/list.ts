import { signal } from '@preact/signals';
import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';
import { readAnswer, type Submission } from './submissions.ts';

export type Filter = {
  q: string;
  /** Days in the zone of the browser, such as 2026-01-31, or empty. */
  from: string;
  to: string;
  unread: boolean;
  starred: boolean;
};

const dayStart = (day: string, later = 0): string | undefined => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return day === '' || Number.isNaN(start.getTime()) ? undefined : start.toISOString();
};

export const isFiltered = ({ q, from, to, unread, starred }: Filter): boolean =>
  q !== '' || from !== '' || to !== '' || unread || starred;

function queryOf({ q, from, to, unread, starred }: Filter) {
  const start = dayStart(from);
  const end = dayStart(to, 1);
  return {
    ...(q !== '' && { q }),
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
    ...(unread && { unread: 'true' as const }),
    ...(starred && { starred: 'true' as const }),
  };
}

const MARKS = {
  read: { read: true },
  unread: { read: false },
  star: { starred: true },
  unstar: { starred: false },
} as const;
const OPPOSITE = { read: 'unread', unread: 'read', star: 'unstar', unstar: 'star' } as const;

type Mark = keyof typeof MARKS;
type Marks = { read?: boolean; starred?: boolean };

type State = {
  rows: readonly Submission[];
  isReading: boolean;
  error: Error | undefined;
  /** How many submissions were looked at, of how many. */
  searched: number;
  total: number;
  /** New submissions of which it is not known whether the filter lets them through. */
  missed: number;
  /** Marks that were made here, also of a submission that is open and not in the list. */
  marks: ReadonlyMap<string, Marks>;
  /** Where the reading goes on: undefined at the newest, null after the oldest. */
  cursor: string | null | undefined;
};

const AT_FIRST: State = {
  rows: [],
  isReading: true,
  error: undefined,
  searched: 0,
  total: 0,
  missed: 0,
  marks: new Map(),
  cursor: undefined,
};

export const idsOf = (of: readonly Submission[]): string[] => of.map(({ id }) => id);

/** The submissions of a page that a filter lets through, newest first. The list grows while the user scrolls. */
export class SubmissionList {
  readonly state = signal(AT_FIRST);
  readonly #id: string;
  readonly #filter: Filter;
  #reading: AbortController | undefined;

  constructor(id: string, filter: Filter) {
    this.#id = id;
    this.#filter = filter;
  }

  /** Reads it from the newest on. */
  async restart(): Promise<void> {
    this.close();
    this.state.value = AT_FIRST;
    await this.more();
  }

  /** Reads some more, which are older. */
  async more(): Promise<void> {
    if (this.#reading || this.state.value.cursor === null) return;
    const reading = new AbortController();
    this.#reading = reading;
    this.#set({ isReading: true, error: undefined });
    const wanted = this.state.value.rows.length + DASHBOARD_LIMITS.inbox.pageSize;
    try {
      // An answer to a search may have none of the submissions that were looked at.
      do await this.#readPage(reading.signal);
      while (this.state.value.cursor !== null && this.state.value.rows.length < wanted);
    } catch (error) {
      if (reading.signal.aborted) return;
      this.#set({ error: error instanceof Error ? error : new Error(String(error)) });
    }
    this.#reading = undefined;
    this.#set({ isReading: false });
  }

  /** Adds new submissions, which come oldest first; returns how many of them are shown. */
  add(submissions: readonly Submission[]): number {
    const { rows, total, missed } = this.state.value;
    const added = this.#unknown(submissions).toReversed();
    const { q, from, to, starred } = this.#filter;
    if (q !== '' || from !== '' || to !== '' || starred) {
      this.#set({ missed: missed + added.length });
      return 0;
    }
    this.#set({ rows: [...added, ...rows], total: total + added.length });
    return added.length;
  }

  /** Marks submissions as read, or as unread where all of them are read. */
  toggleRead(of: readonly Submission[]): Promise<void> {
    return this.mark(of.some(({ read }) => !read) ? 'read' : 'unread', idsOf(of));
  }

  /** Gives submissions a star, or takes it away where all of them have one. */
  toggleStar(of: readonly Submission[]): Promise<void> {
    return this.mark(of.some(({ starred }) => !starred) ? 'star' : 'unstar', idsOf(of));
  }

  /** Marks submissions. It is shown at once, and taken back when it could not be saved. */
  async mark(action: Mark, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    this.show(MARKS[action], ids);
    try {
      await this.#change(action, ids);
    } catch (error) {
      this.show(MARKS[OPPOSITE[action]], ids);
      say(`Not saved: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Shows marks that are stored. */
  show(marks: Marks, ids: readonly string[]): void {
    const all = new Map(this.state.value.marks);
    for (const id of ids) all.set(id, { ...all.get(id), ...marks });
    const marked = new Set(ids);
    const rows = this.state.value.rows.map((row) => (marked.has(row.id) ? { ...row, ...marks } : row));
    this.#set({ marks: all, rows });
  }

  /** Deletes submissions, or moves them to spam. */
  async remove(action: 'delete' | 'spam', ids: readonly string[]): Promise<void> {
    await this.#change(action, ids);
    const gone = new Set(ids);
    const { rows, total } = this.state.value;
    this.#set({ rows: rows.filter(({ id }) => !gone.has(id)), total: total - ids.length });
    say(`${counted(ids.length, 'submission')} ${action === 'spam' ? 'moved to spam' : 'deleted'}.`);
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #set(changed: Partial<State>): void {
    this.state.value = { ...this.state.value, ...changed };
  }

  #unknown(submissions: readonly Submission[]): Submission[] {
    const known = new Set(this.state.value.rows.map(({ id }) => id));
    return submissions.filter(({ id }) => !known.has(id));
  }

  async #readPage(signal: AbortSignal): Promise<void> {
    const { cursor, searched } = this.state.value;
    const limit = DASHBOARD_LIMITS.inbox.pageSize;
    const query = { ...queryOf(this.#filter), limit, ...(typeof cursor === 'string' && { cursor }) };
    const params = { path: { deployId: this.#id }, query };
    const text = await answer(api.GET('/submissions/{deployId}/search', { params, parseAs: 'text', signal }));
    signal.throwIfAborted();
    const { submissions, rest } = readAnswer(text);
    const next: string | null = JSON.parse(rest.get('next_cursor') ?? 'null');
    const total = Number(rest.get('total'));
    this.#set({
      rows: [...this.state.value.rows, ...this.#unknown(submissions)],
      cursor: next,
      total,
      searched: next === null ? total : searched + Number(rest.get('searched')),
    });
  }

  async #change(action: Mark | 'delete' | 'spam', ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += DASHBOARD_LIMITS.inbox.changedIds) {
      const body = { action, ids: ids.slice(from, from + DASHBOARD_LIMITS.inbox.changedIds) };
      await answer(api.POST('/submissions/{deployId}/bulk', { params: { path: { deployId: this.#id } }, body }));
    }
  }
}
