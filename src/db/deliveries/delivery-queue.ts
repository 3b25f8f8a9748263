import type { Knex } from 'knex';
import type { Confirmation } from '../../forms/confirmation.ts';
import type { Format } from '../../lib/webhook-receivers.ts';
import { FAILURES } from '../../problems/delivery-failures.ts';
import { query, queryOne } from '../postgres/query.ts';
import { isWantedMail, MAIL } from './mail-recipient-queries.ts';
import { CONFIRMATION_EVENT, PREVIEW_EVENT } from './visitor-confirmation-queries.ts';
import type { Header } from './webhook-queries.ts';

/** Pairs of a receiver and an owner that one search for due deliveries looks at. */
const DUE_PAIRS = 1_000;

/** Deliveries of one owner to one receiver: a host and port, or MAIL. */
export type Pair = { receiver: string; ownerId: number };

/** A delivery that this process may attempt until its lease ends. */
export type LeasedDelivery = Pair & {
  id: string;
  /** The number of attempts, including the one that this lease is for. */
  attempts: number;
  deploymentId: string;
  slug: string;
  /** Of its page. */
  title: string | null;
  event: string;
  /** null for a mail. `isFailing`: nothing has succeeded since a failure. */
  webhook: {
    id: string;
    url: string;
    type: 'generic' | 'slack';
    /** null: that of its address. */
    format: Format | null;
    chatId: string | null;
    headers: readonly Header[];
    secrets: readonly string[];
    isFailing: boolean;
  } | null;
  /** The address of a mail. */
  to: string;
  /** The owner's (IANA). */
  timeZone: string;
  /** null where the mail is for the owner. */
  recipientId: string | null;
  /** The confirmation of the deployment, for those to visitors and for previews. */
  confirmation: Confirmation | null;
  /** The subject of the mail as JSON, where that is no submission. */
  notice: string | null;
  /** null for a test, a digest or a notice. */
  submissionId: string | null;
  /** The JSON text that was submitted; null where there is no `submissionId`. */
  data: string | null;
  /** The name of its form, among several of the page. */
  form: string | null;
  /** True if the submission is a test of the owner. */
  isTest: boolean;
  /** The version of the page that a test was sent from: a preview has other forms than the live page. */
  testVersion: number | null;
  /** When the submission was accepted, or the test, the digest or the notice was made. */
  createdAt: Date;
};

const IS_WANTED = isWantedMail('fitting');

/*
 * The pairs of a receiver and an owner that have something due. The recursion goes through the index from one pair to the
 * next, and begins where the last search stopped: it costs at most `duePairs` steps, however many deliveries wait.
 */
const FIND_DUE = `
  WITH RECURSIVE pair (receiver, owner_id, first_due_at, step) AS (
    SELECT ?::text COLLATE "C", ?::bigint, CAST('infinity' AS timestamptz), 0
    UNION ALL
    SELECT next.receiver, next.owner_id, next.next_attempt_at, step + 1
      FROM pair, LATERAL (
        SELECT receiver, owner_id, next_attempt_at FROM deliveries
         WHERE status = 'pending' AND next_attempt_at < 'infinity'
           AND (deliveries.receiver, deliveries.owner_id) > (pair.receiver, pair.owner_id)
         ORDER BY receiver, owner_id, next_attempt_at LIMIT 1
      ) AS next
     WHERE step < ${DUE_PAIRS}
  )
  SELECT receiver, owner_id, first_due_at <= now() AS is_due, step = ${DUE_PAIRS} AS is_last FROM pair
   WHERE first_due_at <= now() OR step = ${DUE_PAIRS}
   ORDER BY step`;

/**
 * Finds pairs that have deliveries due, in the order of the index. `after`: where the last search stopped. Returns
 * `last`, where this one has stopped, unless it has seen everything from `after` on.
 */
export async function findDuePairs(
  db: Knex,
  after: Pair = { receiver: '', ownerId: 0 },
): Promise<{ pairs: Pair[]; last: Pair | undefined }> {
  const rows = await query<{ receiver: string; owner_id: number; is_due: boolean; is_last: boolean }>(
    db,
    'find-due-deliveries',
    FIND_DUE,
    [after.receiver, after.ownerId],
  );
  const pairs = rows.map((row) => ({ receiver: row.receiver, ownerId: row.owner_id }));
  return { pairs: pairs.filter((_, index) => rows[index]?.is_due), last: pairs[rows.findIndex((row) => row.is_last)] };
}

/*
 * Leases deliveries that are due, or whose lease has ended: up to `count` of each pair.
 *
 * - What exceeds the memory is not leased, except the first. The first delivery of each pair comes before the second of any.
 * - A delivery whose webhook has another receiver by now is moved to it, and found there by the next search.
 * - Deliveries of what has been deleted are deleted. Deliveries to a webhook that is off are held: that webhook is
 *   locked, because switching it on makes all held deliveries due.
 * - Deliveries of an owner who is suspended are held in the same way, until an operator ends that.
 * - A mail to an address that refusals have switched off fails: the log shows it, and it can be sent again later.
 * - The attempt is counted here, so that a delivery that makes the process crash is not attempted for ever.
 * - What is found by its id is found by its deployment as well: of partitioned tables only one partition is asked.
 * - Postgres expects thousands of deliveries, since it can't know the counts. Joined as usual, whole tables would be read
 *   and hashed: LATERAL with LIMIT, and the lists of ids, make it look up each row by its key.
 */
const LEASE = `
  WITH pair AS MATERIALIZED (
    SELECT receiver, owner_id, count(*) FROM unnest(?::text[], ?::bigint[]) AS pair (receiver, owner_id)
     GROUP BY receiver, owner_id
  ), due AS MATERIALIZED (
    SELECT delivery.*
      FROM pair, LATERAL (
        SELECT id, deployment_id, submission_id, webhook_id, recipient_id, event, receiver, owner_id, bytes, attempts,
               leased, notice, created_at, row_number() OVER (ORDER BY next_attempt_at) AS turn
          FROM (
            SELECT * FROM deliveries
             WHERE status = 'pending' AND next_attempt_at < 'infinity' AND next_attempt_at <= now()
               AND deliveries.receiver = pair.receiver AND deliveries.owner_id = pair.owner_id
             ORDER BY next_attempt_at LIMIT pair.count FOR UPDATE SKIP LOCKED
          ) AS locked
      ) AS delivery
  ), fitting AS MATERIALIZED (
    SELECT * FROM (
      SELECT *, sum(bytes) OVER in_turn AS memory, row_number() OVER in_turn AS position
        FROM due WINDOW in_turn AS (ORDER BY turn, id)
    ) AS ranked
     WHERE position = 1 OR memory <= ?
  ), off AS MATERIALIZED (
    SELECT id FROM webhooks
     WHERE id = ANY (ARRAY(SELECT webhook_id FROM fitting)) AND NOT active ORDER BY id FOR SHARE
  ), suspended AS MATERIALIZED (
    SELECT id FROM owners
     WHERE id = ANY (ARRAY(SELECT owner_id FROM fitting)) AND suspended_at IS NOT NULL ORDER BY id FOR SHARE
  ), decided AS MATERIALIZED (
    SELECT fitting.id, fitting.webhook_id, fitting.recipient_id, fitting.deployment_id, fitting.submission_id, event,
           notice, fitting.position, fitting.owner_id, slug, title, coalesce(mail_recipients.email, owners.email) AS mail_to,
           coalesce(time_zone, 'UTC') AS time_zone,
           url, type, format, chat_id, headers, secret, previous_secrets, failing_since IS NOT NULL AS failing,
           coalesce(webhooks.receiver, '${MAIL}') AS receiver, coalesce(submissions.data, tests.data) AS data,
           coalesce(submissions.form, tests.form) AS form,
           tests.id IS NOT NULL AS is_test, tests.page_version AS test_version,
           CASE WHEN event IN ('${CONFIRMATION_EVENT}', '${PREVIEW_EVENT}') THEN confirmation END AS confirmation,
           coalesce(submissions.created_at, tests.created_at, fitting.created_at) AS created_at,
           CASE
             WHEN deleted_at IS NOT NULL
               OR fitting.webhook_id IS NOT NULL AND webhooks.id IS NULL
               OR fitting.submission_id IS NOT NULL AND submissions.id IS NULL AND tests.id IS NULL THEN 'delete'
             WHEN NOT ${IS_WANTED} THEN CASE
               WHEN fitting.recipient_id IS NULL AND mail_switched_off_at IS NOT NULL
                 OR removed_at IS NULL AND switched_off_at IS NOT NULL THEN 'refused'
               ELSE 'delete'
             END
             WHEN off.id IS NOT NULL OR owners.id IN (SELECT id FROM suspended) THEN 'hold'
             WHEN leased AND attempts >= ? THEN 'fail'
             WHEN fitting.receiver <> coalesce(webhooks.receiver, '${MAIL}') THEN 'move'
             ELSE 'attempt'
           END AS action
      FROM fitting
      JOIN LATERAL (SELECT * FROM deployments WHERE id = fitting.deployment_id LIMIT 1) AS deployments ON true
      LEFT JOIN LATERAL (SELECT title FROM pages WHERE deployment_id = fitting.deployment_id LIMIT 1) AS pages ON true
      JOIN LATERAL (SELECT * FROM owners WHERE id = deployments.owner_id LIMIT 1) AS owners ON true
      LEFT JOIN LATERAL (SELECT * FROM webhooks WHERE id = fitting.webhook_id LIMIT 1) AS webhooks ON true
      LEFT JOIN off ON off.id = fitting.webhook_id
      LEFT JOIN LATERAL (
        SELECT * FROM mail_recipients WHERE id = fitting.recipient_id LIMIT 1
      ) AS mail_recipients ON true
      LEFT JOIN LATERAL (
        SELECT * FROM submissions WHERE id = fitting.submission_id AND deployment_id = fitting.deployment_id LIMIT 1
      ) AS submissions ON true
      LEFT JOIN LATERAL (
        SELECT * FROM test_submissions
         WHERE submissions.id IS NULL AND id = fitting.submission_id AND deployment_id = fitting.deployment_id LIMIT 1
      ) AS tests ON true
  ), deleted AS (
    DELETE FROM deliveries USING decided
     WHERE deliveries.id = decided.id AND deliveries.deployment_id = decided.deployment_id AND action = 'delete'
  ), updated AS (
    UPDATE deliveries
       SET attempts = attempts + (action = 'attempt')::int,
           leased = action = 'attempt' OR action = 'move' AND leased,
           status = CASE WHEN action IN ('fail', 'refused') THEN 'failed' ELSE status END,
           next_attempt_at = CASE action
             WHEN 'attempt' THEN now() + CASE decided.receiver WHEN '${MAIL}' THEN ?::float8 ELSE ? END * interval '1 ms'
             WHEN 'hold' THEN 'infinity'
             ELSE next_attempt_at
           END,
           last_error = CASE action
             WHEN 'refused' THEN coalesce(last_error, '${FAILURES['mail-refused-before']}')
             WHEN 'fail' THEN '${FAILURES['service-stopped']}'
             ELSE last_error
           END,
           receiver = decided.receiver, updated_at = now()
      FROM decided
     WHERE deliveries.id = ANY (ARRAY(SELECT id FROM decided)) AND deliveries.id = decided.id
       AND deliveries.deployment_id = decided.deployment_id AND action <> 'delete'
    RETURNING deliveries.id, CASE WHEN action = 'attempt' THEN attempts END AS attempts
  )
  SELECT id, attempts, receiver, owner_id AS "ownerId", deployment_id AS "deploymentId", slug, title,
         event, mail_to AS to, time_zone AS "timeZone", recipient_id AS "recipientId",
         confirmation, notice, submission_id AS "submissionId", data, form, is_test AS "isTest", test_version AS "testVersion",
         created_at AS "createdAt",
         CASE WHEN webhook_id IS NOT NULL THEN jsonb_build_object(
           'id', webhook_id, 'url', url, 'type', type, 'format', format, 'chatId', chat_id, 'headers', headers,
           'isFailing', failing, 'secrets', secret || ARRAY(
             SELECT old ->> 'secret' FROM jsonb_array_elements(previous_secrets) AS old
              WHERE CAST(old ->> 'until' AS timestamptz) > now()))
         END AS webhook
    FROM decided LEFT JOIN updated USING (id) ORDER BY position`;

/**
 * Leases deliveries that are due: one for each of `pairs`, in which a pair may occur several times. They have at most
 * `memory` bytes of submissions (but there is always one). `maxAttempts`: a delivery fails when the lease of its last
 * attempt has ended. `mailLeaseMs`: of a mail. `count`: of all deliveries that were leased, moved, held, failed or deleted.
 */
export async function leaseDeliveries(
  db: Knex,
  pairs: readonly Pair[],
  {
    memory,
    leaseMs,
    mailLeaseMs,
    maxAttempts,
  }: { memory: number; leaseMs: number; mailLeaseMs: number; maxAttempts: number },
): Promise<{ deliveries: LeasedDelivery[]; count: number }> {
  const rows = await query<LeasedDelivery | { attempts: null }>(db, 'lease-deliveries', LEASE, [
    pairs.map(({ receiver }) => receiver),
    pairs.map(({ ownerId }) => ownerId),
    memory,
    maxAttempts,
    mailLeaseMs,
    leaseMs,
  ]);
  return { deliveries: rows.filter((row) => row.attempts !== null), count: rows.length };
}

/** Returns the seconds for which the oldest due delivery that no process attempts has been due; 0 if none is due. */
export async function deliveriesBacklogAge(db: Knex): Promise<number> {
  const { age } = await queryOne<{ age: number }>(
    db,
    'deliveries-backlog-age',
    `SELECT coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS age FROM deliveries
      WHERE status = 'pending' AND next_attempt_at < 'infinity' AND next_attempt_at <= now()`,
  );
  return age;
}
