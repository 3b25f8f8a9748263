import type { Knex } from 'knex';
import type { Event } from '../events.ts';
import { firstDeliveryId, newDeliveryId } from '../ids.ts';
import { execute, query } from './postgres/query.ts';

/** A delivery to a webhook, as its owner sees it. */
export type Delivery = {
  id: string;
  /** null for a test. */
  submissionId: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: number;
  /** null when there will be none, while one is running, and while the webhook is off. */
  nextAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
  updatedAt: Date;
};

type Row = {
  id: string;
  submission_id: string | null;
  status: Delivery['status'];
  attempts: number;
  next_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  created_at: Date;
  updated_at: Date;
};

const toDelivery = (row: Row): Delivery => ({
  id: row.id,
  submissionId: row.submission_id,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  lastStatus: row.last_status,
  lastError: row.last_error,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
export async function listDeliveries(
  db: Knex,
  webhookId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const rows = await query<{ total: number } & (Row | { id: null })>(
    db,
    'list-deliveries',
    `SELECT counted.total, delivery.*
       FROM (SELECT count(*) AS total FROM deliveries WHERE webhook_id = :webhookId) AS counted LEFT JOIN LATERAL (
         SELECT id, submission_id, status, attempts, last_status, last_error, created_at, updated_at,
                CASE WHEN status = 'pending' AND NOT leased AND next_attempt_at < 'infinity' AND active
                  THEN next_attempt_at
                END AS next_attempt_at
           FROM deliveries, (SELECT active FROM webhooks WHERE id = :webhookId) AS webhook
          WHERE webhook_id = :webhookId ORDER BY id DESC LIMIT :limit OFFSET :offset
       ) AS delivery ON true`,
    { webhookId, limit, offset: (page - 1) * limit },
  );
  return {
    total: rows[0]?.total ?? 0,
    deliveries: rows.flatMap((row) => (row.id === null ? [] : [toDelivery(row)])),
  };
}

/**
 * Makes a delivery due at once, whatever its status, unless an attempt is running; whether there is such a delivery.
 */
export async function retryDelivery(db: Knex, webhookId: string, id: string): Promise<boolean> {
  const changed = await execute(
    db,
    'retry-delivery',
    `UPDATE deliveries
        SET status = 'pending', next_attempt_at = CASE WHEN leased THEN next_attempt_at ELSE now() END, updated_at = now()
      WHERE id = ? AND webhook_id = ?`,
    [id, webhookId],
  );
  return changed === 1;
}

/** Tests that an owner may have sent in any window of TEST_SECONDS, to all webhooks together. */
export const TEST_LIMIT = 20;
export const TEST_SECONDS = 60;

/** The event of a test. */
const TEST_EVENT: Event = 'submission';

/*
 * The owner's row is locked first, so that no other process can make a test between reading the clock and the window,
 * and counting this one. A time far in the future does not count: a clock has been set back since.
 */
const TEST = `
  WITH webhook AS MATERIALIZED (
    SELECT id, deployment_id, receiver FROM webhooks WHERE id = :webhookId FOR KEY SHARE
  ), owner AS MATERIALIZED (
    SELECT id, recent_tests FROM owners WHERE id = :ownerId AND EXISTS (SELECT FROM webhook) FOR NO KEY UPDATE
  ), clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, count(*) FROM owner
  ), test AS MATERIALIZED (
    SELECT owner.id AS owner_id, now, ARRAY(
             SELECT made_at FROM unnest(recent_tests) AS made_at
              WHERE made_at > now - interval '${TEST_SECONDS} s' AND made_at < now + interval '${TEST_SECONDS} s'
              ORDER BY made_at) AS recent
      FROM owner, clock
  ), counted AS (
    UPDATE owners SET recent_tests = recent || now
      FROM test WHERE owners.id = test.owner_id AND cardinality(recent) < ${TEST_LIMIT}
  ), made AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, event, receiver,
                            next_attempt_at, created_at, updated_at)
    SELECT :id, deployment_id, owner_id, webhook.id, '${TEST_EVENT}', receiver, now, now, now
      FROM webhook, test WHERE cardinality(recent) < ${TEST_LIMIT}
  )
  SELECT CASE WHEN cardinality(recent) >= ${TEST_LIMIT}
           THEN ceil(1000 * extract(epoch FROM recent[1] - now + interval '${TEST_SECONDS} s'))::int
         END AS retry_after_ms
    FROM test`;

/**
 * Makes a delivery of sample data to a webhook of this owner: its id, or the time until the owner may have another
 * test. undefined when there is no such webhook.
 */
export async function createTestDelivery(
  db: Knex,
  ownerId: number,
  webhookId: string,
): Promise<{ id: string } | { retryAfterMs: number } | undefined> {
  const id = newDeliveryId();
  const [row] = await query<{ retry_after_ms: number | null }>(db, 'create-test-delivery', TEST, {
    id,
    ownerId,
    webhookId,
  });
  if (!row) return undefined;
  return row.retry_after_ms === null ? { id } : { retryAfterMs: row.retry_after_ms };
}

/**
 * Removes up to `limit` deliveries that ended before a time; answers how many. Ids rise with time, so the primary key
 * finds the old ones.
 */
export const removeFinishedDeliveries = (db: Knex, before: Date, limit: number): Promise<number> =>
  execute(
    db,
    'remove-finished-deliveries',
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries WHERE id < :firstId AND status <> 'pending' AND updated_at < :before
        ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED)`,
    { before, firstId: firstDeliveryId(before), limit },
  );
