import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Event, MailEvent } from '../../lib/events.ts';
import { BusyError } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { MAIL, ownerReceives, RECEIVES_MAIL } from '../deliveries/mail-recipient-queries.ts';
import { CONFIRMATION_EVENT } from '../deliveries/visitor-confirmation-queries.ts';
import { query } from '../postgres/query.ts';

export type NewSubmission = {
  id: string;
  deploymentId: string;
  /** The JSON text of an object, stored as it is. */
  data: string;
  ipAddress: string;
  /** True if the owner tests the form. No visitor then gets a confirmation. */
  isTest?: true;
};

/** Why a form accepts nothing. `full`: it has as many submissions as its owner wants. */
export type Closing =
  /** `timeZone`: the owner's (IANA). */
  { reason: 'not-open'; opensAt: Date; timeZone: string } | { reason: 'closed' | 'full' };

export type Outcome =
  | { kind: 'accepted' }
  | { kind: 'no-deployment' }
  | { kind: 'closed'; closing: Closing }
  /** Another transaction has locked the deployment's row: nothing was changed. */
  | { kind: 'busy' }
  /** `retryAfterMs`: until the deployment accepts another. */
  | { kind: 'rate-limited'; retryAfterMs: number }
  /** Another has been stored under its key or its id. */
  | { kind: 'duplicate' }
  /** Another has been stored with its solution of a captcha. */
  | { kind: 'solution-used' }
  /** Its files are more than the plan of the form's owner allows. */
  | { kind: 'storage-full' };

/** The outcome of a submission whose deployment is not locked. */
export type StoreOutcome = Exclude<Outcome, { kind: 'busy' }>;

/** The event that a submission is, and that of its mail to a recipient. */
const EVENT: Event = 'submission';
const RECIPIENT_EVENT: MailEvent = 'submission-mail';

/** True in SQL if a deployment's submissions are mailed one by one. */
export const IS_MAILED = "email_notifications AND notify_every = 'submission'";

/** The times within the window of the rate limit among `recent_submissions`, in order, as of `now`. */
const RECENT = `ARRAY(
             SELECT accepted_at FROM unnest(recent_submissions) AS accepted_at
              WHERE accepted_at > now - interval '${SIZES.submissionRate.seconds} s'
                AND accepted_at < now + interval '${SIZES.submissionRate.seconds} s'
              ORDER BY accepted_at)`;

/*
 * The consequences when submissions are `accepted`: their rows, and the deliveries to webhooks and by mail, which are due.
 *
 * - The id of a delivery consists of parts of `seed`, an id of a submission, which is unique and rises with time, and a
 *   `suffix` that tells its receivers apart.
 * - Recipients cost nothing where mail is off: Postgres checks is_mailed first (a one-time filter).
 * - A confirmation goes to the visitor, whose address is read when it is sent.
 */
export const storeAccepted = (seed = 'accepted.id'): string => `stored AS (
    INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
    SELECT deployment_id, number, id, data::json, ip_address, now FROM accepted
  ), queued AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, recipient_id, event, receiver,
                            bytes, next_attempt_at, created_at, updated_at)
    SELECT 'dl_' || substr(${seed}, 5) || suffix,
           accepted.deployment_id, accepted.owner_id, accepted.id, webhook_id, recipient_id,
           event, receiver, octet_length(data), now, now, now
      FROM accepted, LATERAL (
        SELECT webhooks.id AS webhook_id, NULL AS recipient_id, right(webhooks.id, 10) AS suffix, '${EVENT}' AS event, receiver
          FROM webhooks
         WHERE webhooks.deployment_id = accepted.deployment_id AND active AND '${EVENT}' = ANY (events)
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

/** How many more the rate limit allows, as of `recent`. Below 0 where the limit was lowered. */
const RATE_FREE = `(coalesce(submissions_per_minute, ${SIZES.submissionRate.max}) - cardinality(recent))`;

/** How many more a deployment accepts, as of `recent` and `now`. */
const FREE = `CASE WHEN opens_at > now OR closes_at <= now THEN 0
    ELSE least(${RATE_FREE}, max_submissions - submission_count) END`;

/** When a deployment opens that is not open yet, and why it is closed; both NULL: it accepts more later. */
const CLOSING = `CASE WHEN opens_at > now THEN opens_at END AS opens_at,
    CASE WHEN opens_at > now THEN (SELECT coalesce(time_zone, 'UTC') FROM owners WHERE owners.id = owner_id) END AS time_zone,
    CASE WHEN closes_at <= now THEN 'closed'
         WHEN max_submissions - submission_count <= greatest(${RATE_FREE}, 0) THEN 'full' END AS closing`;

/** The milliseconds until the rate limit allows another: so many of the oldest have to leave the window. */
const RETRY_AFTER_MS = `ceil(1000 * extract(epoch FROM
    coalesce(recent[greatest(1, 1 - ${RATE_FREE})], now) - now + interval '${SIZES.submissionRate.seconds} s'))::int`;

/*
 * Stores submissions in one statement: whether the deployment exists, is open, and is under its limits, the
 * next number, the row, the counter, and the deliveries to webhooks and by mail.
 *
 * - A deployment that another transaction has locked is passed over, so that one that is slow does not delay the
 *   others. Nothing is waited for, so there is no deadlock.
 * - The clock is read when all locks are held (it counts the locked rows). So the times of one deployment only rise,
 *   and a window that another process has just filled is seen.
 * - Of the submissions to one deployment, which are ranked in the order in which they came, the first `free` are accepted.
 * - A time far in the future does not count, since it would refuse submissions for hours: a clock has been set back
 *   since.
 * - Deployments are found by id alone: with a condition on deleted_at, a planner without statistics might scan the
 *   index of live ones.
 */
const STORE = `
  WITH incoming AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?) AS incoming (
      id text, deployment_id text, data text, ip_address text, is_test boolean, rank int, wanted int
    )
  ), locked AS MATERIALIZED (
    SELECT id, owner_id, deleted_at, taken_down_at, submission_count, last_submission_number, recent_submissions,
           opens_at, closes_at, max_submissions, submissions_per_minute, ${IS_MAILED} AS is_mailed, notify_owner,
           confirmation IS NOT NULL AS has_confirmation
      FROM deployments
     WHERE id = ANY (ARRAY(SELECT deployment_id FROM incoming))
       FOR NO KEY UPDATE SKIP LOCKED
  ), deployment AS MATERIALIZED (
    SELECT locked.*, now, ${RECENT} AS recent
      FROM locked, (SELECT clock_timestamp() AS now, count(*) FROM locked) AS clock
     WHERE deleted_at IS NULL AND taken_down_at IS NULL
  ), accepted AS MATERIALIZED (
    SELECT incoming.*, last_submission_number + rank AS number, owner_id, is_mailed, notify_owner, recent, now,
           has_confirmation AND is_test IS NOT TRUE AS is_confirmed, ${FREE} AS free
      FROM incoming JOIN deployment ON deployment.id = deployment_id
     WHERE rank <= ${FREE}
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count + rank,
           last_submission_number = last.number,
           recent_submissions = recent || array_fill(now, ARRAY[rank])
      FROM accepted AS last
     WHERE deployments.id = last.deployment_id AND rank = least(free, wanted)
  ), ${storeAccepted()}
  SELECT id, ${FREE} AS free, ${CLOSING}, ${RETRY_AFTER_MS} AS retry_after_ms,
         EXISTS (SELECT FROM queued) AS has_deliveries
    FROM deployment`;

/** `free`: how many submissions the deployment accepts now. */
type Row = {
  free: number;
  opens_at: Date | null;
  time_zone: string | null;
  closing: 'closed' | 'full' | null;
  retry_after_ms: number;
};

/** The outcome of the submission with this `rank` among those to one deployment: 1, 2, 3 and so on. */
function toOutcome({ free, opens_at: opensAt, time_zone, closing, retry_after_ms }: Row, rank: number): StoreOutcome {
  if (rank <= free) return { kind: 'accepted' };
  if (opensAt) return { kind: 'closed', closing: { reason: 'not-open', opensAt, timeZone: time_zone ?? 'UTC' } };
  if (closing) return { kind: 'closed', closing: { reason: closing } };
  return {
    kind: 'rate-limited',
    retryAfterMs: Math.min(Math.max(retry_after_ms, 1), SIZES.submissionRate.seconds * 1_000),
  };
}

/** The ids of live deployments among these. */
async function findLive(db: Knex, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>(
    db,
    'find-live-deployments',
    'SELECT id FROM deployments WHERE id = ANY (?) AND coalesce(deleted_at, taken_down_at) IS NULL',
    [[...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Stores the submissions that their deployments accept, all in one transaction. Returns an outcome for each, in their
 * order, and whether deliveries are due now. When Postgres refuses one row, all fail: see `Batcher`.
 */
export async function storeSubmissions(
  db: Knex,
  batch: readonly NewSubmission[],
): Promise<{ outcomes: Outcome[]; hasDeliveries: boolean }> {
  const counts = new Map<string, number>();
  const ranks = batch.map(({ deploymentId }) => {
    const rank = (counts.get(deploymentId) ?? 0) + 1;
    counts.set(deploymentId, rank);
    return rank;
  });
  const incoming = batch.map(({ id, deploymentId, data, ipAddress, isTest }, index) => ({
    ...{ id, deployment_id: deploymentId, data, ip_address: ipAddress, is_test: isTest },
    ...{ rank: ranks[index], wanted: counts.get(deploymentId) },
  }));
  const rows = await query<Row & { id: string; has_deliveries: boolean }>(db, 'store-submissions', STORE, [
    JSON.stringify(incoming),
  ]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const unlocked = [...counts.keys()].filter((id) => !rowOf.has(id));
  // The others are stored: where this fails, only these are tried again.
  const busy = unlocked.length > 0 ? await findLive(db, unlocked).catch(() => new Set(unlocked)) : new Set();
  const outcomes = batch.map(({ deploymentId }, index): Outcome => {
    const row = rowOf.get(deploymentId);
    if (row) return toOutcome(row, ranks[index] ?? 0);
    return { kind: busy.has(deploymentId) ? 'busy' : 'no-deployment' };
  });
  return { outcomes, hasDeliveries: rows[0]?.has_deliveries === true };
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

/** The outcome that a submission would have at this moment. Nothing is stored or reserved. */
export async function expectedOutcome(
  db: Knex,
  { deploymentId }: Pick<NewSubmission, 'deploymentId'>,
): Promise<StoreOutcome> {
  const [row] = await query<Row>(
    db,
    'expected-outcome',
    `SELECT ${FREE} AS free, ${CLOSING}, ${RETRY_AFTER_MS} AS retry_after_ms
       FROM deployments, clock_timestamp() AS now, LATERAL (SELECT ${RECENT} AS recent) AS recently
      WHERE id = ? AND deleted_at IS NULL AND taken_down_at IS NULL`,
    [deploymentId],
  );
  return row ? toOutcome(row, 1) : { kind: 'no-deployment' };
}
