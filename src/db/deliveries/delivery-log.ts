import type { Knex } from 'knex';
import type { Event } from '../../lib/events.ts';
import { firstDeliveryId, newDeliveryId } from '../../lib/ids.ts';
import { execute, query, queryPage } from '../postgres/query.ts';
import { MAIL } from './delivery-target.ts';
import { isWantedMail, MAX_RECEIVERS, receivers } from './mail-recipients.ts';

/** A delivery, as its owner sees it. */
export type Delivery = {
  id: string;
  /** null for a test and for a digest. */
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

/** `recipient`: the address; null when it was removed long ago. */
export type Mail = Delivery & { recipient: string | null };

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
export async function listDeliveries(
  db: Knex,
  webhookId: string,
  paging: { page: number; limit: number },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const { total, rows } = await queryPage<Row>(
    db,
    'list-deliveries',
    {
      total: 'SELECT count(*) AS total FROM deliveries WHERE webhook_id = :webhookId',
      rows: `
         SELECT id, submission_id, status, attempts, last_status, last_error, created_at, updated_at,
                CASE WHEN status = 'pending' AND NOT leased AND next_attempt_at < 'infinity' AND active
                  THEN next_attempt_at
                END AS next_attempt_at
           FROM deliveries, (SELECT active FROM webhooks WHERE id = :webhookId) AS webhook
          WHERE webhook_id = :webhookId ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    },
    { webhookId },
    paging,
  );
  return { total, deliveries: rows.map(toDelivery) };
}

/**
 * Makes a delivery due at once, whatever its status, unless an attempt is running; whether there is such a delivery.
 */
export async function retryDelivery(
  db: Knex,
  webhook: { id: string; deploymentId: string },
  id: string,
): Promise<boolean> {
  const changed = await execute(
    db,
    'retry-delivery',
    `UPDATE deliveries
        SET status = 'pending', next_attempt_at = CASE WHEN leased THEN next_attempt_at ELSE now() END, updated_at = now()
      WHERE id = ? AND deployment_id = ? AND webhook_id = ?`,
    [id, webhook.deploymentId, webhook.id],
  );
  return changed === 1;
}

/** The events of mails in the log, as in the index deliveries_mail_log: without notices, and mails that ask recipients. */
const IS_LOGGED_MAIL = "webhook_id IS NULL AND event IN ('submission', 'submission-mail', 'digest', 'test-mail')";

/** A page of a deployment's mails, newest first, and how many there are in all. */
export async function listMails(
  db: Knex,
  deploymentId: string,
  paging: { page: number; limit: number },
): Promise<{ mails: Mail[]; total: number }> {
  const { total, rows } = await queryPage<Row & { recipient: string | null }>(
    db,
    'list-mails',
    {
      total: `SELECT count(*) AS total FROM deliveries WHERE deployment_id = :deploymentId AND ${IS_LOGGED_MAIL}`,
      rows: `
         SELECT logged.id, submission_id, status, attempts, last_status, logged.last_error, logged.created_at, updated_at,
                CASE WHEN status = 'pending' AND NOT leased THEN next_attempt_at END AS next_attempt_at,
                CASE WHEN recipient_id IS NULL
                  THEN (SELECT email FROM owners JOIN deployments ON owner_id = owners.id WHERE deployments.id = :deploymentId)
                  ELSE mail_recipients.email
                END AS recipient
           FROM (
             SELECT * FROM deliveries WHERE deployment_id = :deploymentId AND ${IS_LOGGED_MAIL}
              ORDER BY id DESC LIMIT :limit OFFSET :offset
           ) AS logged LEFT JOIN mail_recipients ON mail_recipients.id = recipient_id
          ORDER BY logged.id DESC`,
    },
    { deploymentId },
    paging,
  );
  return { total, mails: rows.map((row) => ({ ...toDelivery(row), recipient: row.recipient })) };
}

/** A mail of the log; `isWanted`: whether it would be sent now. Undefined when there is none. */
export async function findLoggedMail(
  db: Knex,
  deploymentId: string,
  id: string,
): Promise<{ status: Delivery['status']; isWanted: boolean } | undefined> {
  const [mail] = await query<{ status: Delivery['status']; isWanted: boolean }>(
    db,
    'find-logged-mail',
    `SELECT status, ${isWantedMail('deliveries')} AS "isWanted"
       FROM deliveries JOIN deployments ON deployments.id = deployment_id
       LEFT JOIN mail_recipients ON mail_recipients.id = recipient_id
      WHERE deliveries.id = ? AND deliveries.deployment_id = ? AND ${IS_LOGGED_MAIL}`,
    [id, deploymentId],
  );
  return mail;
}

/** Makes a mail of the log due at once, whatever its status, unless an attempt is running; whether there is such a mail. */
export const retryMail = async (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  (await execute(
    db,
    'retry-mail',
    `UPDATE deliveries
        SET status = 'pending', next_attempt_at = CASE WHEN leased THEN next_attempt_at ELSE now() END, updated_at = now()
      WHERE id = ? AND deployment_id = ? AND ${IS_LOGGED_MAIL}`,
    [id, deploymentId],
  )) === 1;

/** The event of a test. */
const TEST_EVENT: Event = 'submission';

/** Makes tests to `targets`, rows of what identifies each delivery. */
const testOf = (targets: string): string => `
  WITH target AS MATERIALIZED (${targets}
  )
  INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, recipient_id, event, receiver,
                          next_attempt_at, created_at, updated_at)
  SELECT id, deployment_id, CAST(:ownerId AS bigint), webhook_id, recipient_id, event, receiver, now(), now(), now()
    FROM target
  RETURNING id`;

const TEST_WEBHOOK = testOf(`
    SELECT CAST(:id AS text) AS id, deployment_id, id AS webhook_id, NULL AS recipient_id, '${TEST_EVENT}' AS event,
           receiver
      FROM webhooks WHERE id = :webhookId FOR KEY SHARE`);

const TEST_MAIL = testOf(`
    SELECT (CAST(:ids AS text[]))[row_number() OVER ()] AS id, CAST(:deploymentId AS text) AS deployment_id,
           NULL AS webhook_id, recipient_id, 'test-mail' AS event, '${MAIL}' AS receiver
      FROM (${receivers(':deploymentId')}) AS receiver`);

/** Makes a delivery of sample data to a webhook of this owner: its id; undefined when there is no such webhook. */
export async function createTestDelivery(db: Knex, ownerId: number, webhookId: string): Promise<string | undefined> {
  const values = { id: newDeliveryId(), ownerId, webhookId };
  const [made] = await query<{ id: string }>(db, 'create-test-delivery', TEST_WEBHOOK, values);
  return made?.id;
}

/**
 * Makes a mail with sample data to each address that gets mail about a deployment of this owner: the id of the first;
 * undefined when nobody gets mail.
 */
export async function createTestMail(db: Knex, ownerId: number, deploymentId: string): Promise<string | undefined> {
  // In order, so that the first is the lowest.
  const ids = Array.from({ length: MAX_RECEIVERS }, () => newDeliveryId()).sort();
  const made = await query<{ id: string }>(db, 'create-test-mail', TEST_MAIL, { ids, ownerId, deploymentId });
  return made.map(({ id }) => id).sort()[0];
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
