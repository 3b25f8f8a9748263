import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';
import { SIZES } from '../../sizes.ts';
import { execute, query, queryOne } from '../postgres/query.ts';
import type { Submission } from '../submissions/submission-queries.ts';
import { readBatch } from '../submissions/submission-reader.ts';
import { mailReceivers } from './mail-recipient-queries.ts';

const MAX_LISTED_BYTES = 1024 * 1024;

/** The subject of a digest: the submissions with numbers above `after`, up to `last`. Times are of its window. */
export type DigestRange = { after: number; last: number; from: Date; to: Date };

type NotifyEvery = Settings['notify_every'];

/** The window of a time, in UTC. `unit` and `time` are expressions. */
const windowOf = (unit: string, time: string): string => `date_trunc(${unit}, ${time}, 'UTC')`;
const endOfWindow = (unit: string, time: string): string =>
  `${windowOf(unit, time)} + CASE ${unit} WHEN 'day' THEN interval '24 hours' ELSE interval '1 hour' END`;

/** The settings that decide about digests. */
type Mailing = Pick<Settings, 'email_notifications' | 'notify_every'>;

/**
 * Follows a change of settings in its transaction, which has locked the deployment's row: ends the digests of before, and
 * begins those of after. Submissions since the last digest are mailed at once, if mail stays on.
 */
export async function changeDigests(
  transaction: Knex,
  deploymentId: string,
  before: Mailing,
  changes: Partial<Mailing>,
): Promise<void> {
  const wasOn = before.email_notifications;
  const isOn = changes.email_notifications ?? wasOn;
  const unit = changes.notify_every ?? before.notify_every;
  const hasChanged = unit !== before.notify_every;
  if (!hasChanged && (wasOn || !isOn)) return;
  if (hasChanged && before.notify_every !== 'submission' && wasOn && isOn) {
    const open = await findWindow(transaction, deploymentId, before.notify_every, 'open');
    if (open) await mailReceivers(transaction, deploymentId, 'digest', open);
  }
  if (unit === 'submission') {
    await execute(transaction, 'end-digests', 'DELETE FROM digests WHERE deployment_id = ?', [deploymentId]);
    return;
  }
  await execute(
    transaction,
    'begin-digests',
    `INSERT INTO digests (deployment_id, next_at, last_number)
     SELECT id, ${endOfWindow('CAST(:unit AS text)', 'clock_timestamp()')}, last_submission_number
       FROM deployments WHERE id = :deploymentId
     ON CONFLICT (deployment_id) DO UPDATE SET next_at = excluded.next_at, last_number = excluded.last_number`,
    { deploymentId, unit },
  );
}

type DueRow = { deployment_id: string; is_on: boolean; unit: NotifyEvery; after: number; newest: number };

/** The outcome of a digest that was due: `mailed` where deliveries are due now. */
type WindowOutcome = 'mailed' | 'empty';

/**
 * Makes the mails of one window that has ended, and moves its deployment to the next window, in one transaction: each
 * window is mailed once, however many processes call this. undefined when nothing is due.
 *
 * The deployment's row is locked, as by the statement that stores submissions. So all submissions of a window that has
 * ended are committed, and are seen by the statements after the one that locks. Nothing is waited for: there is no
 * deadlock.
 */
export const mailDueWindow = (db: Knex): Promise<WindowOutcome | undefined> =>
  db.transaction(async (transaction) => {
    const [due] = await query<DueRow>(
      transaction,
      'lock-due-window',
      `SELECT deployment_id, email_notifications AND deleted_at IS NULL AS is_on, notify_every AS unit,
              last_number AS after, last_submission_number AS newest
         FROM digests JOIN deployments ON deployments.id = deployment_id
        WHERE next_at <= now() ORDER BY next_at LIMIT 1
          FOR NO KEY UPDATE SKIP LOCKED`,
    );
    if (!due) return undefined;
    const { deployment_id: deploymentId, unit, after } = due;
    const window = due.is_on ? await findWindow(transaction, deploymentId, unit, 'closed') : undefined;
    // Without submissions, the next window is the one that is open now; otherwise it may have ended long ago, too.
    await execute(
      transaction,
      'advance-digest',
      `UPDATE digests
          SET last_number = :last,
              next_at = ${endOfWindow('CAST(:unit AS text)', 'coalesce(CAST(:end AS timestamptz), clock_timestamp())')}
        WHERE deployment_id = :deploymentId`,
      { deploymentId, unit, end: window?.to ?? null, last: window?.last ?? (due.is_on ? after : due.newest) },
    );
    const made = window ? await mailReceivers(transaction, deploymentId, 'digest', window) : [];
    return made.length > 0 ? 'mailed' : 'empty';
  });

/** The submissions that were not mailed: those of the oldest window that has ended, or, of an `open` one, all until now. */
async function findWindow(
  transaction: Knex,
  deploymentId: string,
  unit: NotifyEvery,
  state: 'open' | 'closed',
): Promise<DigestRange | undefined> {
  const [window] = await query<DigestRange>(
    transaction,
    'find-window',
    // Where a clock has been set back, times don't rise with numbers: each window has its first submission at least.
    `WITH oldest AS MATERIALIZED (
       SELECT digests.last_number AS after, ${windowOf('CAST(:unit AS text)', 'created_at')} AS from,
              CASE WHEN :isOpen THEN clock_timestamp() ELSE ${endOfWindow('CAST(:unit AS text)', 'created_at')} END AS to
         FROM digests, LATERAL (
           SELECT created_at FROM submissions
            WHERE deployment_id = :deploymentId AND number > digests.last_number ORDER BY number LIMIT 1
         ) AS first
        WHERE digests.deployment_id = :deploymentId
     )
     SELECT after, (
              SELECT max(number) FROM submissions
               WHERE deployment_id = :deploymentId AND number > after AND (:isOpen OR created_at < oldest.to)) AS last,
            oldest.from, oldest.to
       FROM oldest WHERE oldest.to <= clock_timestamp()`,
    { deploymentId, unit, isOpen: state === 'open' },
  );
  return window;
}

/** The submissions of a digest that exist now: the oldest, and how many there are in all. */
export type Digest = { submissions: Submission[]; total: number };

/** Reads at most `maxListed` submissions of a digest, and `maxListedBytes` of their data, but always one. */
export async function readDigest(
  db: Knex,
  deploymentId: string,
  { after, last }: Pick<DigestRange, 'after' | 'last'>,
): Promise<Digest> {
  const { total } = await queryOne<{ total: number }>(
    db,
    'count-of-digest',
    'SELECT count(*) AS total FROM submissions WHERE deployment_id = ? AND number > ? AND number <= ?',
    [deploymentId, after, last],
  );
  const range = { order: 'oldest', after, before: last + 1, limit: SIZES.digest.maxListed } as const;
  return { total, submissions: await readBatch(db, deploymentId, range, MAX_LISTED_BYTES) };
}
