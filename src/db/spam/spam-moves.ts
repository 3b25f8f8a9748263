import type { Knex } from 'knex';
import { newSubmissionId } from '../../lib/ids.ts';
import { execute } from '../postgres/query.ts';
import { extraPlacesOf } from '../submissions/place-counts.ts';
import { IS_MAILED, storeAccepted } from '../submissions/store-statements.ts';
import { trimSpamFiles } from './spam-clean-up.ts';
import { IS_KEPT } from './spam-queries.ts';

/** Submissions that one statement moves. */
const MARKED_SPAM_BATCH = 100;

/*
 * Accepts a submission that was kept apart as spam, as if it came now: its deliveries too. It keeps its id, which is in
 * the URLs of its files; its deliveries get new ones, because it may have been accepted before. The owner has decided, so
 * that neither the limits of the form nor its times apply; it takes its places. The deployment's row is locked first, as by the statement that stores submissions.
 */
const RELEASE = `
  WITH deployment AS MATERIALIZED (
    SELECT id, places_field FROM deployments WHERE id = ? AND owner_id = ? AND deleted_at IS NULL FOR NO KEY UPDATE
  ), released AS MATERIALIZED (
    DELETE FROM spam_submissions USING deployment
     WHERE spam_submissions.id = ? AND deployment_id = deployment.id AND ${IS_KEPT}
    RETURNING deployment_id, spam_submissions.id, data, ip_address
  ), accepted AS MATERIALIZED (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           extra_places = extra_places + ${extraPlacesOf('released', 'deployment')},
           last_submission_number = last_submission_number + 1
      FROM released
     WHERE deployments.id = released.deployment_id
    RETURNING released.deployment_id, last_submission_number AS number, released.id, data::text AS data, ip_address,
              clock_timestamp() AS now, owner_id, ${IS_MAILED} AS is_mailed, notify_owner,
              confirmation IS NOT NULL AS is_confirmed,
              ?::text AS seed
  ), ${storeAccepted('seed')}
  SELECT FROM accepted`;

/** Accepts a submission that a live deployment of this owner keeps as spam; false when there is none. */
export async function releaseSpam(db: Knex, ownerId: number, deploymentId: string, id: string): Promise<boolean> {
  const values = [deploymentId, ownerId, id, newSubmissionId()];
  return (await execute(db, 'release-spam', RELEASE, values)) === 1;
}

/*
 * Moves submissions of a live deployment of this owner into its spam folder. The row is locked first, and rows are found by lists of
 * keys, as by what deletes submissions. Their numbers are not used again; their marks are removed.
 */
const MARK = `
  WITH deployment AS MATERIALIZED (
    SELECT id, places_field FROM deployments WHERE id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL FOR NO KEY UPDATE
  ), named AS MATERIALIZED (
    SELECT deployment_id, number FROM submissions WHERE id = ANY (CAST(:ids AS text[]))
  ), removed AS (
    DELETE FROM submissions
     WHERE deployment_id = :deploymentId AND number = ANY (ARRAY(
             SELECT number FROM named JOIN deployment ON deployment_id = deployment.id))
    RETURNING deployment_id, number, id, data, ip_address, created_at
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count - (SELECT count(*) FROM removed),
           extra_places = extra_places - ${extraPlacesOf('removed', 'deployment')}
     WHERE id = :deploymentId AND EXISTS (SELECT FROM removed)
  ), kept AS (
    INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
    SELECT deployment_id, id, data, ip_address, created_at, clock_timestamp(), 'marked' FROM removed ORDER BY number
  ), pending AS (
    -- An id begins with that of its submission. One that is locked has no submission when it is claimed next.
    DELETE FROM deliveries WHERE id = ANY (ARRAY(
      SELECT deliveries.id FROM deliveries JOIN removed
          ON deliveries.id >= 'dl_' || substr(removed.id, 5) AND deliveries.id < 'dl_' || substr(removed.id, 5) || '~'
       WHERE status = 'pending' FOR UPDATE OF deliveries SKIP LOCKED))
  )
  SELECT FROM removed`;

/** Puts submissions of a live deployment of this owner into its spam folder; how many there were. */
export async function markAsSpam(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<number> {
  // Ids increase with time. The folder lists the last that was moved first, and keeps the last ones.
  const oldestFirst = [...ids].sort();
  let marked = 0;
  for (let from = 0; from < ids.length; from += MARKED_SPAM_BATCH) {
    const some = oldestFirst.slice(from, from + MARKED_SPAM_BATCH);
    marked += await execute(db, 'mark-as-spam', MARK, { deploymentId, ownerId, ids: some });
    await trimSpamFiles(db, deploymentId);
  }
  return marked;
}
