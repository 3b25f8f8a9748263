import type { Knex } from 'knex';
import type { Solution } from '../../forms/altcha.ts';
import type { Limits } from '../../limits.ts';
import { checkStorage, StorageFull, type StorageLimits, settleStorage } from '../account/storage-queries.ts';
import type { Database } from '../postgres/connect.ts';
import { isDuplicate } from '../postgres/out-of-reach.ts';
import { execute } from '../postgres/query.ts';
import {
  expectedOutcome,
  findLive,
  type NewSubmission,
  retryWhileLocked,
  type StoreOutcome,
  storeCounted,
} from './store-submissions.ts';
import { bytesOf, insertFiles, type NewFile } from './submission-file-queries.ts';
import { type IdempotencyKey, storeKey } from './submission-key-queries.ts';

/** The parts of a submission besides its data. */
export type SubmissionOptions = {
  files: readonly NewFile[];
  key?: IdempotencyKey | undefined;
  /** Counts once. */
  solution?: Solution | undefined;
  /** True if its id is that of an earlier attempt. */
  isRetry?: boolean;
};

/** Ends the transaction of a submission that is not accepted. */
export class NotAccepted extends Error {
  readonly outcome: StoreOutcome;

  constructor(outcome: StoreOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/**
 * Returns the outcome of storing a submission. A submission that is not accepted ends its transaction with an error, which
 * rolls it back. Rejects with any other error.
 */
export async function outcomeOf(storing: Promise<void>): Promise<StoreOutcome> {
  try {
    await storing;
    return { kind: 'accepted' };
  } catch (error) {
    if (error instanceof NotAccepted) return error.outcome;
    if (error instanceof StorageFull) return { kind: 'storage-full' };
    if (isDuplicate(error)) return { kind: 'duplicate' };
    throw error;
  }
}

/**
 * Stores a submission with its files and its key in one transaction, with `storeCounted`. The files come first, so that
 * the lock on the deployment's row, which every submission to it needs, lasts for a statement or two and the commit. Throws
 * NotAccepted, and StorageFull when the files are too much for the owner's plan.
 */
export async function storeInTransaction(
  db: Database,
  submission: NewSubmission,
  { files, key, solution, isRetry = false }: SubmissionOptions,
  { limits, storageLimits }: { limits: Limits; storageLimits: StorageLimits },
): Promise<void> {
  const { deploymentId } = submission;
  if (files.length > 0) await checkStorage(db, { deploymentId }, bytesOf(files), storageLimits);
  await db.longTransaction(async (transaction) => {
    if (files.length > 0) {
      // Before the files: uploads over the limit write none.
      await refuseEarly(transaction, submission);
      await insertFiles(transaction, submission, files);
    }
    const outcome = await retryWhileLocked(limits, {
      store: () => storeCounted(transaction, submission),
      isLive: async () => (await findLive(transaction, [deploymentId]))[0],
    });
    if (outcome.kind !== 'accepted') throw new NotAccepted(outcome);
    if (isRetry && (await isKeptApart(transaction, submission.id))) throw new NotAccepted({ kind: 'duplicate' });
    if (key && !(await storeKey(transaction, submission, key))) throw new NotAccepted({ kind: 'duplicate' });
    if (solution && !(await storeSolution(transaction, solution))) throw new NotAccepted({ kind: 'solution-used' });
    if (files.length > 0) await settleStorage(transaction, { deploymentId }, storageLimits);
  });
}

/** Throws NotAccepted for a submission that would not be accepted now. The rate limit does not count spam. */
export async function refuseEarly(db: Knex, submission: NewSubmission, isSpam = false): Promise<void> {
  const expected = await expectedOutcome(db, submission);
  const isAccepted = expected.kind === 'accepted' || (isSpam && expected.kind === 'rate-limited');
  if (!isAccepted) throw new NotAccepted(expected);
}

/**
 * Uses a solution up; false when it has been used. It belongs in the transaction that stores the submission, after the
 * deployment's row is locked: any transaction that used it before has ended, and nothing is waited for.
 */
async function storeSolution(transaction: Knex, { hash, expiresAt }: Solution): Promise<boolean> {
  const sql = 'INSERT INTO altcha_solutions (hash, expires_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING';
  return (await execute(transaction, 'store-altcha-solution', sql, [hash, expiresAt])) === 1;
}

/** Returns whether the first attempt is kept apart, as spam or in the trash. Rows are moved only under the lock on the deployment's. */
const isKeptApart = async (transaction: Knex, id: string): Promise<boolean> =>
  (await execute(
    transaction,
    'is-kept-apart',
    `SELECT FROM spam_submissions WHERE id = :id
      UNION ALL SELECT FROM trashed_submissions WHERE id = :id`,
    { id },
  )) > 0;
