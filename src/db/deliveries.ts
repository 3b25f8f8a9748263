import type { Knex } from 'knex';
import { firstDeliveryId, newDeliveryId } from '../ids.ts';

/** Where a delivery goes. `notice`: what a mail says that is not about a submission. */
export type Target =
  | {
      kind: 'webhook';
      webhookId: string;
      url: string;
      type: 'generic' | 'slack';
      secrets: readonly string[];
      /** Whether nothing has succeeded since a failure. */
      isFailing: boolean;
    }
  | { kind: 'mail'; to: string; notice: string | undefined };

/** A delivery that this process may attempt until its lease runs out. */
export type LeasedDelivery = {
  id: string;
  /** How many attempts there have been, the one that this lease is for included. */
  attempts: number;
  /** Deliveries with the same one share a host and port, or the mail server. */
  receiver: string;
  deploymentId: string;
  slug: string;
  target: Target;
  /** The JSON text that was submitted; undefined for a test or a notice. */
  data: string | undefined;
  /** When the submission, or the test, was made. */
  createdAt: Date;
};

/** What became of an attempt. */
export type Outcome = {
  id: string;
  /** As in the lease: an outcome whose lease has been lost since changes nothing of the delivery. */
  attempts: number;
  /** The webhook whose state this may change, as it was: none for a mail, nor for a success of one that is well. */
  webhook: { id: string; url: string } | undefined;
  /** `returned`: there was no attempt after all; it doesn't count, and another may begin at once. */
  result: 'succeeded' | 'failed' | 'retry' | 'returned';
  lastStatus: number | undefined;
  lastError: string | undefined;
  /** Seconds until the next attempt, of a `retry`. */
  delay: number;
};

export type Delivery = {
  id: string;
  submissionId: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: number;
  /** null when there will be none, while one is under way, and while the webhook is off. */
  nextAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** The receiver of all mail. */
export const MAIL = '@mail';

/** What Postgres answers of a webhook, or of the mail, that a delivery goes to. */
export type TargetRow = {
  webhook_id: string | null;
  url: string | null;
  type: 'generic' | 'slack' | null;
  secret: string | null;
  previous_secrets: readonly { secret: string; until: string }[] | null;
  failing: boolean;
  mail_to: string | null;
};

export function toTarget(row: TargetRow, notice?: string | null): Target {
  const { webhook_id: webhookId, url, type, secret, previous_secrets, failing: isFailing, mail_to: to } = row;
  if (webhookId !== null && url !== null && type !== null && secret !== null) {
    const previous = previous_secrets?.filter(({ until }) => Date.parse(until) > Date.now()) ?? [];
    return {
      kind: 'webhook',
      webhookId,
      url,
      type,
      secrets: [secret, ...previous.map((old) => old.secret)],
      isFailing,
    };
  }
  if (to === null) throw new Error('A delivery has neither a webhook nor a mailbox.');
  return { kind: 'mail', to, notice: notice ?? undefined };
}

/*
 * Leases what is due, or whose lease ran out: as many of each receiver as it has room for, receivers in any order.
 *
 * - The recursion walks from one receiver to the next in the index, so that its cost is that of the receivers with
 *   something pending and not that of their backlogs. It is left out when only known ones have room.
 * - What would be too much for the memory is left; the first of each receiver goes before the second of any.
 * - What was deleted in the meantime ends here, and what belongs to a webhook that is off is held. That webhook is locked
 *   against being switched on, which looks for what is held.
 * - The attempt is counted now: one that brings the process down must not do so for ever.
 */
const CLAIM = `
  WITH RECURSIVE receiver (name) AS (
    (SELECT receiver FROM deliveries
      WHERE status = 'pending' AND next_attempt_at < 'infinity' AND :otherRoom > 0 ORDER BY receiver LIMIT 1)
    UNION ALL
    SELECT (SELECT deliveries.receiver FROM deliveries
             WHERE status = 'pending' AND next_attempt_at < 'infinity' AND deliveries.receiver > receiver.name
             ORDER BY deliveries.receiver LIMIT 1)
      FROM receiver WHERE receiver.name IS NOT NULL
  ), known AS MATERIALIZED (
    SELECT * FROM unnest(CAST(:receivers AS text[]), CAST(:rooms AS int[])) AS known (name, room)
  ), open AS MATERIALIZED (
    SELECT * FROM (
      SELECT name, room FROM known WHERE room > 0
      UNION ALL
      SELECT name, :otherRoom FROM receiver WHERE name IS NOT NULL AND NOT EXISTS (SELECT FROM known WHERE known.name = receiver.name)
    ) AS open ORDER BY random()
  ), due AS MATERIALIZED (
    -- The limit stands here, for what is beyond it shall not be locked.
    SELECT one.*, random() AS shuffled
      FROM open, LATERAL (
        SELECT id, deployment_id, submission_id, webhook_id, receiver, bytes, attempts, leased, notice, created_at, next_attempt_at
          FROM deliveries
         WHERE status = 'pending' AND next_attempt_at < 'infinity' AND next_attempt_at <= now()
           AND deliveries.receiver = open.name
         ORDER BY next_attempt_at LIMIT open.room FOR UPDATE SKIP LOCKED
      ) AS one
     LIMIT :limit
  ), in_turn AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY receiver ORDER BY next_attempt_at) AS turn FROM due
  ), fitting AS MATERIALIZED (
    SELECT * FROM (
      SELECT *, sum(bytes) OVER (ORDER BY turn, shuffled) AS memory, row_number() OVER (ORDER BY turn, shuffled) AS place
        FROM in_turn
    ) AS one
     WHERE place = 1 OR memory <= :memory
  ), off AS MATERIALIZED (
    SELECT id FROM webhooks WHERE id IN (SELECT webhook_id FROM fitting) AND NOT active ORDER BY id FOR SHARE
  ), judged AS MATERIALIZED (
    SELECT one.id, one.webhook_id, one.deployment_id, one.notice, place, slug, owners.email AS mail_to, url, type, secret,
           previous_secrets, failing_since IS NOT NULL AS failing, coalesce(webhooks.receiver, '${MAIL}') AS receiver, data,
           coalesce(submissions.created_at, one.created_at) AS created_at,
           CASE
             WHEN deleted_at IS NOT NULL
               OR one.webhook_id IS NOT NULL AND webhooks.id IS NULL
               OR one.submission_id IS NOT NULL AND submissions.id IS NULL
               OR one.webhook_id IS NULL AND one.notice IS NULL AND NOT email_notifications THEN 'end'
             WHEN off.id IS NOT NULL THEN 'hold'
             WHEN leased AND attempts >= :mostAttempts THEN 'fail'
             ELSE 'attempt'
           END AS fate
      FROM fitting AS one
      JOIN deployments ON deployments.id = one.deployment_id
      JOIN owners ON owners.id = deployments.owner_id
      LEFT JOIN webhooks ON webhooks.id = one.webhook_id
      LEFT JOIN off ON off.id = one.webhook_id
      LEFT JOIN submissions ON submissions.id = one.submission_id
  ), ended AS (
    DELETE FROM deliveries USING judged WHERE deliveries.id = judged.id AND fate = 'end'
  ), held AS (
    UPDATE deliveries SET next_attempt_at = 'infinity', leased = false, updated_at = now()
      FROM judged WHERE deliveries.id = judged.id AND fate = 'hold'
  ), failed AS (
    UPDATE deliveries
       SET status = 'failed', leased = false, last_error = 'the service ended during the last attempt', updated_at = now()
      FROM judged WHERE deliveries.id = judged.id AND fate = 'fail'
  ), attempted AS (
    UPDATE deliveries
       SET attempts = attempts + 1, leased = true, next_attempt_at = now() + :leaseMs * interval '1 ms', updated_at = now()
      FROM judged WHERE deliveries.id = judged.id AND fate = 'attempt'
    RETURNING deliveries.id, attempts
  )
  SELECT judged.*, attempts FROM attempted JOIN judged USING (id) ORDER BY place`;

/**
 * Leases deliveries that are due, whichever process made them: at most `limit`, with at most `memory` bytes of submissions
 * (but always one). `rooms`: how many each receiver can take now; any other can take `otherRoom`. `mostAttempts`: one whose
 * last attempt never ended fails when it has had so many.
 */
export async function claimDeliveries(
  db: Knex,
  {
    rooms,
    ...options
  }: {
    rooms: ReadonlyMap<string, number>;
    otherRoom: number;
    limit: number;
    memory: number;
    leaseMs: number;
    mostAttempts: number;
  },
): Promise<LeasedDelivery[]> {
  const { rows } = await db
    .raw(CLAIM, { ...options, receivers: [...rooms.keys()], rooms: [...rooms.values()] })
    .options({ name: 'claim-deliveries' });
  return rows.map(
    (
      row: TargetRow & {
        id: string;
        attempts: number;
        receiver: string;
        deployment_id: string;
        slug: string;
        notice: string | null;
        data: string | null;
        created_at: Date;
      },
    ): LeasedDelivery => ({
      id: row.id,
      attempts: row.attempts,
      receiver: row.receiver,
      deploymentId: row.deployment_id,
      slug: row.slug,
      target: toTarget(row, row.notice),
      data: row.data ?? undefined,
      createdAt: row.created_at,
    }),
  );
}

const GIVE_UP_AFTER = "interval '5 days'";

/*
 * Writes down what became of attempts, and what follows for their webhooks: the time of the first failure since a success,
 * and whether they stay on. A webhook whose state doesn't change isn't touched, nor one that leads elsewhere by now.
 * The lists of ids keep a plan that was made on empty tables from reading whole ones.
 */
const SETTLE = `
  WITH outcome AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?) AS outcome (
      id text, attempts int, webhook_id text, url text, result text, last_status int, last_error text, delay float8)
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
     WHERE deliveries.id = ANY (?::text[]) AND deliveries.id = outcome.id AND leased AND deliveries.attempts = outcome.attempts
  ), verdict AS MATERIALIZED (
    SELECT webhook_id, url, bool_or(result = 'succeeded') AS succeeded,
           coalesce(bool_or(result <> 'succeeded' AND last_status = 410), false) AS gone, min(id) AS delivery_id
      FROM outcome WHERE webhook_id IS NOT NULL AND result <> 'returned' GROUP BY webhook_id, url
  ), webhook AS MATERIALIZED (
    SELECT id, active, succeeded, gone, failing_since, delivery_id,
           gone OR NOT succeeded AND coalesce(failing_since <= now() - ${GIVE_UP_AFTER}, false) AS ends
      FROM webhooks JOIN verdict ON webhooks.id = verdict.webhook_id AND webhooks.url = verdict.url
     WHERE webhooks.id = ANY (?::text[])
       AND (succeeded AND failing_since IS NOT NULL OR NOT succeeded AND failing_since IS NULL
         OR active AND (gone OR NOT succeeded AND failing_since <= now() - ${GIVE_UP_AFTER}))
     ORDER BY id FOR NO KEY UPDATE OF webhooks
  ), changed AS (
    UPDATE webhooks
       SET active = webhooks.active AND NOT ends,
           failing_since = CASE WHEN NOT succeeded THEN coalesce(webhook.failing_since, now()) END
      FROM webhook WHERE webhooks.id = webhook.id
    RETURNING webhooks.id, deployment_id, url, webhook.active AND ends AS switched_off, gone, delivery_id
  ), told AS (
    INSERT INTO deliveries (id, deployment_id, notice, next_attempt_at, created_at, updated_at)
    SELECT delivery_id || to_hex((extract(epoch FROM now()) * 1000)::bigint), deployment_id, format('The webhook %s to %s was switched off: %s.', id, url,
             CASE WHEN gone THEN 'its receiver answered 410 Gone' ELSE 'no attempt has succeeded for five days' END),
           now(), now(), now()
      FROM changed WHERE switched_off
  )
  SELECT id FROM changed WHERE switched_off`;

/** Writes outcomes down, in one transaction; answers the ids of webhooks that were switched off for them. */
export async function settleDeliveries(db: Knex, outcomes: readonly Outcome[]): Promise<string[]> {
  const { rows } = await db
    .raw(SETTLE, [
      JSON.stringify(
        outcomes.map(({ id, attempts, webhook, result, lastStatus, lastError, delay }) => ({
          id,
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
    ])
    .options({ name: 'settle-deliveries' });
  return rows.map(({ id }: { id: string }) => id);
}

/** Seconds since the delivery that has been due for the longest was, of those that no process attempts; 0 when none is. */
export async function deliveriesBacklogAge(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    `SELECT coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS age FROM deliveries
      WHERE status = 'pending' AND next_attempt_at < 'infinity' AND next_attempt_at <= now()`,
  );
  return rows[0].age;
}

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
export async function listDeliveries(
  db: Knex,
  webhookId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const { rows } = await db.raw(
    `SELECT counted.total, delivery.*
       FROM (SELECT count(*) AS total FROM deliveries WHERE webhook_id = :webhookId) AS counted LEFT JOIN LATERAL (
         SELECT id, submission_id, status, attempts, last_status, last_error, created_at, updated_at,
                CASE WHEN status = 'pending' AND NOT leased AND next_attempt_at < 'infinity' AND active THEN next_attempt_at END
                  AS next_attempt_at
           FROM deliveries, (SELECT active FROM webhooks WHERE id = :webhookId) AS webhook WHERE webhook_id = :webhookId ORDER BY id DESC LIMIT :limit OFFSET :offset
       ) AS delivery ON true`,
    { webhookId, limit, offset: (page - 1) * limit },
  );
  return {
    total: rows[0].total,
    deliveries: rows
      .filter((row: { id: string | null }) => row.id !== null)
      .map(
        (row: {
          id: string;
          submission_id: string | null;
          status: Delivery['status'];
          attempts: number;
          next_attempt_at: Date | null;
          last_status: number | null;
          last_error: string | null;
          created_at: Date;
          updated_at: Date;
        }) => ({
          id: row.id,
          submissionId: row.submission_id,
          status: row.status,
          attempts: row.attempts,
          nextAttemptAt: row.next_attempt_at,
          lastStatus: row.last_status,
          lastError: row.last_error,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        }),
      ),
  };
}

/** Makes a delivery due at once, whatever has become of it, unless an attempt is under way; whether there is one. */
export async function retryDelivery(db: Knex, webhookId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.raw(
    `UPDATE deliveries
        SET status = 'pending', next_attempt_at = CASE WHEN leased THEN next_attempt_at ELSE now() END, updated_at = now()
      WHERE id = ? AND webhook_id = ?`,
    [id, webhookId],
  );
  return rowCount === 1;
}

/** Makes a delivery to a webhook that no submission is behind; its id, undefined when there is no such webhook. */
export async function createTestDelivery(db: Knex, webhookId: string): Promise<string | undefined> {
  const { rows } = await db.raw(
    `INSERT INTO deliveries (id, deployment_id, webhook_id, receiver, next_attempt_at, created_at, updated_at)
     SELECT ?, deployment_id, id, receiver, now(), now(), now() FROM webhooks WHERE id = ? FOR KEY SHARE RETURNING id`,
    [newDeliveryId(), webhookId],
  );
  return rows[0]?.id;
}

/**
 * Removes up to `limit` deliveries that were finished before a time; how many they were. Ids rise with time, so that their
 * own index finds the old ones.
 */
export async function removeFinishedDeliveries(db: Knex, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.raw(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries WHERE id < :firstId AND status <> 'pending' AND updated_at < :before
        ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED)`,
    { before, firstId: firstDeliveryId(before), limit },
  );
  return rowCount ?? 0;
}

/** Removes up to `limit` deliveries that are held for a webhook that was deleted, by itself or with its deployment. */
export async function removeOrphanedDeliveries(db: Knex, limit: number): Promise<number> {
  const { rowCount } = await db.raw(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries
        WHERE status = 'pending' AND next_attempt_at = 'infinity' AND NOT EXISTS (
          SELECT FROM webhooks JOIN deployments ON deployments.id = webhooks.deployment_id
           WHERE webhooks.id = deliveries.webhook_id AND deleted_at IS NULL)
        LIMIT ? FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}
