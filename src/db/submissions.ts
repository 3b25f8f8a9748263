import type { Knex } from 'knex';
import { type LeasedDelivery, MAIL, type TargetRow, toTarget } from './deliveries.ts';

export type NewSubmission = {
  id: string;
  deploymentId: string;
  /** The JSON text of an object, kept as it is. */
  data: string;
  ipAddress: string;
};

export type Outcome =
  /** `slug`: the deployment's. */
  | { kind: 'accepted'; slug: string }
  | { kind: 'no-deployment' }
  /** Somebody else holds the deployment's row: nothing was tried. */
  | { kind: 'busy' }
  /** `retryAfterMs`: until the deployment takes another. */
  | { kind: 'rate-limited'; slug: string; retryAfterMs: number };

export type Submission = { id: string; data: string; ipAddress: string; createdAt: Date };

/** Accepted submissions of one deployment in any window of RATE_SECONDS. */
export const RATE_LIMIT = 10;
const RATE_SECONDS = 60;

/** The times within the window of the rate limit among `recent_submissions`, in order, as of `now`. */
const RECENT = `ARRAY(
             SELECT accepted_at FROM unnest(recent_submissions) AS accepted_at
              WHERE accepted_at > now - interval '${RATE_SECONDS} s' AND accepted_at < now + interval '${RATE_SECONDS} s'
              ORDER BY accepted_at)`;

/*
 * What follows when submissions are `accepted`: their rows, and the deliveries that webhooks and mail setting call for.
 *
 * - A delivery's id is made of its submission's, which is unique and rises with time, and its webhook's.
 * - Deliveries are leased to this process and answered, so that it need not look for them, unless their receiver is busy.
 */
const STORED = `stored AS (
    INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
    SELECT deployment_id, number, id, data::json, ip_address, now FROM accepted
  ), delivery AS MATERIALIZED (
    SELECT 'dl_' || substr(accepted.id, 5) || coalesce(right(webhook_id, 10), '') AS id,
           accepted.id AS submission_id, accepted.deployment_id, octet_length(data) AS bytes, position, now, target.*,
           coalesce(receiver <> ALL (?::text[]), false) AS leased
      FROM accepted, LATERAL (
        SELECT webhooks.id AS webhook_id, receiver, url, type, secret, previous_secrets,
               failing_since IS NOT NULL AS failing, NULL AS mail_to
          FROM webhooks
         WHERE webhooks.deployment_id = accepted.deployment_id AND active AND 'submission' = ANY (events)
        UNION ALL
        SELECT NULL, '${MAIL}', NULL, NULL, NULL, NULL, false, email FROM owners WHERE email_notifications AND owners.id = owner_id
      ) AS target
  ), to_deliver AS (
    INSERT INTO deliveries (id, deployment_id, submission_id, webhook_id, receiver, bytes, attempts, leased, next_attempt_at, created_at, updated_at)
    SELECT id, deployment_id, submission_id, webhook_id, receiver, bytes, leased::int, leased,
           CASE WHEN leased THEN now + ? * interval '1 ms' ELSE now END, now, now
      FROM delivery
  ), to_attempt AS (
    SELECT position, json_agg(json_build_object('id', id, 'receiver', receiver, 'webhook_id', webhook_id, 'url', url,
             'type', type, 'secret', secret, 'previous_secrets', previous_secrets, 'failing', failing, 'mail_to', mail_to)) AS deliveries
      FROM delivery WHERE leased GROUP BY position
  )`;

/*
 * Everything about a batch of submissions in one statement: does the deployment exist, is it under its limit, the next
 * number, the row, the counter, the deliveries that its webhooks and mail setting call for.
 *
 * - A deployment that another transaction holds is passed over: one that stands still must not hold up the others, and
 *   nobody who waits for nothing can deadlock.
 * - The clock is read when all locks are held (it counts the locked rows), so the times of one deployment only rise,
 *   and a window that another process has just filled is seen.
 * - Rows of one deployment are ranked in the order in which they came; the first `free` are accepted.
 * - A time far in the future, left by a clock that was set back, does not count: it would refuse for hours.
 * - Deployments are found by id alone: a condition on deleted_at would let a planner without statistics walk the index
 *   of live ones.
 * - (SELECT ...) hides how long an array is. The planner would take each plan for a few as cheaper than the one for any number,
 *   and plan each batch anew, which takes as long as storing it.
 */
const STORE = `
  WITH incoming AS MATERIALIZED (
    SELECT * FROM unnest((SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]))
      WITH ORDINALITY AS incoming (id, deployment_id, data, ip_address, position)
  ), locked AS MATERIALIZED (
    SELECT id, owner_id, slug, deleted_at, taken_down_at, last_submission_number, recent_submissions, email_notifications
      FROM deployments
     WHERE id = ANY ((SELECT ?::text[])::text[])
       FOR NO KEY UPDATE SKIP LOCKED
  ), clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, count(*) FROM locked
  ), deployment AS MATERIALIZED (
    SELECT locked.*, ${RECENT} AS recent
      FROM locked, clock
     WHERE deleted_at IS NULL AND taken_down_at IS NULL
  ), ranked AS MATERIALIZED (
    SELECT incoming.*,
           row_number() OVER (PARTITION BY deployment_id ORDER BY position) AS rank,
           count(*) OVER (PARTITION BY deployment_id) AS wanted,
           ${RATE_LIMIT} - cardinality(recent) AS free,
           recent, last_submission_number, email_notifications, owner_id, slug
      FROM incoming JOIN deployment ON deployment.id = incoming.deployment_id
  ), accepted AS MATERIALIZED (
    SELECT ranked.*, last_submission_number + rank AS number, now FROM ranked, clock WHERE rank <= free
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count + rank,
           last_submission_number = last.number,
           recent_submissions = recent || array_fill(now, ARRAY[rank::int])
      FROM accepted AS last
     WHERE deployments.id = last.deployment_id AND rank = least(free, wanted)
  ), ${STORED}
  SELECT free,
         CASE WHEN rank > free
           THEN ceil(1000 * extract(epoch FROM coalesce(recent[1], now) - now + interval '${RATE_SECONDS} s'))::int
         END AS retry_after_ms,
         deliveries, CASE WHEN deliveries IS NOT NULL THEN now END AS created_at, slug,
         free IS NULL AND coalesce((
           SELECT coalesce(deleted_at, taken_down_at) IS NULL FROM deployments WHERE id = incoming.deployment_id), false) AS busy
    FROM incoming LEFT JOIN ranked USING (position) LEFT JOIN to_attempt USING (position), clock
   ORDER BY position`;

/*
 * The same for one submission whose deployment is live, not held, and has room: most come alone, and the many steps of the
 * statement above take half as long again for one. Where this finds nothing to do, that one tells why.
 *
 * - The last ten times are kept, and another is taken where the tenth last is not there or out of the window: so none within it is
 *   ever dropped. Times that are not in order may hide a slot, which the statement above then finds.
 * - coalesce() keeps a planner without statistics from the index of live ones.
 */
const STORE_ONE = `
  WITH accepted AS (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           last_submission_number = last_submission_number + 1,
           recent_submissions = (recent_submissions || clock_timestamp())[cardinality(recent_submissions) - ${RATE_LIMIT - 2}:]
     WHERE id = (
       SELECT id FROM deployments
        WHERE id = ? AND coalesce(deleted_at, taken_down_at) IS NULL
          AND coalesce(recent_submissions[cardinality(recent_submissions) - ${RATE_LIMIT - 1}] <= clock_timestamp() - interval '${RATE_SECONDS} s', true)
          FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id AS deployment_id, last_submission_number AS number, ?::text AS id, ?::text AS data, ?::text AS ip_address,
              recent_submissions[cardinality(recent_submissions)] AS now, 1 AS position, owner_id, slug, email_notifications
  ), ${STORED}
  SELECT 1 AS free, NULL AS retry_after_ms, deliveries, CASE WHEN deliveries IS NOT NULL THEN now END AS created_at, slug,
         false AS busy
    FROM accepted LEFT JOIN to_attempt USING (position)`;

type Row = {
  /** null when there is no such deployment. */
  free: number | null;
  /** null when it is accepted. */
  retry_after_ms: number | null;
  deliveries: string | null;
  created_at: Date | null;
  slug: string;
  busy: boolean;
};

function toOutcome({ free, retry_after_ms, slug, busy }: Row): Outcome {
  if (busy) return { kind: 'busy' };
  if (free === null) return { kind: 'no-deployment' };
  if (retry_after_ms === null) return { kind: 'accepted', slug };
  return { kind: 'rate-limited', slug, retryAfterMs: Math.min(Math.max(retry_after_ms, 1), RATE_SECONDS * 1_000) };
}

function toDeliveries(row: Row, { deploymentId, data }: NewSubmission): LeasedDelivery[] {
  const { deliveries, created_at: createdAt, slug } = row;
  if (deliveries === null || createdAt === null) return [];
  const targets: (TargetRow & { id: string; receiver: string })[] = JSON.parse(deliveries);
  return targets.map((target) => ({
    id: target.id,
    attempts: 1,
    receiver: target.receiver,
    deploymentId,
    slug,
    target: toTarget(target),
    data,
    createdAt,
  }));
}

/**
 * Stores the submissions that their deployments take, all in one transaction: an outcome for each, in their order, and the
 * deliveries that are leased to this process, their first attempt counted. One that comes alone and isn't taken costs two statements.
 * One row that Postgres refuses fails them all: see `createSubmissionQueue`.
 */
export async function storeSubmissions(
  db: Knex,
  batch: readonly NewSubmission[],
  /** `busy`: receivers whose deliveries are not leased but left for later; undefined: no delivery is leased. */
  { leaseMs, busy }: { leaseMs: number; busy: readonly string[] | undefined },
): Promise<{ outcomes: Outcome[]; deliveries: LeasedDelivery[] }> {
  const notLeased = busy ? [...busy] : null;

  async function storeOne({ id, deploymentId, data, ipAddress }: NewSubmission) {
    const { rows } = await db
      .raw(STORE_ONE, [deploymentId, id, data, ipAddress, notLeased, leaseMs])
      .options({ name: 'store-submission' });
    return rows;
  }

  async function storeAll() {
    const deploymentIds = batch.map((submission) => submission.deploymentId);
    const { rows } = await db
      .raw(STORE, [
        batch.map((submission) => submission.id),
        deploymentIds,
        batch.map((submission) => submission.data),
        batch.map((submission) => submission.ipAddress),
        [...new Set(deploymentIds)],
        notLeased,
        leaseMs,
      ])
      .options({ name: 'store-submissions' });
    return rows;
  }

  const [one, ...more] = batch;
  const stored = one && more.length === 0 ? await storeOne(one) : [];
  const rows = stored.length > 0 ? stored : await storeAll();
  return {
    outcomes: rows.map(toOutcome),
    deliveries: batch.flatMap((submission, index) => toDeliveries(rows[index], submission)),
  };
}

/** What a submission would meet at this moment. Nothing is stored, and nothing promised. */
export async function findRoom(db: Knex, deploymentId: string): Promise<Outcome> {
  const { rows } = await db
    .raw(
      `SELECT ${RATE_LIMIT} - cardinality(recent) AS free, false AS busy,
              CASE WHEN cardinality(recent) >= ${RATE_LIMIT}
                THEN ceil(1000 * extract(epoch FROM recent[1] - now + interval '${RATE_SECONDS} s'))::int
              END AS retry_after_ms, slug
         FROM deployments, clock_timestamp() AS now, LATERAL (SELECT ${RECENT} AS recent) AS recently
        WHERE id = ? AND deleted_at IS NULL AND taken_down_at IS NULL`,
      [deploymentId],
    )
    .options({ name: 'find-room' });
  return rows.length === 0 ? { kind: 'no-deployment' } : toOutcome(rows[0]);
}

/*
 * Where a page starts: at the offset below the last number, and lower by the holes above. With holes h1 > h2 > ... and
 * n = last - offset, a start s is right when offset submissions are above it: s = n - (how many h > s). h(i) + i - 1 never rises
 * with i; let m be how many of these are at least n. Then h(m) >= n - m + 1 and h(m + 1) < n - m, so that exactly m holes are
 * above s = n - m. The first that is below n is looked for from the top, and the look ends there.
 */
const LIST = `
  SELECT submission_count AS total, submission.*
    FROM deployments LEFT JOIN LATERAL (
      SELECT id, data, ip_address, created_at FROM submissions
       WHERE deployment_id = deployments.id
         AND number <= last_submission_number - CAST(:offset AS bigint) - CASE
           WHEN submission_count = last_submission_number OR CAST(:offset AS bigint) = 0 THEN 0
           WHEN submission_count <= CAST(:offset AS bigint) THEN last_submission_number
           ELSE coalesce((
             SELECT rank - 1 FROM (
               SELECT number, row_number() OVER (ORDER BY number DESC) AS rank FROM removed_submissions
                WHERE deployment_id = deployments.id
             ) AS hole
              WHERE number + rank - 1 < last_submission_number - CAST(:offset AS bigint) ORDER BY number DESC LIMIT 1
           ), last_submission_number - submission_count)
         END
       ORDER BY number DESC LIMIT :limit
    ) AS submission ON true
   WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL`;

type SubmissionRow = { id: string; data: string; ip_address: string; created_at: Date };

const toSubmission = ({ id, data, ip_address: ipAddress, created_at: createdAt }: SubmissionRow): Submission => ({
  id,
  data,
  ipAddress,
  createdAt,
});

/**
 * A page of a deployment's submissions, newest first, and how many there are in all; undefined when this owner has no
 * such live deployment. Pages are ranges of numbers, so that the cost of one does not depend on its depth, but on how many
 * submissions above it have been deleted.
 */
export async function listSubmissions(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ submissions: Submission[]; total: number } | undefined> {
  const { rows } = await db
    .raw(LIST, { offset: (page - 1) * limit, limit, deploymentId, ownerId })
    .options({ name: 'list-submissions' });
  if (rows.length === 0) return undefined;
  return {
    total: rows[0].total,
    submissions: rows.filter((row: { id: string | null }) => row.id !== null).map(toSubmission),
  };
}

/** A submission of a live deployment of this owner. */
export async function findSubmission(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<Submission | undefined> {
  const { rows } = await db.raw(
    `SELECT submissions.id, data, ip_address, submissions.created_at
       FROM submissions JOIN deployments ON deployments.id = deployment_id
      WHERE submissions.id = ? AND deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, deploymentId, ownerId],
  );
  return rows.map(toSubmission)[0];
}

/*
 * The deployment's row is locked first, as it is by what stores submissions, which passes over a row that is held: neither
 * waits for the other with something in its hands. What was gone by the time the lock was had is not found any more.
 */
const DELETE = `
  WITH deployment AS MATERIALIZED (
    SELECT id FROM deployments WHERE id = ? AND owner_id = ? AND deleted_at IS NULL FOR NO KEY UPDATE
  ), removed AS (
    DELETE FROM submissions USING deployment
     WHERE submissions.id = ? AND deployment_id = deployment.id RETURNING deployment_id, submissions.id, number
  ), files AS (
    DELETE FROM submission_files USING removed
     WHERE submission_files.deployment_id = removed.deployment_id AND submission_id = removed.id
  ), hole AS (
    INSERT INTO removed_submissions (deployment_id, number) SELECT deployment_id, number FROM removed
  ), counted AS (
    UPDATE deployments SET submission_count = submission_count - 1 FROM removed WHERE deployments.id = removed.deployment_id
  )
  SELECT FROM removed`;

/**
 * Deletes a submission of a live deployment of this owner, with its files; whether there was one. Its number is not given again, and it still
 * counts for the rate limit. Its pending deliveries end where they are claimed.
 */
export async function deleteSubmission(db: Knex, ownerId: number, deploymentId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.raw(DELETE, [deploymentId, ownerId, id]).options({ name: 'delete-submission' });
  return rowCount === 1;
}
