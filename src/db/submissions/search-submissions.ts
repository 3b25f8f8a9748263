import type { Knex } from 'knex';
import { Pauses } from '../../lib/submission-search.ts';
import { SIZES } from '../../sizes.ts';
import { countBetween, type MarkFilter, markedNumbers } from './submission-marks.ts';
import { type RunRead, readSubmissions } from './submission-reader.ts';
import type { NumberedSubmission } from './submissions.ts';

/** The numbers `after` and `before` are left out. */
type Range = { after: number; before: number };

/** `matches`: whether a submission with this JSON text is looked for. */
export type Search = Range &
  MarkFilter & {
    matches(data: string, pauses: Pauses): boolean | Promise<boolean>;
    limit: number;
    /** For how many milliseconds it may work, and before other work has a turn. */
    maxMs: number;
    turnMs: number;
  };

/** `searched`: how many it has looked at. `next`: before which number to go on; undefined when everything was looked at. */
type Found = { numbers: number[]; searched: number; next: number | undefined };

/** Looks for submissions, newest first, until it has found `limit`, or has worked for `maxMs`. */
export async function searchSubmissions(db: Knex, deploymentId: string, search: Search): Promise<Found> {
  const startedAt = performance.now();
  const pauses = new Pauses(search.turnMs);
  const numbers: number[] = [];
  let bytes = 0;
  const found = async (downTo: number): Promise<Found> => ({
    numbers,
    searched: await countBetween(db, deploymentId, search, { after: downTo - 1, before: search.before }),
    next: downTo > search.after + 1 ? downTo : undefined,
  });
  for await (const batch of readCandidates(db, deploymentId, search)) {
    for (const { number, data } of batch.submissions) {
      if (pauses.isDue()) await pauses.take();
      const matches = search.matches(data, pauses);
      // A promise for each of many small submissions would cost more than the look at them.
      if (!(typeof matches === 'boolean' ? matches : await matches)) continue;
      numbers.push(number);
      bytes += data.length;
      if (numbers.length === search.limit || bytes >= SIZES.internal.searchFoundBytes) return found(number);
    }
    if (performance.now() - startedAt >= search.maxMs) return found(batch.downTo);
  }
  return found(search.after + 1);
}

/** All submissions that are looked for, oldest first, in batches, some of them empty. `run` reads each. */
export async function* readMatching(
  db: Knex,
  deploymentId: string,
  { matches, unread, starred, turnMs, after, before }: Omit<Search, 'limit' | 'maxMs'>,
  run: RunRead,
): AsyncGenerator<NumberedSubmission[]> {
  const pauses = new Pauses(turnMs);
  for await (const batch of readSubmissions(db, deploymentId, { order: 'oldest', after, before }, run)) {
    const range = { after: (batch[0]?.number ?? 0) - 1, before: (batch.at(-1)?.number ?? 0) + 1 };
    const marked =
      unread || starred
        ? new Set((await run(() => markedNumbers(db, deploymentId, { unread, starred }, range))).numbers)
        : undefined;
    const found: NumberedSubmission[] = [];
    for (const submission of batch) {
      if (marked && !marked.has(submission.number)) continue;
      if (pauses.isDue()) await pauses.take();
      if (await matches(submission.data, pauses)) found.push(submission);
    }
    yield found;
  }
}

/** Submissions with the marks of a search, newest first; all down to the number `downTo` have been looked at. */
type Batch = { submissions: readonly NumberedSubmission[]; downTo: number };

async function* readCandidates(db: Knex, deploymentId: string, search: Range & MarkFilter): AsyncGenerator<Batch> {
  const { after, unread, starred } = search;
  let { before } = search;
  if (!unread && !starred) return yield* readInBatches(db, deploymentId, { after, before });
  for (;;) {
    const { numbers, downTo } = await markedNumbers(db, deploymentId, { unread, starred }, { after, before });
    if (downTo === null) return;
    if (numbers.length > 0) yield* readInBatches(db, deploymentId, { after, before, numbers });
    yield { submissions: [], downTo };
    before = downTo;
  }
}

async function* readInBatches(
  db: Knex,
  deploymentId: string,
  range: Range & { numbers?: readonly number[] },
): AsyncGenerator<Batch> {
  for await (const submissions of readSubmissions(db, deploymentId, { order: 'newest', ...range })) {
    const last = submissions.at(-1);
    if (last) yield { submissions, downTo: last.number };
  }
}
