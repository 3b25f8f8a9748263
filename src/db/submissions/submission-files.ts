import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Solution } from '../../lib/altcha.ts';
import { BusyError } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage.ts';
import { checkFresh, insertChunks, type NewObject } from '../files/stored-files.ts';
import type { Database } from '../postgres/connect.ts';
import { execute } from '../postgres/query.ts';
import { type IdempotencyKey, storeKey } from './idempotency-keys.ts';
import {
  expectedOutcome,
  type NewSubmission,
  type Outcome,
  type StoreOutcome,
  storeSubmissions,
} from './store-submissions.ts';

/** `filename` and `contentType` as they were sent. `object`: in the bucket, if the content is there already. */
export type NewFile = {
  id: string;
  filename: string;
  contentType: string;
  content: Buffer;
  object?: NewObject | undefined;
};

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
 * Stores a submission with its files and its key in one transaction, with `storeSubmissions`. The files come first, so that
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
    const outcome = await retryWhileLocked(
      limits,
      async () => (await storeSubmissions(transaction, [submission])).outcomes[0],
    );
    if (outcome.kind !== 'accepted') throw new NotAccepted(outcome);
    if (isRetry && (await isSpam(transaction, submission.id))) throw new NotAccepted({ kind: 'duplicate' });
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

/** The outcome of `store`, which is tried again while another transaction has locked the deployment; then a BusyError. */
export async function retryWhileLocked(
  { submissions: { lockedWaitTimeoutMs, lockedPollMs } }: Limits,
  store: () => Promise<Outcome | undefined>,
): Promise<StoreOutcome> {
  const end = performance.now() + lockedWaitTimeoutMs;
  for (;;) {
    const outcome = await store();
    if (outcome && outcome.kind !== 'busy') return outcome;
    if (performance.now() > end) throw new BusyError();
    await delay(lockedPollMs);
  }
}

/**
 * Uses a solution up; false when it has been used. It belongs in the transaction that stores the submission, after the
 * deployment's row is locked: any transaction that used it before has ended, and nothing is waited for.
 */
async function storeSolution(transaction: Knex, { hash, expiresAt }: Solution): Promise<boolean> {
  const sql = 'INSERT INTO altcha_solutions (hash, expires_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING';
  return (await execute(transaction, 'store-altcha-solution', sql, [hash, expiresAt])) === 1;
}

/** Returns whether the first attempt is kept apart as spam. */
const isSpam = async (transaction: Knex, id: string): Promise<boolean> =>
  (await execute(transaction, 'is-spam', 'SELECT FROM spam_submissions WHERE id = ?', [id])) === 1;

/** The bytes of all of these files. */
export const bytesOf = (files: readonly NewFile[]): number =>
  files.reduce((sum, { content }) => sum + content.length, 0);

const NO_BYTES = Buffer.alloc(0);

export async function insertFiles(
  transaction: Knex,
  submission: NewSubmission,
  files: readonly NewFile[],
): Promise<void> {
  for (const { object } of files) if (object) checkFresh(object);
  await execute(
    transaction,
    'insert-files',
    `INSERT INTO submission_files
       (id, deployment_id, submission_id, filename, content_type, size, object_id, object_sha256)
     SELECT id, ?, ?, filename, content_type, size, nullif(object_id, ''), nullif(object_sha256, '')
       FROM unnest(?::text[], ?::bytea[], ?::text[], ?::integer[], ?::text[], ?::bytea[])
         AS file (id, filename, content_type, size, object_id, object_sha256)`,
    [
      submission.deploymentId,
      submission.id,
      files.map(({ id }) => id),
      files.map(({ filename }) => Buffer.from(filename)),
      files.map(({ contentType }) => contentType),
      files.map(({ content }) => content.length),
      files.map(({ object }) => object?.id ?? ''),
      files.map(({ object }) => object?.sha256 ?? NO_BYTES),
    ],
  );
  for (const { id, content, object } of files) if (!object) await insertChunks(transaction, id, content);
}
