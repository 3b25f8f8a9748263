import type { Knex } from 'knex';
import { EVENTS } from '../events.ts';
import { SIZES } from '../limits.ts';
import { type LeasedDelivery, MAIL, MAIL_EVENTS, type TargetRow, toTarget } from './delivery-target.ts';
import { type MailOutcome, type MailSwitchedOff, settleMail } from './mail-failures.ts';
import { isWantedMail } from './mail-recipients.ts';
import { execute, query, queryOne } from './postgres/query.ts';

/** What became of an attempt. */
export type AttemptOutcome = {
  id: string;
  deploymentId: string;
  /** As in the lease. An outcome changes nothing of a delivery that has been leased again since. */
  attempts: number;
  /**
   * The webhook whose state this may change, with the URL of the attempt; undefined for a mail, and for a success where
   * nothing failed.
   */
  webhook: { id: string; url: string } | undefined;
  mail: MailOutcome['mail'];
  /** `returned`: no attempt was made. It is not counted, and the delivery is due again at once. */
  result: 'succeeded' | 'failed' | 'retry' | 'returned';
  lastStatus: number | undefined;
  lastError: string | undefined;
  /** Seconds until the next attempt, of a `retry`. */
  delay: number;
};

/** Deliveries of one owner to one receiver. */
export type Pair = { receiver: string; ownerId: number };

const IS_WANTED = isWantedMail('fitting');

/*
 * Leases deliveries that are due, or whose lease has ended: as many of each receiver as it has capacity for, shared by
 * its owners.
 *
 * - The recursion goes through the index from one pair of a receiver and an owner to the next, and begins where the
 *   last claim stopped. So the cost is that of at most `claimedPairs` steps, however many deliveries wait. Each step also
 *   finds the first time at which something of its pair is due.
 * - Each owner with something due gets an equal share of a receiver's capacity, at least one. Where there are more
 *   owners than capacity, some of them are chosen at random. What is left of the capacity is for the next claim.
 * - What exceeds the memory is not leased. The first delivery of each owner comes before the second of any owner, and
 *   among the deliveries of one owner the first to each receiver.
 * - Deliveries of what has been deleted are deleted. Deliveries to a webhook that is off are held: that webhook is
 *   locked, because switching it on makes all held deliveries due.
 * - A mail to an address that refusals have switched off fails: the log shows it, and it can be sent again later.
 * - The attempt is counted here, so that a delivery that makes the process crash is not attempted for ever.
 * - What is found by its id is found by its deployment as well: of partitioned tables only one partition is asked.
 */
const CLAIM = `
  WITH RECURSIVE pair (receiver, owner_id, first_due_at, step) AS (
    SELECT CAST(:afterReceiver AS text) COLLATE "C", CAST(:afterOwner AS bigint), CAST('infinity' AS timestamptz), 0
    UNION ALL
    SELECT next.receiver, next.owner_id, next.next_attempt_at, step + 1
      FROM pair, LATERAL (
        SELECT receiver, owner_id, next_attempt_at FROM deliveries
         WHERE status = 'pending' AND next_attempt_at < 'infinity'
           AND (deliveries.receiver, deliveries.owner_id) > (pair.receiver, pair.owner_id)
         ORDER BY receiver, owner_id, next_attempt_at LIMIT 1
      ) AS next
     WHERE step < ${SIZES.internal.claimedPairs}
  ), visited AS MATERIALIZED (
    SELECT * FROM pair
  ), known AS MATERIALIZED (
    SELECT * FROM unnest(CAST(:receivers AS text[]), CAST(:capacities AS int[])) AS known (name, capacity)
  ), candidate AS MATERIALIZED (
    SELECT receiver, owner_id, capacity, count(*) OVER (PARTITION BY receiver) AS owners,
           row_number() OVER (PARTITION BY receiver ORDER BY random()) AS random_rank
      FROM (
        SELECT receiver, owner_id, coalesce(capacity, :otherCapacity) AS capacity
          FROM visited LEFT JOIN known ON name = receiver
         WHERE first_due_at <= now() AND owner_id <> ALL (CAST(:fullOwners AS bigint[]))
      ) AS due_pair
     WHERE capacity > 0
  ), chosen AS MATERIALIZED (
    SELECT receiver, owner_id, greatest(1, capacity / owners) AS share FROM candidate WHERE random_rank <= capacity
     ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY random()), random()
  ), due AS MATERIALIZED (
    -- The limit is here, so that no row beyond it is locked.
    SELECT delivery.*, random() AS random_order
      FROM chosen, LATERAL (
        SELECT id, deployment_id, submission_id, webhook_id, recipient_id, event, receiver, owner_id, bytes, attempts,
               leased, notice, created_at, next_attempt_at
          FROM deliveries
         WHERE status = 'pending' AND next_attempt_at < 'infinity' AND next_attempt_at <= now()
           AND deliveries.receiver = chosen.receiver AND deliveries.owner_id = chosen.owner_id
           AND (event IS NULL OR event = ANY (CAST(:events AS text[])))
         ORDER BY next_attempt_at LIMIT chosen.share FOR UPDATE SKIP LOCKED
      ) AS delivery
     LIMIT :limit
  ), ranked_in_pair AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY receiver, owner_id ORDER BY next_attempt_at) AS pair_rank FROM due
  ), ranked_in_owner AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY owner_id ORDER BY pair_rank, random_order) AS owner_rank
      FROM ranked_in_pair
  ), fitting AS MATERIALIZED (
    SELECT * FROM (
      SELECT *, sum(bytes) OVER (ORDER BY owner_rank, random_order) AS memory,
             row_number() OVER (ORDER BY owner_rank, random_order) AS position
        FROM ranked_in_owner
    ) AS ranked
     WHERE position = 1 OR memory <= :memory
  ), off AS MATERIALIZED (
    SELECT id FROM webhooks WHERE id IN (SELECT webhook_id FROM fitting) AND NOT active ORDER BY id FOR SHARE
  ), claimed AS MATERIALIZED (
    SELECT fitting.id, fitting.webhook_id, fitting.recipient_id, fitting.deployment_id, fitting.submission_id, event,
           notice, fitting.position, deployments.owner_id, slug, coalesce(mail_recipients.email, owners.email) AS mail_to, url, type, secret, previous_secrets,
           failing_since IS NOT NULL AS failing, coalesce(webhooks.receiver, '${MAIL}') AS receiver, data,
           coalesce(submissions.created_at, fitting.created_at) AS created_at,
           CASE
             WHEN deleted_at IS NOT NULL
               OR fitting.webhook_id IS NOT NULL AND webhooks.id IS NULL
               OR fitting.submission_id IS NOT NULL AND submissions.id IS NULL THEN 'delete'
             WHEN NOT ${IS_WANTED} THEN CASE
               WHEN fitting.recipient_id IS NULL AND mail_switched_off_at IS NOT NULL
                 OR removed_at IS NULL AND switched_off_at IS NOT NULL THEN 'refused'
               ELSE 'delete'
             END
             WHEN off.id IS NOT NULL THEN 'hold'
             WHEN leased AND attempts >= :maxAttempts THEN 'fail'
             ELSE 'attempt'
           END AS action
      FROM fitting
      JOIN deployments ON deployments.id = fitting.deployment_id
      JOIN owners ON owners.id = deployments.owner_id
      LEFT JOIN webhooks ON webhooks.id = fitting.webhook_id
      LEFT JOIN off ON off.id = fitting.webhook_id
      LEFT JOIN mail_recipients ON mail_recipients.id = fitting.recipient_id
      LEFT JOIN submissions
        ON submissions.id = fitting.submission_id AND submissions.deployment_id = fitting.deployment_id
  ), deleted AS (
    DELETE FROM deliveries USING claimed
     WHERE deliveries.id = claimed.id AND deliveries.deployment_id = claimed.deployment_id AND action = 'delete'
  ), held AS (
    UPDATE deliveries SET next_attempt_at = 'infinity', leased = false, updated_at = now()
      FROM claimed
     WHERE deliveries.id = claimed.id AND deliveries.deployment_id = claimed.deployment_id AND action = 'hold'
  ), failed AS (
    UPDATE deliveries
       SET status = 'failed', leased = false, updated_at = now(),
           last_error = CASE action
             WHEN 'refused' THEN coalesce(last_error, 'the mail server has refused other mails to the address')
             ELSE 'the service stopped during the last attempt'
           END
      FROM claimed
     WHERE deliveries.id = claimed.id AND deliveries.deployment_id = claimed.deployment_id
       AND action IN ('fail', 'refused')
  ), attempted AS (
    UPDATE deliveries
       SET attempts = attempts + 1, leased = true, next_attempt_at = now() + :leaseMs * interval '1 ms',
           updated_at = now()
      FROM claimed
     WHERE deliveries.id = claimed.id AND deliveries.deployment_id = claimed.deployment_id AND action = 'attempt'
    RETURNING deliveries.id, attempts
  )
  SELECT last.step AS last_step, last.receiver AS last_receiver, last.owner_id AS last_owner_id, next_due_in_ms, leased.*
    FROM (SELECT receiver, owner_id, step FROM visited ORDER BY step DESC LIMIT 1) AS last,
         (SELECT 1000 * extract(epoch FROM min(first_due_at) - now())::float8 AS next_due_in_ms
            FROM visited WHERE first_due_at > now() AND first_due_at < 'infinity') AS next_due
    LEFT JOIN (SELECT claimed.*, attempts FROM attempted JOIN claimed USING (id)) AS leased ON true
   ORDER BY position`;

type LeasedRow = TargetRow & {
  id: string;
  attempts: number;
  receiver: string;
  owner_id: number;
  deployment_id: string;
  slug: string;
  submission_id: string | null;
  data: string | null;
  created_at: Date;
};
/** Where nothing is leased there is one row, which has no delivery. */
type ClaimRow = {
  last_step: number;
  last_receiver: string;
  last_owner_id: number;
  next_due_in_ms: number | null;
} & (LeasedRow | { id: null });

const toLeased = (row: LeasedRow): LeasedDelivery => ({
  id: row.id,
  attempts: row.attempts,
  receiver: row.receiver,
  ownerId: row.owner_id,
  deploymentId: row.deployment_id,
  slug: row.slug,
  submissionId: row.submission_id ?? undefined,
  target: toTarget(row),
  data: row.data ?? undefined,
  createdAt: row.created_at,
});

/**
 * Leases deliveries that are due, of any process: at most `limit`, with at most `memory` bytes of submissions (but
 * always one). `after`: where the last claim stopped; undefined: from the beginning. `capacities`: how many each
 * receiver can take now; any other can take `otherCapacity`. `fullOwners` get none. `maxAttempts`: a delivery fails
 * when the lease of its last attempt has ended.
 *
 * Answers with `last`, where it has stopped, unless it has seen everything from `after` on; and in how many
 * milliseconds the next of what it has seen is due, Infinity if none is.
 */
export async function claimDeliveries(
  db: Knex,
  {
    after = { receiver: '', ownerId: 0 },
    capacities,
    fullOwners,
    ...options
  }: {
    after: Pair | undefined;
    capacities: ReadonlyMap<string, number>;
    otherCapacity: number;
    fullOwners: readonly number[];
    limit: number;
    memory: number;
    leaseMs: number;
    maxAttempts: number;
  },
): Promise<{ deliveries: LeasedDelivery[]; last: Pair | undefined; nextDueInMs: number }> {
  const rows = await query<ClaimRow>(db, 'claim-deliveries', CLAIM, {
    ...options,
    afterReceiver: after.receiver,
    afterOwner: after.ownerId,
    fullOwners: [...fullOwners],
    // During an update, a newer version may make deliveries of events that this one does not know, and sends them.
    events: [...EVENTS, ...MAIL_EVENTS],
    receivers: [...capacities.keys()],
    capacities: [...capacities.values()],
  });
  const [first] = rows;
  return {
    deliveries: rows.flatMap((row) => (row.id === null ? [] : [toLeased(row)])),
    last:
      first?.last_step === SIZES.internal.claimedPairs
        ? { receiver: first.last_receiver, ownerId: first.last_owner_id }
        : undefined,
    nextDueInMs: first?.next_due_in_ms ?? Number.POSITIVE_INFINITY,
  };
}

/** A webhook that has failed for this long is switched off. */
const GIVE_UP_AFTER = "interval '5 days'";
/** An owner gets at most one notice of a webhook in this time, however often it is switched off. */
const NOTICE_EVERY = "interval '1 day'";

/*
 * Stores the outcomes of attempts, and what follows for their webhooks: the time of the first failure since a success,
 * and whether they stay on.
 *
 * - A webhook whose state does not change is not written, and neither is one whose URL has changed since the attempt.
 * - The time of a notice does not count when it is in the future: a clock has been set back since.
 * - The lists of ids keep a plan that was made for empty tables from reading whole tables.
 */
const SETTLE = `
  WITH outcome AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?) AS outcome (
      id text, deployment_id text, attempts int, webhook_id text, url text, result text, last_status int, last_error text, delay float8)
  ), settled AS (
    UPDATE deliveries
       SET status = CASE WHEN result IN ('succeeded', 'failed') THEN result ELSE 'pending' END,
           attempts = deliveries.attempts - (result = 'returned')::int,
           leased = false,
           next_attempt_at = now() + delay * interval '1 s',
           last_status = CASE WHEN result = 'returned' THEN deliveries.last_status ELSE outcome.last_status END,
           last_error = CASE WHEN result = 'returned' THEN deliveries.last_error ELSE outcome.last_error END,
           updated_at = now()
      FROM outcome
     WHERE deliveries.id = ANY (?::text[]) AND deliveries.id = outcome.id
       AND deliveries.deployment_id = outcome.deployment_id
       AND leased AND deliveries.attempts = outcome.attempts
  ), webhook_outcome AS MATERIALIZED (
    SELECT webhook_id, url, bool_or(result = 'succeeded') AS succeeded,
           coalesce(bool_or(result <> 'succeeded' AND last_status = 410), false) AS gone, min(id) AS delivery_id,
           coalesce(min(last_error) FILTER (WHERE result <> 'succeeded' AND last_status = 410),
                    min(last_error) FILTER (WHERE result <> 'succeeded')) AS last_error
      FROM outcome WHERE webhook_id IS NOT NULL AND result <> 'returned' GROUP BY webhook_id, url
  ), webhook AS MATERIALIZED (
    SELECT id, active, succeeded, gone, failing_since, delivery_id, last_error,
           gone OR NOT succeeded AND coalesce(failing_since <= now() - ${GIVE_UP_AFTER}, false) AS given_up,
           coalesce(noticed_at NOT BETWEEN now() - ${NOTICE_EVERY} AND now() + ${NOTICE_EVERY}, true) AS notice_due
      FROM webhooks
      JOIN webhook_outcome ON webhooks.id = webhook_outcome.webhook_id AND webhooks.url = webhook_outcome.url
     WHERE webhooks.id = ANY (?::text[])
       AND (succeeded AND failing_since IS NOT NULL OR NOT succeeded AND failing_since IS NULL
         OR active AND (gone OR NOT succeeded AND failing_since <= now() - ${GIVE_UP_AFTER}))
     ORDER BY id FOR NO KEY UPDATE OF webhooks
  ), changed AS (
    UPDATE webhooks
       SET active = webhooks.active AND NOT given_up,
           failing_since = CASE WHEN NOT succeeded THEN coalesce(webhook.failing_since, now()) END,
           noticed_at = CASE WHEN webhook.active AND given_up AND notice_due THEN now() ELSE noticed_at END
      FROM webhook WHERE webhooks.id = webhook.id
    RETURNING webhooks.id, deployment_id, url, webhook.active AND given_up AS switched_off, notice_due, gone,
              delivery_id, last_error, coalesce(webhook.failing_since, now()) AS failed_since
  ), notified AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
    SELECT delivery_id || to_hex((extract(epoch FROM now()) * 1000)::bigint), deployment_id, owner_id, NULL,
           json_build_object('webhook_id', changed.id, 'url', url, 'gone', gone, 'last_error', last_error,
             'failing_since', failed_since),
           now(), now(), now()
      FROM changed JOIN deployments ON deployments.id = deployment_id WHERE switched_off AND notice_due
  )
  SELECT id FROM changed WHERE switched_off`;

/** What is switched off because of outcomes. */
export type SwitchedOff = { webhooks: string[]; mails: MailSwitchedOff[] };

/** Stores outcomes, in one transaction; then what follows for those who get mail. */
export async function settleDeliveries(db: Knex, outcomes: readonly AttemptOutcome[]): Promise<SwitchedOff> {
  // First: once an attempt is settled, the next one may be due, and must not go to an address that is off.
  const mails = await settleMail(db, outcomes);
  const rows = await query<{ id: string }>(db, 'settle-deliveries', SETTLE, [
    JSON.stringify(
      outcomes.map(({ id, deploymentId, attempts, webhook, result, lastStatus, lastError, delay }) => ({
        id,
        deployment_id: deploymentId,
        attempts,
        webhook_id: webhook?.id,
        url: webhook?.url,
        result,
        last_status: lastStatus,
        last_error: lastError,
        delay,
      })),
    ),
    outcomes.map(({ id }) => id),
    outcomes.flatMap(({ webhook }) => (webhook ? [webhook.id] : [])),
  ]);
  return { webhooks: rows.map(({ id }) => id), mails };
}

/** For how many seconds the oldest due delivery has been due, of those that no process attempts; 0 when none is due. */
export async function deliveriesBacklogAge(db: Knex): Promise<number> {
  const { age } = await queryOne<{ age: number }>(
    db,
    'deliveries-backlog-age',
    `SELECT coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS age FROM deliveries
      WHERE status = 'pending' AND next_attempt_at < 'infinity' AND next_attempt_at <= now()`,
  );
  return age;
}

/**
 * Removes up to `limit` deliveries that are held for a webhook that has been deleted, alone or with its deployment;
 * answers how many.
 */
export const removeOrphanedDeliveries = (db: Knex, limit: number): Promise<number> =>
  execute(
    db,
    'remove-orphaned-deliveries',
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries
        WHERE status = 'pending' AND next_attempt_at = 'infinity' AND NOT EXISTS (
          SELECT FROM webhooks JOIN deployments ON deployments.id = webhooks.deployment_id
           WHERE webhooks.id = deliveries.webhook_id AND deleted_at IS NULL)
        LIMIT ? FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
