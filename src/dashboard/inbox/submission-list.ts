import { signal } from '@preact/signals';
import { ApiError, answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { toError } from '../data.ts';
import { say } from '../ui/say.tsx';
import { counted } from '../ui/time.tsx';
import { type Filter, isFiltered, queryOf } from './filter.ts';
import { readAnswer, readSubmission, type Submission } from './read-submissions.ts';
import { type Action, changeMatching, changeRows, MARKS, type Target } from './submission-changes.ts';

type State = {
  rows: readonly Submission[];
  /** The submission to which an address led, and which may not be among the rows. */
  opened: Submission | undefined;
  isReading: boolean;
  error: Error | undefined;
  /** How many submissions were looked at, of how many. */
  searched: number;
  total: number;
  /** Where the reading goes on: undefined at the newest, null after the oldest. */
  cursor: string | null | undefined;
};

const AT_FIRST: State = {
  rows: [],
  opened: undefined,
  isReading: true,
  error: undefined,
  searched: 0,
  total: 0,
  cursor: undefined,
};

type Query = { from?: string; cursor?: string };

/** The submissions of a page, or of all pages, that a filter lets through, newest first. The list grows while the user scrolls. */
export class SubmissionList {
  readonly state = signal(AT_FIRST);
  readonly #pageId: string | undefined;
  readonly #filter: Filter;
  readonly #onChange: () => void;
  #reading: AbortController | undefined;

  /** `pageId`: undefined for all pages. `onChange`: submissions have come, or a change is stored. */
  constructor(pageId: string | undefined, filter: Filter, onChange: () => void) {
    this.#pageId = pageId;
    this.#filter = filter;
    this.#onChange = onChange;
  }

  /** Reads it from the newest on. */
  async restart(): Promise<void> {
    this.close();
    this.state.value = { ...AT_FIRST, opened: this.state.value.opened };
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
      do await this.#readOlder(reading.signal);
      while (this.state.value.cursor !== null && this.state.value.rows.length < wanted);
    } catch (error) {
      if (reading.signal.aborted) return;
      this.#set({ error: toError(error) });
    }
    this.#reading = undefined;
    this.#set({ isReading: false });
  }

  /** Adds the submissions that have come since; returns how many. */
  async refresh(signal: AbortSignal): Promise<number> {
    const { rows, isReading } = this.state.value;
    const [newest] = rows;
    // A search that has found nothing would look at everything again.
    if (isReading || (!newest && isFiltered(this.#filter))) return 0;
    const { submissions, next } = await this.#read(newest ? { from: this.#since(newest) } : {}, signal);
    const added = this.#unknown(submissions);
    // A row that is deleted meanwhile must not come back.
    if (signal.aborted || added.length === 0 || this.state.value.rows !== rows) return 0;
    this.#onChange();
    if (next === null) this.#set({ rows: [...added, ...rows], total: this.state.value.total + added.length });
    // More than one answer has: those between would be missing.
    else await this.restart();
    return added.length;
  }

  find(id: string): Submission | undefined {
    const { rows, opened } = this.state.value;
    return rows.find((row) => row.id === id) ?? (opened?.id === id ? opened : undefined);
  }

  /** How many submissions these are, in words: a search may not know all of them. */
  count(of: Target): string {
    const { rows, cursor, total } = this.state.value;
    if (!of.isAll) return counted(of.rows.length, 'submission');
    if (cursor === null) return counted(rows.length, 'submission');
    return isFiltered(this.#filter) ? 'all submissions that match' : `all ${counted(total, 'submission')}`;
  }

  /** Marks a submission as read, and reads it where it is not in the list. A key that may only read leaves it unread. */
  async open(deployId: string, submissionId: string, signal: AbortSignal): Promise<void> {
    const listed = this.find(submissionId);
    if (listed?.read) return;
    const params = { path: { deployId, submissionId } };
    const path = '/submissions/{deployId}/{submissionId}';
    try {
      // Neither the next submission nor a closed tab ends this request: what was read stays read.
      const text = await answer(api.PATCH(path, { params, body: { read: true }, parseAs: 'text', keepalive: true }));
      const marked = readSubmission(text, deployId);
      this.#onChange();
      const shown = this.find(submissionId) ?? (signal.aborted ? undefined : marked);
      if (shown) this.#put([{ ...shown, read: true, starred: marked.starred }]);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 403)) throw error;
      if (listed) return;
      const text = await answer(api.GET(path, { params, parseAs: 'text', signal }));
      this.#put([readSubmission(text, deployId)]);
    }
  }

  /** Changes submissions, of these pages. */
  async change(action: Action, of: Target, pageIds: readonly string[]): Promise<void> {
    const { rows, isAll } = of;
    if (isAll) return this.#changeAll(action, rows[0], pageIds);
    await changeRows(action, rows);
    this.#onChange();
    if (action === 'delete' || action === 'spam') this.#remove(action, rows);
    // Another mark may have been stored meanwhile.
    else this.#put(rows.map((row) => ({ ...(this.find(row.id) ?? row), ...MARKS[action] })));
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #set(changed: Partial<State>): void {
    this.state.value = { ...this.state.value, ...changed };
  }

  /** Shows submissions as they are now; that which is open need not be among the rows. */
  #put(changed: readonly Submission[]): void {
    const byId = new Map(changed.map((one) => [one.id, one]));
    const { rows, opened } = this.state.value;
    const isListed = rows.some(({ id }) => byId.has(id));
    this.#set({
      rows: isListed ? rows.map((row) => byId.get(row.id) ?? row) : rows,
      opened: (opened && byId.get(opened.id)) ?? (isListed ? opened : changed[0]),
    });
  }

  /** A time before all submissions that have come after one; not before those of the filter. */
  #since({ createdAt }: Submission): string {
    // Submissions of two pages may be stored in another order than they are received.
    const since = new Date(Date.parse(createdAt) - DASHBOARD_LIMITS.inbox.overlapMs).toISOString();
    const { from = since } = queryOf(this.#filter);
    return from > since ? from : since;
  }

  #unknown(submissions: readonly Submission[]): Submission[] {
    const known = new Set(this.state.value.rows.map(({ id }) => id));
    return submissions.filter(({ id }) => !known.has(id));
  }

  async #read(query: Query, signal: AbortSignal) {
    const all = { ...queryOf(this.#filter), limit: DASHBOARD_LIMITS.inbox.pageSize, ...query };
    const text = await answer(
      this.#pageId === undefined
        ? api.GET('/inbox', { params: { query: all }, parseAs: 'text', signal })
        : api.GET('/submissions/{deployId}/search', {
            params: { path: { deployId: this.#pageId }, query: all },
            parseAs: 'text',
            signal,
          }),
    );
    const { submissions, rest } = readAnswer(text, this.#pageId);
    const next: string | null = JSON.parse(rest.get('next_cursor') ?? 'null');
    return { submissions, next, searched: Number(rest.get('searched')), total: Number(rest.get('total')) };
  }

  async #readOlder(signal: AbortSignal): Promise<void> {
    const { cursor, searched: before } = this.state.value;
    const read = await this.#read({ ...(typeof cursor === 'string' && { cursor }) }, signal);
    signal.throwIfAborted();
    const added = this.#unknown(read.submissions);
    this.#set({
      rows: [...this.state.value.rows, ...added],
      cursor: read.next,
      total: read.total,
      searched: read.next === null ? read.total : before + read.searched,
    });
  }

  #remove(action: 'delete' | 'spam', of: readonly Submission[]): void {
    const gone = new Set(of.map(({ id }) => id));
    const { rows, opened, total } = this.state.value;
    this.#set({
      rows: rows.filter(({ id }) => !gone.has(id)),
      opened: opened && gone.has(opened.id) ? undefined : opened,
      total: total - of.length,
    });
    say(`${counted(of.length, 'submission')} ${action === 'spam' ? 'moved to spam' : 'deleted'}.`);
  }

  /** Changes all that the filter lets through, up to the newest one that is selected: those that have come since are not. */
  async #changeAll(action: Action, newest: Submission | undefined, pageIds: readonly string[]): Promise<void> {
    if (!newest) return;
    try {
      await changeMatching(action, this.#filter, newest, pageIds);
    } finally {
      this.#onChange();
      if (action === 'delete') this.#set({ opened: undefined });
      void this.restart();
    }
  }
}
