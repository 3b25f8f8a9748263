import type { Knex } from 'knex';
import { Pauses } from '../../forms/submission-search.ts';
import { SIZES } from '../../sizes.ts';
import { query } from '../postgres/query.ts';
import { type MarkFilter, numbersWithMarks } from './submission-mark-queries.ts';
import type { NumberedSubmission } from './submission-queries.ts';
import { type RunRead, readSubmissions } from './submission-reader.ts';
import type { TestRange } from './test-submission-queries.ts';

/** Submissions of each page of an owner that are merged at first, and of all pages that one statement reads. */
const INBOX_FIRST_ROWS = 4;
const INBOX_BATCH = 200;
/** Data of the submissions that one search finds: an answer is bounded in bytes too. */
const SEARCH_FOUND_BYTES = 1024 * 1024;

/*
 * The submissions of one page, or of all pages of an owner, newest first. No index has those of several pages in this order,
 * because it would slow down what stores submissions: those of each page are read by their numbers, and merged.
 */

const { listBatchRows, listBatchBytes } = SIZES.internal;

/**
 * One submission among those of an owner. `at`: when it was accepted, in microseconds since 1970. `test`: 0, or the number of a
 * test of the owner, which stands behind the submission with this `number`.
 */
export type Position = { at: number; deploymentId: string; number: number; test: number };
/** `isWanted`: whether it has the marks that are looked for. */
type Candidate = Position & { id: string; isWanted: boolean };

/** The submissions of one page that are looked for: the numbers `after` and `before` are left out. `tests`: and which tests. */
export type SearchedPage = { deploymentId: string; after: number; before: number; tests: TestRange };

/** `form`: the name of the form; undefined for all. */
type Filter = MarkFilter & { form?: string | undefined };

/** `matches`: whether a submission with this JSON text is looked for. */
export type Search = Filter & {
  matches(data: string, pauses: Pauses): boolean | Promise<boolean>;
  limit: number;
  /** For how many milliseconds it may work, and before other work has a turn. */
  maxMs: number;
  turnMs: number;
};

/** Returns whether `one` is listed before `other`. In the same microsecond, the page with the higher id comes first. */
function isBefore(one: Position, other: Position): boolean {
  // Where a clock has been set back, times don't rise with numbers.
  if (one.deploymentId === other.deploymentId) {
    return one.number === other.number ? one.test > other.test : one.number > other.number;
  }
  return one.at === other.at ? one.deploymentId > other.deploymentId : one.at > other.at;
}

/**
 * True if a submission has none of these marks, for nextSql. Each mark is looked up by its key: in a join, a plan might read all
 * marks of a page. A test has its marks itself.
 */
const hasNone = (marks: readonly string[]): string => `NOT coalesce(next.is_refused, (
           SELECT ${marks.join(' OR ')} FROM submission_marks
            WHERE deployment_id = page.deployment_id AND number = next.number), false)`;

/** The marks that a submission has to have, each with an index, and those that it must not have, in SQL. */
const marksOf = ({ starred, unread, status }: MarkFilter): { needed: string[]; refused: string[] } => ({
  needed: [...(starred ? ['starred'] : []), ...(status === 'done' ? ["status = 'done'"] : [])],
  refused: [...(unread ? ['read'] : []), ...(status === 'open' ? ["status = 'done'"] : [])],
});

/** Marks with their submissions, each looked up by its key: in a plain join, a plan might read all submissions of a page. */
const MARKED = `submission_marks, LATERAL (
               SELECT id, created_at, form FROM submissions
                WHERE deployment_id = submission_marks.deployment_id AND number = submission_marks.number
               OFFSET 0) AS marked`;

/**
 * The next submissions of several pages, or the next with a mark; of each page newest first, and at most `count`. A mark and a form
 * have no index together: the form of the next with the mark is looked at, so that each statement reads few rows.
 */
function nextSql({ needed, refused }: ReturnType<typeof marksOf>, hasForm: boolean): string {
  const ofForm = hasForm && needed.length === 0 ? 'AND form = :form' : '';
  const wanted = [
    ...(refused.length > 0 ? [hasNone(refused)] : []),
    ...(hasForm && needed.length > 0 ? ['coalesce(form = :form, false)'] : []),
  ];
  return `
  SELECT page.deployment_id AS "deploymentId", number, test, id, CAST(extract(epoch FROM created_at) * 1000000 AS bigint) AS at,
         ${wanted.join(' AND ') || 'true'} AS "isWanted"
    FROM unnest(CAST(:ids AS text[]), CAST(:afters AS bigint[]), CAST(:befores AS bigint[]), CAST(:numbers AS bigint[]),
                CAST(:tests AS bigint[]), CAST(:froms AS bigint[]), CAST(:untils AS bigint[]), CAST(:counts AS bigint[]))
      AS page (deployment_id, after, before, last_number, last_test, from_at, until_at, count), LATERAL (
       (SELECT number, CAST(0 AS bigint) AS test, id, created_at, form, CAST(NULL AS boolean) AS is_refused
          FROM ${needed.length > 0 ? MARKED : 'submissions'}
         WHERE deployment_id = page.deployment_id AND number > page.after AND number < page.before
           ${needed.map((mark) => `AND ${mark}`).join(' ')} ${ofForm}
         ORDER BY number DESC LIMIT page.count)
        UNION ALL
       (SELECT after_number, number, id, created_at, form, ${refused.map((mark) => `(${mark})`).join(' OR ') || 'false'}
          FROM test_submissions
         WHERE deployment_id = page.deployment_id AND after_number >= page.after
           AND (after_number, number) < (page.last_number, page.last_test)
           AND created_at >= timestamptz 'epoch' + page.from_at * interval '1 microsecond'
           AND created_at < timestamptz 'epoch' + page.until_at * interval '1 microsecond'
           ${needed.map((mark) => `AND ${mark}`).join(' ')} ${ofForm}
         ORDER BY after_number DESC, number DESC LIMIT page.count)
        ORDER BY 1 DESC, 2 DESC LIMIT page.count
      ) AS next
   ORDER BY number DESC, test DESC`;
}

/** Returns the number before which are the submissions behind a position. */
export const beforeOf = ({ number, test }: Pick<Position, 'number' | 'test'>): number =>
  test === 0 ? number : number + 1;

/** The submissions of a page that have been read and are to be merged, the newest first. */
class PageQueue {
  readonly page: SearchedPage;
  waiting: Candidate[] = [];
  /** Before which number and behind which position to read on, and how many. */
  before: number;
  last: { number: number; test: number };
  count: number;
  isRead = false;

  constructor(page: SearchedPage, count: number) {
    this.page = page;
    this.before = page.before;
    this.last = page.tests;
    this.count = count;
  }

  /** Pages whose submissions come at the same rate are read together. */
  get isLow(): boolean {
    return !this.isRead && this.waiting.length <= this.count / 4;
  }

  fill(read: readonly Candidate[]): void {
    this.waiting.push(...read);
    const last = read.at(-1);
    if (last) {
      this.before = Math.min(this.before, beforeOf(last));
      this.last = last;
    }
    this.isRead = read.length < this.count;
    // A page with many submissions is asked seldom.
    this.count = Math.min(2 * this.count, listBatchRows);
  }

  /** Removes and returns what does not come after a position. */
  takeUpTo(last: Position | undefined): Candidate[] {
    const end = last ? this.waiting.findIndex((one) => isBefore(last, one)) : -1;
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }
}

/** All submissions of pages, or those with a mark, newest first, in batches. */
async function* newestFirst(db: Knex, pages: readonly SearchedPage[], filter: Filter): AsyncGenerator<Candidate[]> {
  const { starred, unread, status = 'any', form } = filter;
  const name = `next${starred ? '-starred' : ''}${unread ? '-unread' : ''}-${status}${form === undefined ? '' : '-form'}-of-pages`;
  const next = nextSql(marksOf(filter), form !== undefined);
  const count = Math.max(INBOX_FIRST_ROWS, Math.ceil(INBOX_BATCH / pages.length));
  let queues = pages.map((page) => new PageQueue(page, count));
  let batch: Candidate[] = [];
  while (queues.length > 0) {
    const low = queues.filter(({ isLow }) => isLow);
    const read = await query<Candidate>(db, name, next, {
      ids: low.map(({ page }) => page.deploymentId),
      afters: low.map(({ page }) => page.after),
      befores: low.map(({ before }) => before),
      numbers: low.map(({ last }) => last.number),
      tests: low.map(({ last }) => last.test),
      froms: low.map(({ page }) => page.tests.from),
      untils: low.map(({ page }) => page.tests.until),
      counts: low.map(({ count }) => count),
      ...(form !== undefined && { form }),
    });
    const byPage = Map.groupBy(read, ({ deploymentId }) => deploymentId);
    for (const queue of low) queue.fill(byPage.get(queue.page.deploymentId) ?? []);
    // Submissions that a page has not read yet come after its last one: up to the first of these, nothing is missing.
    const ends = queues.flatMap(({ isRead, waiting }) => (isRead ? [] : waiting.slice(-1)));
    const first = ends.reduce<Position | undefined>(
      (best, one) => (best && isBefore(best, one) ? best : one),
      undefined,
    );
    batch.push(
      ...queues.flatMap((queue) => queue.takeUpTo(first)).sort((one, other) => (isBefore(one, other) ? -1 : 1)),
    );
    queues = queues.filter(({ isRead, waiting }) => !isRead || waiting.length > 0);
    if (batch.length < INBOX_BATCH && queues.length > 0) continue;
    yield batch;
    batch = [];
  }
}

/*
 * The first of some submissions, as many as :maxBytes of their data allow, but one at least, in their order. The data is
 * NULL of one that has been deleted meanwhile, and of NO_NUMBER.
 */
const READ = `
  SELECT data FROM (
    SELECT data, position, sum(octet_length(data)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT position, CASE WHEN test = 0 THEN (
                 SELECT CAST(data AS text) FROM submissions
                  WHERE deployment_id = wanted.deployment_id AND number = wanted.number
               ) ELSE (
                 SELECT CAST(data AS text) FROM test_submissions
                  WHERE deployment_id = wanted.deployment_id AND number = wanted.test
               ) END AS data
          FROM unnest(CAST(:ids AS text[]), CAST(:numbers AS bigint[]), CAST(:tests AS bigint[]))
               WITH ORDINALITY AS wanted (deployment_id, number, test, position)
        OFFSET 0 -- keeps Postgres from looking each up twice
      ) AS found
  ) AS measured
   WHERE position = 1 OR coalesce(bytes, 0) <= :maxBytes
   ORDER BY position`;

/** A number that no submission has. */
const NO_NUMBER = Number.MIN_SAFE_INTEGER;

/** The data of the first of these; null of one that is not wanted. */
async function readData(db: Knex, candidates: readonly Candidate[]): Promise<(string | null)[]> {
  if (!candidates.some(({ isWanted }) => isWanted)) return candidates.map(() => null);
  const rows = await query<{ data: string | null }>(db, 'read-of-pages', READ, {
    ids: candidates.map(({ deploymentId }) => deploymentId),
    numbers: candidates.map(({ isWanted, number }) => (isWanted ? number : NO_NUMBER)),
    tests: candidates.map(({ isWanted, test }) => (isWanted ? test : 0)),
    maxBytes: listBatchBytes,
  });
  return rows.map(({ data }) => data);
}

/** The id and the place of a submission that is looked at. `data`: null where it is not looked for. */
type Seen = Position & { id: string; data: string | null };

/** The submissions of pages, newest first, in batches, with the data of those that have the wanted marks. */
async function* readNewestFirst(db: Knex, pages: readonly SearchedPage[], search: Search): AsyncGenerator<Seen[]> {
  // Postgres measures all that it is asked for: as many as it returned before are likely to be returned again.
  let count = Math.min(search.limit, listBatchRows);
  for await (const batch of newestFirst(db, pages, search)) {
    for (let rest = batch; rest.length > 0; ) {
      const read = await readData(db, rest.slice(0, count));
      count = Math.min(2 * read.length, listBatchRows);
      yield rest.slice(0, read.length).map((one, index) => ({ ...one, data: read[index] ?? null }));
      rest = rest.slice(read.length);
    }
  }
}

/** `searched`: how many it has looked at. `next`: after which to go on; undefined when everything was looked at. */
type Found = { positions: Seen[]; searched: number; next: Position | undefined };

/** Looks for submissions of pages, newest first, until it has found `limit`, or has worked for `maxMs`. */
export async function searchSubmissions(db: Knex, pages: readonly SearchedPage[], search: Search): Promise<Found> {
  const startedAt = performance.now();
  const pauses = new Pauses(search.turnMs);
  const positions: Seen[] = [];
  let [searched, bytes] = [0, 0];
  for await (const batch of readNewestFirst(db, pages, search)) {
    for (const seen of batch) {
      searched += 1;
      if (seen.data === null) continue;
      if (pauses.isDue()) await pauses.take();
      const matches = search.matches(seen.data, pauses);
      // A promise for each of many small submissions would cost more than the look at them.
      if (!(typeof matches === 'boolean' ? matches : await matches)) continue;
      positions.push(seen);
      bytes += seen.data.length;
      if (positions.length === search.limit || bytes >= SEARCH_FOUND_BYTES) return { positions, searched, next: seen };
    }
    if (performance.now() - startedAt >= search.maxMs) return { positions, searched, next: batch.at(-1) };
  }
  return { positions, searched, next: undefined };
}

/** All submissions of a page that are looked for, without tests, oldest first, in batches, some of them empty. `run` reads each. */
export async function* readMatching(
  db: Knex,
  { deploymentId, after, before }: Omit<SearchedPage, 'tests'>,
  { matches, unread, starred, status, form, turnMs }: Omit<Search, 'limit' | 'maxMs'>,
  run: RunRead,
): AsyncGenerator<NumberedSubmission[]> {
  const pauses = new Pauses(turnMs);
  for await (const batch of readSubmissions(db, deploymentId, { order: 'oldest', after, before }, run)) {
    const numbers = batch.map(({ number }) => number);
    const marked =
      unread || starred || status
        ? await run(() => numbersWithMarks(db, deploymentId, { unread, starred, status }, numbers))
        : new Set(numbers);
    const found: NumberedSubmission[] = [];
    for (const submission of batch) {
      if (!marked.has(submission.number) || (form !== undefined && submission.form !== form)) continue;
      if (pauses.isDue()) await pauses.take();
      if (await matches(submission.data, pauses)) found.push(submission);
    }
    yield found;
  }
}
