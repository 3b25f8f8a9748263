import type { Knex } from 'knex';
import { newSubmissionId } from '../../lib/ids.ts';
import { query } from '../postgres/query.ts';
import {
  bringBack,
  type Folder,
  type KeptSubmission,
  letIn,
  moveSubmissions,
  moving,
  OWN,
} from '../submissions/moved-submission-queries.ts';
import { extraPlacesOf } from '../submissions/place-counts.ts';
import { IS_MAILED, storeAccepted } from '../submissions/store-statements.ts';
import { IS_KEPT } from './spam-queries.ts';

const FOLDER: Folder = { name: 'spam', table: 'spam_submissions', isKept: IS_KEPT };

/*
 * Accepts a submission that was kept apart as spam, as if it came now: its deliveries too. It keeps its id, which is in
 * the URLs of its files; its deliveries get new ones, because it may have been accepted before.
 */
const RELEASE = `
  WITH released AS MATERIALIZED (
    DELETE FROM spam_submissions WHERE deployment_id = :deploymentId AND id = :id
    RETURNING deployment_id, id, data, ip_address, form
  ), accepted AS MATERIALIZED (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           extra_places = extra_places + ${extraPlacesOf('released', 'deployments')},
           last_submission_number = last_submission_number + 1
      FROM released
     WHERE deployments.id = released.deployment_id
    RETURNING released.deployment_id, last_submission_number AS number, released.id, data::text AS data, ip_address, form,
              clock_timestamp() AS now, owner_id, ${IS_MAILED} AS is_mailed, notify_owner,
              confirmation IS NOT NULL AS is_confirmed,
              CAST(:seed AS text) AS seed
  ), ${storeAccepted('seed')}
  SELECT FROM accepted`;

/** Accepts a submission that a live deployment of this owner keeps as spam. 'full': its places are not free. */
export const releaseSpam = (db: Knex, kept: KeptSubmission): Promise<'done' | 'full' | 'missing'> =>
  letIn(db, FOLDER, kept, { name: 'release-spam', statement: RELEASE, values: { seed: newSubmissionId() } });

/** Spam that was accepted before its owner marked it. */
const ACCEPTED: Folder = { ...FOLDER, name: 'accepted-spam', isKept: `${IS_KEPT} AND accepted_number IS NOT NULL` };

/**
 * Brings a submission that was marked as spam back as it was. 'full': its places are not free. 'never-accepted': it came as spam, so
 * there is nothing to bring back.
 */
export async function restoreSpam(
  db: Knex,
  kept: KeptSubmission,
): Promise<'done' | 'full' | 'missing' | 'never-accepted'> {
  const outcome = await bringBack(db, ACCEPTED, kept, 'accepted_number');
  return outcome === 'missing' && (await isKept(db, kept)) ? 'never-accepted' : outcome;
}

/** Returns whether a live deployment of this owner keeps a submission as spam that was never accepted. */
const isKept = async (db: Knex, kept: KeptSubmission): Promise<boolean> => {
  const rows = await query(
    db,
    'find-never-accepted',
    `SELECT FROM spam_submissions JOIN deployments ON deployments.id = deployment_id
      WHERE spam_submissions.id = :id AND ${OWN} AND ${IS_KEPT} AND accepted_number IS NULL`,
    kept,
  );
  return rows.length > 0;
};

/* A delivery's id begins with that of its submission. One that is locked has no submission when it is claimed next. */
const MARK = moving(`, pending AS (
    DELETE FROM deliveries WHERE id = ANY (ARRAY(
      SELECT deliveries.id FROM deliveries JOIN removed
          ON deliveries.id >= 'dl_' || substr(removed.id, 5) AND deliveries.id < 'dl_' || substr(removed.id, 5) || '~'
       WHERE deliveries.status = 'pending' FOR UPDATE OF deliveries SKIP LOCKED))
  )
  INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason, form,
                                accepted_number, read, starred, note, status)
  SELECT deployment_id, id, data, ip_address, created_at, clock_timestamp(), 'marked', form, number, read, starred, note, status
    FROM removed ORDER BY number`);

/** Puts submissions of a live deployment of this owner into its spam folder; how many there were. */
export const markAsSpam = (db: Knex, ownerId: number, deploymentId: string, ids: readonly string[]): Promise<number> =>
  // Ids increase with time. The folder lists the last that was moved first, and keeps the last ones.
  moveSubmissions(db, { ownerId, deploymentId }, [...ids].sort(), { name: 'mark-as-spam', statement: MARK });
