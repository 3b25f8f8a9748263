import type { Knex } from 'knex';
import type { Event } from '../events.ts';
import { SIZES } from '../limits.ts';
import { type LeasedDelivery, MAIL, type MAIL_EVENTS, type TargetRow, toTarget } from './delivery-target.ts';
import { ownerReceives, RECEIVES_MAIL } from './mail-recipients.ts';
import { query } from './postgres/query.ts';

export type NewSubmission = {
  id: string;
  deploymentId: string;
  /** The JSON text of an object, stored as it is. */
  data: string;
  ipAddress: string;
  /** The version of the form's rules that it was judged by; 0: there were none. */
  rulesVersion: number;
};

export type Outcome =
  /** `slug`: the deployment's. */
  | { kind: 'accepted'; slug: string }
  | { kind: 'no-deployment' }
  /** The form's rules have another version: nothing was changed. */
  | { kind: 'rules-changed' }
  /** Another transaction has locked the deployment's row: nothing was changed. */
  | { kind: 'busy' }
  /** `retryAfterMs`: until the deployment accepts another. */
  | { kind: 'rate-limited'; slug: string; retryAfterMs: number };

/** How deliveries are leased. `busy`: receivers whose deliveries are not leased; undefined: none is leased. */
export type Leasing = { leaseMs: number; busy: readonly string[] | undefined };

/** Ids of deployments whose submissions are known to be delivered. */
export type Delivering = {
  get(deploymentId: string): true | undefined;
  set(deploymentId: string, known: true): unknown;
};

/** The event that a submission is, and that of its mail to a recipient. */
const EVENT: Event = 'submission';
const RECIPIENT_EVENT: (typeof MAIL_EVENTS)[number] = 'submission-mail';

/** Whether a deployment's submissions are mailed one by one. */
export const IS_MAILED = "email_notifications AND notify_every = 'submission'";

/** The times within the window of the rate limit among `recent_submissions`, in order, as of `now`. */
const RECENT = `ARRAY(
             SELECT accepted_at FROM unnest(recent_submissions) AS accepted_at
              WHERE accepted_at > now - interval '${SIZES.submissionRate.seconds} s'
                AND accepted_at < now + interval '${SIZES.submissionRate.seconds} s'
              ORDER BY accepted_at)`;

const STORED = `stored AS (
    INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
    SELECT deployment_id, number, id, data::json, ip_address, now FROM accepted
  )`;

/*
 * What follows when submissions are `accepted`: their rows, and the deliveries to webhooks and by mail.
 *
 * - The id of a delivery consists of parts of `seed`, an id of a submission, which is unique and rises with time, and of
 *   its webhook's or recipient's.
 * - Recipients cost nothing where mail is off: Postgres checks is_mailed first (a one-time filter).
 * - Deliveries are leased to this process, and answered, so that it need not claim them. Those of busy receivers are
 *   not.
 */
export const storeAccepted = (seed = 'accepted.id'): string => `${STORED}, delivery AS MATERIALIZED (
    SELECT 'dl_' || substr(${seed}, 5) || coalesce(right(coalesce(webhook_id, recipient_id), 10), '') AS id,
           accepted.id AS submission_id, accepted.deployment_id, accepted.owner_id, octet_length(data) AS bytes,
           position, now, target.*,
           coalesce(receiver <> ALL (?::text[]), false) AS leased
      FROM accepted, LATERAL (
        SELECT webhooks.id AS webhook_id, NULL AS recipient_id, receiver, url, type, secret, previous_secrets,
               failing_since IS NOT NULL AS failing, NULL AS mail_to
          FROM webhooks
         WHERE webhooks.deployment_id = accepted.deployment_id AND active AND '${EVENT}' = ANY (events)
        UNION ALL
        SELECT NULL, NULL, '${MAIL}', NULL, NULL, NULL, NULL, false, email
          FROM owners
         WHERE is_mailed AND owners.id = owner_id AND ${ownerReceives('accepted.deployment_id', 'accepted.notify_owner')}
        UNION ALL
        SELECT NULL, mail_recipients.id, '${MAIL}', NULL, NULL, NULL, NULL, false, email
          FROM mail_recipients
         WHERE is_mailed AND mail_recipients.deployment_id = accepted.deployment_id AND ${RECEIVES_MAIL}
      ) AS target
  ), queued AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, recipient_id, event, receiver,
                            bytes, attempts, leased, next_attempt_at, created_at, updated_at)
    SELECT id, deployment_id, owner_id, submission_id, webhook_id, recipient_id,
           CASE WHEN recipient_id IS NULL THEN '${EVENT}' ELSE '${RECIPIENT_EVENT}' END, receiver,
           bytes, leased::int, leased, CASE WHEN leased THEN now + ? * interval '1 ms' ELSE now END, now, now
      FROM delivery
  ), leased_deliveries AS (
    SELECT position, json_agg(json_build_object('id', id, 'receiver', receiver, 'owner_id', owner_id,
             'webhook_id', webhook_id, 'recipient_id', recipient_id, 'url', url, 'type', type, 'secret', secret,
             'previous_secrets', previous_secrets, 'failing', failing, 'mail_to', mail_to)) AS deliveries
      FROM delivery WHERE leased GROUP BY position
  )`;

/*
 * Stores a batch of submissions in one statement: whether the deployment exists, whether it is under its limit, the
 * next number, the row, the counter, and the deliveries to webhooks and by mail.
 *
 * - A deployment that another transaction has locked is passed over, so that one that is slow does not delay the
 *   others. As nothing is waited for, there is no deadlock.
 * - The clock is read when all locks are held (it counts the locked rows). So the times of one deployment only rise,
 *   and a window that another process has just filled is seen.
 * - Submissions to one deployment are ranked in the order in which they came; the first `free` are accepted.
 * - A time far in the future does not count, since it would refuse submissions for hours: a clock has been set back
 *   since.
 * - Deployments are found by id alone: with a condition on deleted_at, a planner without statistics might scan the
 *   index of live ones.
 * - (SELECT ...) hides the length of an array. Otherwise the planner considers a plan for the actual length cheaper
 *   than a generic one, and plans each batch again, which takes as long as storing it.
 */
const STORE = `
  WITH incoming AS MATERIALIZED (
    SELECT * FROM unnest((SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::int[]))
      WITH ORDINALITY AS incoming (id, deployment_id, data, ip_address, judged_by, position)
  ), locked AS MATERIALIZED (
    SELECT id, owner_id, slug, deleted_at, taken_down_at, last_submission_number, recent_submissions,
           ${IS_MAILED} AS is_mailed, notify_owner, rules_version
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
           ${SIZES.submissionRate.max} - cardinality(recent) AS free,
           recent, last_submission_number, is_mailed, notify_owner, owner_id, slug
      FROM incoming JOIN deployment ON deployment.id = incoming.deployment_id AND rules_version = judged_by
  ), accepted AS MATERIALIZED (
    SELECT ranked.*, last_submission_number + rank AS number, now FROM ranked, clock WHERE rank <= free
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count + rank,
           last_submission_number = last.number,
           recent_submissions = recent || array_fill(now, ARRAY[rank::int])
      FROM accepted AS last
     WHERE deployments.id = last.deployment_id AND rank = least(free, wanted)
  ), ${storeAccepted()}
  SELECT free,
         CASE WHEN rank > free
           THEN ceil(1000 * extract(epoch FROM coalesce(recent[1], now) - now + interval '${SIZES.submissionRate.seconds} s'))::int
         END AS retry_after_ms,
         deliveries, CASE WHEN deliveries IS NOT NULL THEN now END AS created_at, slug,
         free IS NULL AND EXISTS (
           SELECT FROM deployment WHERE deployment.id = incoming.deployment_id) AS rules_changed,
         free IS NULL AND coalesce((
           SELECT coalesce(deleted_at, taken_down_at) IS NULL
             FROM deployments WHERE id = incoming.deployment_id), false) AS busy
    FROM incoming LEFT JOIN ranked USING (position) LEFT JOIN leased_deliveries USING (position), clock
   ORDER BY position`;

/*
 * The same for one submission whose deployment is live, not locked, under its limit, and has the rules that it was judged
 * by. Most submissions come alone, and for one the statement above takes half as long again. Where this one does
 * nothing, that one finds the reason.
 *
 * - The last ten times are kept. Another is accepted when there is no tenth last one, or it is out of the window, so no
 *   time within the window is ever dropped. Times that are not in order may hide a free slot, which the statement above
 *   then finds.
 * - coalesce() keeps a planner without statistics from the index of live ones.
 */
const acceptOne = (condition: string): string => `accepted AS (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           last_submission_number = last_submission_number + 1,
           recent_submissions =
             (recent_submissions || clock_timestamp())[cardinality(recent_submissions) - ${SIZES.submissionRate.max - 2}:]
     WHERE id = (
       SELECT id FROM deployments
        WHERE id = ? AND coalesce(deleted_at, taken_down_at) IS NULL AND rules_version = ?
          AND coalesce(recent_submissions[cardinality(recent_submissions) - ${SIZES.submissionRate.max - 1}]
                         <= clock_timestamp() - interval '${SIZES.submissionRate.seconds} s', true)
          AND ${condition}
          FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id AS deployment_id, last_submission_number AS number,
              ?::text AS id, ?::text AS data, ?::text AS ip_address,
              recent_submissions[cardinality(recent_submissions)] AS now, 1 AS position, owner_id, slug,
              ${IS_MAILED} AS is_mailed, notify_owner
  )`;

const STORE_ONE = `
  WITH ${acceptOne('true')}, ${storeAccepted()}
  SELECT 1 AS free, NULL AS retry_after_ms, deliveries,
         CASE WHEN deliveries IS NOT NULL THEN now END AS created_at, slug, false AS rules_changed, false AS busy
    FROM accepted LEFT JOIN leased_deliveries USING (position)`;

/*
 * The same where there is nothing to deliver. Postgres prepares each step of a statement at each execution, whether it
 * comes to it or not, and most steps of the statement above are those of the deliveries.
 */
const STORE_UNDELIVERED = `
  WITH ${acceptOne(`NOT (${IS_MAILED}) AND NOT EXISTS (
            SELECT FROM webhooks
             WHERE webhooks.deployment_id = deployments.id AND active AND '${EVENT}' = ANY (events))`)}, ${STORED}
  SELECT slug FROM accepted`;

/** The outcome of a submission, and its deliveries. */
type Row = {
  /** How many more the deployment could accept; null when there is no such deployment. */
  free: number | null;
  /** null when it is accepted. */
  retry_after_ms: number | null;
  /** A JSON list of LeasedRow; null when none is leased. */
  deliveries: string | null;
  created_at: Date | null;
  slug: string;
  rules_changed: boolean;
  busy: boolean;
};

type LeasedRow = Omit<TargetRow, 'event' | 'notice'> & { id: string; receiver: string; owner_id: number };

function toOutcome(row: Omit<Row, 'deliveries' | 'created_at'>): Outcome {
  const { free, retry_after_ms, slug, rules_changed, busy } = row;
  if (rules_changed) return { kind: 'rules-changed' };
  if (busy) return { kind: 'busy' };
  if (free === null) return { kind: 'no-deployment' };
  if (retry_after_ms === null) return { kind: 'accepted', slug };
  return {
    kind: 'rate-limited',
    slug,
    retryAfterMs: Math.min(Math.max(retry_after_ms, 1), SIZES.submissionRate.seconds * 1_000),
  };
}

function toDeliveries(
  { deliveries, created_at: createdAt, slug }: Row,
  { id: submissionId, deploymentId, data }: NewSubmission,
): LeasedDelivery[] {
  if (deliveries === null || createdAt === null) return [];
  const rows: LeasedRow[] = JSON.parse(deliveries);
  return rows.map((row) => ({
    id: row.id,
    attempts: 1,
    receiver: row.receiver,
    ownerId: row.owner_id,
    deploymentId,
    slug,
    submissionId,
    target: toTarget({ ...row, event: row.recipient_id === null ? EVENT : RECIPIENT_EVENT, notice: null }),
    data,
    createdAt,
  }));
}

/**
 * Stores the submissions that their deployments accept, all in one transaction. Answers an outcome for each, in their
 * order, and the deliveries that are leased to this process, whose first attempt is counted. A single submission that
 * is not accepted costs two statements. When Postgres refuses one row, all fail: see `createSubmissionQueue`.
 *
 * `delivering`: gets the deployments whose submissions are delivered, which takes two statements the first time. It
 * decides what is tried first, never what is stored. Without it, any deployment may be one.
 */
export async function storeSubmissions(
  db: Knex,
  batch: readonly NewSubmission[],
  { leaseMs, busy }: Leasing,
  delivering?: Delivering,
): Promise<{ outcomes: Outcome[]; deliveries: LeasedDelivery[] }> {
  const notLeased = busy ? [...busy] : null;

  async function storeUndelivered(submission: NewSubmission): Promise<Outcome | undefined> {
    const { id, deploymentId, data, ipAddress, rulesVersion } = submission;
    const values = [deploymentId, rulesVersion, id, data, ipAddress];
    const [row] = await query<{ slug: string }>(db, 'store-submission-undelivered', STORE_UNDELIVERED, values);
    return row && { kind: 'accepted', slug: row.slug };
  }

  const storeOne = ({ id, deploymentId, data, ipAddress, rulesVersion }: NewSubmission): Promise<Row[]> =>
    query(db, 'store-submission', STORE_ONE, [deploymentId, rulesVersion, id, data, ipAddress, notLeased, leaseMs]);

  function storeAll(): Promise<Row[]> {
    const deploymentIds = batch.map((submission) => submission.deploymentId);
    return query(db, 'store-submissions', STORE, [
      batch.map((submission) => submission.id),
      deploymentIds,
      batch.map((submission) => submission.data),
      batch.map((submission) => submission.ipAddress),
      batch.map((submission) => submission.rulesVersion),
      [...new Set(deploymentIds)],
      notLeased,
      leaseMs,
    ]);
  }

  const [one, ...more] = batch;
  const alone = more.length === 0 ? one : undefined;
  const isTried = alone && delivering && !delivering.get(alone.deploymentId);
  const undelivered = isTried && (await storeUndelivered(alone));
  if (undelivered) return { outcomes: [undelivered], deliveries: [] };

  const stored = alone && !isTried ? await storeOne(alone) : [];
  const rows = stored.length > 0 ? stored : await storeAll();
  const outcomes = rows.map(toOutcome);
  if (isTried && outcomes[0]?.kind === 'accepted') delivering.set(alone.deploymentId, true);
  return {
    outcomes,
    deliveries: rows.flatMap((row, index) => {
      const submission = batch[index];
      return submission ? toDeliveries(row, submission) : [];
    }),
  };
}

/** The outcome that a submission would have at this moment. Nothing is stored or reserved. */
export async function checkRateLimit(
  db: Knex,
  { deploymentId, rulesVersion }: Pick<NewSubmission, 'deploymentId' | 'rulesVersion'>,
): Promise<Outcome> {
  const [row] = await query<Omit<Row, 'deliveries' | 'created_at'>>(
    db,
    'check-rate-limit',
    `SELECT ${SIZES.submissionRate.max} - cardinality(recent) AS free, rules_version <> ? AS rules_changed, false AS busy,
            CASE WHEN cardinality(recent) >= ${SIZES.submissionRate.max}
              THEN ceil(1000 * extract(epoch FROM recent[1] - now + interval '${SIZES.submissionRate.seconds} s'))::int
            END AS retry_after_ms, slug
       FROM deployments, clock_timestamp() AS now, LATERAL (SELECT ${RECENT} AS recent) AS recently
      WHERE id = ? AND deleted_at IS NULL AND taken_down_at IS NULL`,
    [rulesVersion, deploymentId],
  );
  return row ? toOutcome(row) : { kind: 'no-deployment' };
}
