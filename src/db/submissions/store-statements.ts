import type { Event, MailEvent } from '../../lib/events.ts';
import { SIZES } from '../../sizes.ts';
import { MAIL, ownerReceives, RECEIVES_MAIL } from '../deliveries/mail-recipient-queries.ts';
import { CONFIRMATION_EVENT } from '../deliveries/visitor-confirmation-queries.ts';
import { PLACES_LEFT, placesOf } from './place-counts.ts';

/** The event that a submission is, and that of its mail to a recipient. */
const EVENT: Event = 'submission';
const RECIPIENT_EVENT: MailEvent = 'submission-mail';

/** True in SQL if a deployment's submissions are mailed one by one. */
export const IS_MAILED = "email_notifications AND notify_every = 'submission'";

/** The times within the window of the rate limit among `recent_submissions`, in order, as of `now`. */
export const RECENT = `ARRAY(
             SELECT accepted_at FROM unnest(recent_submissions) AS accepted_at
              WHERE accepted_at > now - interval '${SIZES.submissionRate.seconds} s'
                AND accepted_at < now + interval '${SIZES.submissionRate.seconds} s'
              ORDER BY accepted_at)`;

/** The webhooks in SQL that get the submissions of a deployment, whose id is `id`. */
const webhooksOf = (id: string): string =>
  `webhooks WHERE webhooks.deployment_id = ${id} AND active AND '${EVENT}' = ANY (events)`;

/*
 * The deliveries of submissions, or of a test, that are `accepted`, to webhooks and by mail, which are due.
 *
 * - The id of a delivery consists of parts of `seed`, an id of a submission, which is unique and rises with time, and a
 *   `suffix` that tells its receivers apart.
 * - Recipients cost nothing where mail is off: Postgres checks is_mailed first (a one-time filter).
 * - A confirmation goes to the visitor, whose address is read when it is sent.
 */
export const queueAccepted = (seed = 'accepted.id'): string => `queued AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, recipient_id, event, receiver,
                            bytes, next_attempt_at, created_at, updated_at)
    SELECT 'dl_' || substr(${seed}, 5) || suffix,
           accepted.deployment_id, accepted.owner_id, accepted.id, webhook_id, recipient_id,
           event, receiver, octet_length(data), now, now, now
      FROM accepted, LATERAL (
        SELECT webhooks.id AS webhook_id, NULL AS recipient_id, right(webhooks.id, 10) AS suffix, '${EVENT}' AS event, receiver
          FROM ${webhooksOf('accepted.deployment_id')}
        UNION ALL
        SELECT NULL, NULL, '', '${EVENT}', '${MAIL}'
          FROM owners
         WHERE is_mailed AND owners.id = owner_id AND ${ownerReceives('accepted.deployment_id', 'accepted.notify_owner')}
        UNION ALL
        SELECT NULL, mail_recipients.id, right(mail_recipients.id, 10), '${RECIPIENT_EVENT}', '${MAIL}'
          FROM mail_recipients
         WHERE is_mailed AND mail_recipients.deployment_id = accepted.deployment_id AND ${RECEIVES_MAIL}
        UNION ALL
        SELECT NULL, NULL, 'visitor', '${CONFIRMATION_EVENT}', '${MAIL}' WHERE is_confirmed
      ) AS target
    RETURNING id
  )`;

/** The consequences when submissions are `accepted`: their rows, and their deliveries. */
export const storeAccepted = (seed?: string): string => `stored AS (
    INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at, form)
    SELECT deployment_id, number, id, data::json, ip_address, now, form FROM accepted
  ), ${queueAccepted(seed)}`;

/** How many more the rate limit allows, as of `recent`. Below 0 where the limit was lowered. */
const RATE_FREE = `(coalesce(submissions_per_minute, ${SIZES.submissionRate.max}) - cardinality(recent))`;

/** How many more a deployment accepts, as of `recent` and `now`. */
export const FREE = `CASE WHEN opens_at > now OR closes_at <= now THEN 0
    ELSE least(${RATE_FREE}, ${PLACES_LEFT}) END`;

/** When a deployment opens that is not open yet, and why it is closed; both NULL: it accepts more later. */
export const CLOSING = `CASE WHEN opens_at > now THEN opens_at END AS opens_at,
    CASE WHEN opens_at > now THEN (SELECT coalesce(time_zone, 'UTC') FROM owners WHERE owners.id = owner_id) END AS time_zone,
    CASE WHEN closes_at <= now THEN 'closed'
         WHEN ${PLACES_LEFT} <= greatest(${RATE_FREE}, 0) THEN 'full' END AS closing`;

/** The milliseconds until the rate limit allows another: so many of the oldest have to leave the window. */
export const RETRY_AFTER_MS = `ceil(1000 * extract(epoch FROM
    coalesce(recent[greatest(1, 1 - ${RATE_FREE})], now) - now + interval '${SIZES.submissionRate.seconds} s'))::int`;

/*
 * Locks deployments, and reads what decides about their submissions, as of `now`.
 *
 * - A deployment that another transaction has locked is passed over, so that one that is slow does not delay the
 *   others. Nothing is waited for, so there is no deadlock.
 * - The clock is read when all locks are held (it counts the locked rows). So the times of one deployment only rise,
 *   and a window that another process has just filled is seen.
 * - Deployments are found by id alone: with a condition on deleted_at, a planner without statistics might scan the
 *   index of live ones.
 */
const lock = (isWanted: string): string => `locked AS MATERIALIZED (
    SELECT id, slug, owner_id, deleted_at, taken_down_at, suspended, submission_count, last_submission_number, recent_submissions,
           opens_at, closes_at, max_submissions, places_field, extra_places, submissions_per_minute, ${IS_MAILED} AS is_mailed, notify_owner,
           confirmation IS NOT NULL AS has_confirmation,
           (SELECT true FROM form_rules WHERE form_rules.deployment_id = deployments.id) IS TRUE AS has_rules
      FROM deployments
     WHERE ${isWanted}
       FOR NO KEY UPDATE SKIP LOCKED
  ), deployment AS MATERIALIZED (
    SELECT locked.*, now, ${RECENT} AS recent
      FROM locked, (SELECT clock_timestamp() AS now, count(*) FROM locked) AS clock
     WHERE deleted_at IS NULL AND taken_down_at IS NULL AND NOT suspended
  )`;

/** In SQL, which submissions are counted by their places, each in a statement of its own. */
const BATCHED = {
  incoming: 'incoming JOIN deployment ON deployment.id = deployment_id',
  fits: 'places_field IS NULL',
  count: '',
  read: 'places_field IS NOT NULL AS counts_places, 1 AS places',
};
const COUNTED = {
  incoming: `incoming JOIN deployment ON deployment.id = deployment_id
             CROSS JOIN LATERAL (SELECT ${placesOf('CAST(data AS json)')} AS places OFFSET 0) AS sized`,
  fits: `places <= coalesce(${PLACES_LEFT}, places)`,
  count: 'extra_places = extra_places + places - 1,',
  read: `false AS counts_places, (SELECT ${placesOf('CAST(data AS json)')} FROM incoming) AS places`,
};

/*
 * Stores submissions in one statement: whether the deployment exists, is open, and is under its limits, the
 * next number, the row, the counter, and the deliveries to webhooks and by mail.
 *
 * - Of the submissions to one deployment, which are ranked in the order in which they came, the first `free` are accepted.
 * - A time far in the future does not count, since it would refuse submissions for hours: a clock has been set back
 *   since.
 */
const store = ({ incoming, fits, count, read }: typeof BATCHED): string => `
  WITH incoming AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?) AS incoming (
      id text, deployment_id text, data text, ip_address text, form text, is_unjudged boolean, rank int, wanted int
    )
  ), ${lock('id = ANY (ARRAY(SELECT deployment_id FROM incoming))')}, accepted AS MATERIALIZED (
    SELECT incoming.*, last_submission_number + rank AS number, owner_id, is_mailed, notify_owner, recent, now,
           has_confirmation AS is_confirmed, ${FREE} AS free${count && ', places'}
      FROM ${incoming}
     WHERE rank <= ${FREE} AND NOT (has_rules AND is_unjudged IS TRUE) AND ${fits}
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count + rank, ${count}
           last_submission_number = last.number,
           recent_submissions = recent || array_fill(now, ARRAY[rank])
      FROM accepted AS last
     WHERE deployments.id = last.deployment_id AND rank = least(free, wanted)
  ), ${storeAccepted()}
  SELECT id, slug, has_rules, ${FREE} AS free, ${CLOSING}, ${RETRY_AFTER_MS} AS retry_after_ms, ${PLACES_LEFT} AS places_left, ${read},
         EXISTS (SELECT FROM queued) AS has_deliveries, is_mailed OR has_confirmation AS has_mail
    FROM deployment`;

/** Stores submissions to forms that count none by its places: of other forms, it stores nothing. */
export const STORE = store(BATCHED);
/** Stores one submission to any form. */
export const STORE_COUNTED = store(COUNTED);

/*
 * Stores one submission, of which no form is known, to a page that accepts it and has no receivers, and nothing else: these are few steps for Postgres,
 * whose preparation is most of what a lone submission costs. Any other is left to STORE.
 */
export const STORE_ALONE = `
  WITH ${lock('id = :deploymentId')}, accepted AS (
    SELECT id AS deployment_id, last_submission_number + 1 AS number, recent, now
      FROM deployment
     WHERE ${FREE} >= 1 AND NOT (has_rules AND :isUnjudged) AND places_field IS NULL AND NOT is_mailed AND NOT has_confirmation
       AND (SELECT true FROM ${webhooksOf('deployment.id')} LIMIT 1) IS NULL
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           last_submission_number = number,
           recent_submissions = recent || now
      FROM accepted
     WHERE deployments.id = deployment_id
    RETURNING deployment_id, number, now, slug
  )
  INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
  SELECT deployment_id, number, :id, :data, :ipAddress, now FROM counted
  RETURNING (SELECT slug FROM counted)`;
