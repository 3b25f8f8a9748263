import { signal } from '@preact/signals';
import { ApiError, answer, api } from '../api.ts';
import { DASHBOARD_LIMITS, MAX_LIMIT } from '../dashboard-limits.ts';
import { toError } from '../data.ts';
import { counted } from '../texts/chosen-texts.ts';
import type { Forms } from '../texts/translation.ts';
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

/** A text about a number of submissions; `matching`: where a search does not know it. */
type Amounts = { readonly some: Forms; readonly matching: string; readonly all: Forms };

type Query = { from?: string; cursor?: string; limit?: number };

const newestFirst = (rows: readonly Submission[]): Submission[] =>
  rows.toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));

/** The submissions of a page, or of all pages, that a filter lets through, newest first. The list grows while the user scrolls. */
export class SubmissionList {
  readonly state = signal(AT_FIRST);
  readonly #pageId: string | undefined;
  readonly #filter: Filter;
  readonly #onChange: () => void;
  #reading: AbortController | undefined;
  #writing: Promise<unknown> = Promise.resolve();

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

  /** Reads at least so many more, which are older. */
  async more(count: number = DASHBOARD_LIMITS.inbox.pageSize): Promise<void> {
    if (this.#reading || this.state.value.cursor === null) return;
    const reading = new AbortController();
    this.#reading = reading;
    this.#set({ isReading: true, error: undefined });
    const wanted = this.state.value.rows.length + count;
    const limit = Math.min(count, MAX_LIMIT);
    try {
      // An answer to a search may have none of the submissions that were looked at.
      do await this.#readOlder(limit, reading.signal);
      while (this.state.value.cursor !== null && this.state.value.rows.length < wanted);
    } catch (error) {
      if (reading.signal.aborted) return;
      this.#set({ error: toError(error) });
    }
    this.#reading = undefined;
    this.#set({ isReading: false });
  }

  /** Reads all that there are. */
  async readAll(): Promise<void> {
    this.close();
    await this.more(Number.POSITIVE_INFINITY);
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
    if (next === null) this.#add(added);
    // More than one answer has: those between would be missing.
    else await this.restart();
    return added.length;
  }

  /** Reads the newest rows again, which were changed elsewhere: their marks and notes, and whether they are still there. */
  async reread(): Promise<void> {
    const { rows, isReading } = this.state.value;
    if (isReading || rows.length === 0) return;
    const wanted = Math.min(rows.length, DASHBOARD_LIMITS.inbox.rereadRows);
    const read: Submission[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null && read.length < wanted) {
      const query = { limit: MAX_LIMIT, ...(cursor !== undefined && { cursor }) };
      // A row that can't be read stays as it is.
      const found = await this.#read(query, AbortSignal.timeout(DASHBOARD_LIMITS.requests.plainTimeoutMs)).catch(
        () => undefined,
      );
      if (!found || this.state.value.rows !== rows) return;
      read.push(...found.submissions);
      cursor = found.next;
    }
    const oldest = cursor === null ? '' : (read.at(-1)?.createdAt ?? '');
    const known = new Set(read.map(({ id }) => id));
    // One that a filter no longer lets through stays where people have seen it.
    const isGone = ({ id, createdAt }: Submission): boolean =>
      !isFiltered(this.#filter) && createdAt >= oldest && !known.has(id);
    const shown = read.filter(({ id }) => this.find(id));
    if (shown.length > 0) this.#put(shown);
    this.#remove(rows.filter(isGone));
    const [newest] = rows;
    // New rows are counted where they are added.
    this.#add(this.#unknown(read).filter(({ createdAt }) => newest && createdAt <= newest.createdAt));
  }

  find(id: string): Submission | undefined {
    const { rows, opened } = this.state.value;
    return rows.find((row) => row.id === id) ?? (opened?.id === id ? opened : undefined);
  }

  /** Their names, where all of them are loaded, so that a removal can be undone. */
  nameAll({ rows, isAll }: Target): Target {
    const { rows: loaded, cursor } = this.state.value;
    if (!isAll || cursor !== null || loaded.length > DASHBOARD_LIMITS.inbox.undoneSubmissions) {
      return { rows, ...(isAll && { isAll }) };
    }
    const newest = rows[0]?.createdAt ?? '';
    return { rows: loaded.filter(({ createdAt }) => createdAt <= newest) };
  }

  /** Says of these submissions how many they are: a search may not know all of them. */
  inWords(texts: Amounts, of: Target): string {
    const { rows, cursor, total } = this.state.value;
    if (!of.isAll) return counted(texts.some, of.rows.length);
    if (cursor === null) return counted(texts.some, rows.length);
    return isFiltered(this.#filter) ? texts.matching : counted(texts.all, total);
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
    if (action === 'delete' || action === 'spam') this.#remove(rows);
    // Another mark may have been stored meanwhile.
    else this.#put(rows.map((row) => ({ ...(this.find(row.id) ?? row), ...MARKS[action] })));
  }

  /** Shows submissions again that were removed, each at its place. */
  putBack(restored: readonly Submission[]): void {
    this.#onChange();
    this.#add(this.#unknown(restored));
  }

  /** Stores the owner's note about a submission. A note that is written last is stored though the tab is closed. */
  async write({ pageId: deployId, id: submissionId }: Submission, note: string): Promise<void> {
    const options = { params: { path: { deployId, submissionId } }, body: { note }, keepalive: true };
    // One after the other: of two notes, the last one is stored last.
    const stored = this.#writing.then(() =>
      answer(api.PATCH('/submissions/{deployId}/{submissionId}', { ...options, parseAs: 'text' })),
    );
    this.#writing = stored.catch(() => undefined);
    await stored;
    const shown = this.find(submissionId);
    if (shown) this.#put([{ ...shown, note }]);
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  #set(changed: Partial<State>): void {
    this.state.value = { ...this.state.value, ...changed };
  }

  /** Shows submissions too, each at its place. */
  #add(added: readonly Submission[]): void {
    const { rows, total } = this.state.value;
    if (added.length > 0) this.#set({ rows: newestFirst([...added, ...rows]), total: total + added.length });
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

  /** Reads older submissions and shows them: several answers at a time where all are read, because each takes a look at all rows. */
  async #readOlder(limit: number, signal: AbortSignal): Promise<void> {
    const read: Submission[] = [];
    let { cursor, searched, total } = this.state.value;
    do {
      const found = await this.#read({ limit, ...(typeof cursor === 'string' && { cursor }) }, signal);
      signal.throwIfAborted();
      read.push(...found.submissions);
      ({ total, next: cursor } = found);
      searched = cursor === null ? total : searched + found.searched;
    } while (limit === MAX_LIMIT && cursor !== null && read.length < DASHBOARD_LIMITS.inbox.shownAtOnce);
    this.#set({ rows: [...this.state.value.rows, ...this.#unknown(read)], cursor, searched, total });
  }

  #remove(of: readonly Submission[]): void {
    const gone = new Set(of.map(({ id }) => id));
    const { rows, opened, total } = this.state.value;
    this.#set({
      rows: rows.filter(({ id }) => !gone.has(id)),
      opened: opened && gone.has(opened.id) ? undefined : opened,
      total: total - of.length,
    });
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
