import { signal } from '@preact/signals';
import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { readAnswer, readSubmission, type Submission, toRow } from './submissions.ts';

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

export type Progress = {
  state: 'loading' | 'searching' | 'stopped' | 'ready';
  /** How many submissions were looked at, of how many. */
  searched: number;
  total: number;
  error: Error | undefined;
};

/** The submissions that a filter lets through, newest first. The list grows while the user scrolls. */
export class SubmissionList {
  /** Rises with every change. */
  readonly version = signal(0);
  progress: Progress = { state: 'loading', searched: 0, total: 0, error: undefined };
  rows: readonly Submission[] = [];
  /** New submissions of which it is not known whether the filter lets them through. */
  missed = 0;
  readonly #id: string;
  readonly #filter: Filter;
  /** What came before the first answer. */
  #waiting: Submission[] = [];
  /** Where the reading goes on: undefined at the newest, null after the oldest. */
  #cursor: string | null | undefined;
  #reading: AbortController | undefined;
  /** The last row that was on the screen. */
  #wanted = 0;

  constructor(id: string, filter: Filter) {
    this.#id = id;
    this.#filter = filter;
  }

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  /** Reads it from the newest on. */
  async start(): Promise<void> {
    this.close();
    this.rows = [];
    this.#cursor = undefined;
    this.#wanted = 0;
    this.missed = 0;
    this.#report({ state: 'loading', searched: 0, error: undefined });
    await this.#read();
  }

  /** Says which row is the last one on the screen: some more are read. */
  want(last: number): void {
    this.#wanted = Math.max(this.#wanted, last);
    if (this.progress.state === 'ready') void this.#read();
  }

  /** Whoever stops a search wants no answer to what it has just asked. */
  stop(): void {
    this.close();
    this.#report({ state: 'stopped' });
  }

  goOn(): void {
    this.#report({ error: undefined, ...(this.#cursor === undefined && { state: 'loading' }) });
    void this.#read();
  }

  /** Adds new submissions, which come oldest first; returns how many of them are shown. */
  add(submissions: readonly Submission[]): number {
    if (this.progress.state === 'loading') {
      this.#waiting.push(...submissions);
      return 0;
    }
    const known = new Set(this.rows.map(({ id }) => id));
    const added = submissions.filter(({ id }) => !known.has(id));
    if (added.length === 0) return 0;
    const { q, from, to, starred } = this.#filter;
    const isUnknown = q !== '' || from !== '' || to !== '' || starred;
    if (isUnknown) this.missed += added.length;
    else this.rows = [...added.map(toRow).toReversed(), ...this.rows];
    this.#report({ total: this.progress.total + added.length });
    return isUnknown ? 0 : added.length;
  }

  mark(ids: ReadonlySet<string>, marks: { read?: boolean; starred?: boolean }): void {
    this.rows = this.rows.map((row) => (ids.has(row.id) ? { ...row, ...marks } : row));
    this.#report({});
  }

  /** They are gone. */
  remove(ids: ReadonlySet<string>): void {
    this.rows = this.rows.filter(({ id }) => !ids.has(id));
    this.#report({ total: this.progress.total - ids.size });
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #report(changed: Partial<Progress>): void {
    this.progress = { ...this.progress, ...changed };
    this.version.value += 1;
  }

  /** Reads on until there are rows beyond the screen. */
  async #read(): Promise<void> {
    if (this.#reading) return;
    const reading = new AbortController();
    this.#reading = reading;
    try {
      while (this.#cursor !== null && this.rows.length <= this.#wanted + DASHBOARD_LIMITS.inbox.rowsAhead) {
        if (isFiltered(this.#filter)) this.#report({ state: 'searching' });
        await this.#readPage(reading.signal);
      }
      if (this.progress.state !== 'ready') this.#report({ state: 'ready' });
      this.add(this.#waiting.splice(0));
    } catch (error) {
      if (reading.signal.aborted) return;
      this.#report({ state: 'stopped', error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  async #readPage(signal: AbortSignal): Promise<void> {
    const cursor = this.#cursor;
    const query = {
      ...queryOf(this.#filter),
      limit: DASHBOARD_LIMITS.inbox.pageSize,
      ...(typeof cursor === 'string' && { cursor }),
    };
    const params = { path: { deployId: this.#id }, query };
    const text = await answer(api.GET('/submissions/{deployId}/search', { params, parseAs: 'text', signal }));
    signal.throwIfAborted();
    const { submissions, rest } = readAnswer(text);
    const next = rest.get('next_cursor') ?? 'null';
    this.#cursor = next === 'null' ? null : next.slice(1, -1);
    this.rows = [...this.rows, ...submissions.map(toRow)];
    const total = Number(rest.get('total'));
    const searched = this.#cursor === null ? total : this.progress.searched + Number(rest.get('searched'));
    this.#report({ total, searched });
  }
}

/** New submissions after a cursor; `cursor`: where to go on. */
export async function readAfter(
  id: string,
  cursor: string,
  signal: AbortSignal,
): Promise<{ submissions: Submission[]; cursor: string }> {
  const text = await answer(
    api.GET('/submissions/{deployId}/after/{cursor}', {
      params: { path: { deployId: id, cursor }, query: { limit: 100 } },
      parseAs: 'text',
      signal,
    }),
  );
  const { submissions, rest } = readAnswer(text);
  return { submissions, cursor: (rest.get('cursor') ?? '"0"').slice(1, -1) };
}

/** One submission, whole. */
export async function readOne(id: string, submissionId: string, signal: AbortSignal): Promise<Submission> {
  const params = { path: { deployId: id, submissionId } };
  return readSubmission(
    await answer(api.GET('/submissions/{deployId}/{submissionId}', { params, parseAs: 'text', signal })),
  );
}

/** The id of the newest submission, from which new ones follow; undefined when there is none. */
export async function readNewest(id: string, signal: AbortSignal): Promise<string | undefined> {
  const params = { path: { deployId: id }, query: { limit: 1 } };
  const text = await answer(api.GET('/submissions/{deployId}', { params, parseAs: 'text', signal }));
  return readAnswer(text).submissions[0]?.id;
}
