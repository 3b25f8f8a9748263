import type { Knex } from 'knex';
import type { Event } from '../events.ts';
import { firstDeliveryId, newDeliveryId } from '../ids.ts';
import { SIZES } from '../limits.ts';
import { MAIL } from './delivery-target.ts';
import { isWantedMail, MAX_RECEIVERS, receivers } from './mail-recipients.ts';
import { execute, query, queryPage } from './postgres/query.ts';

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

/** The event of a test. */
const TEST_EVENT: Event = 'submission';

/*
 * Counts a test of an owner where `rows` has any: `test` has its window then. The owner's row is locked first, so that
 * no other process can make a test between reading the clock and the window, and counting this one. A time far in the
 * future does not count: a clock has been set back since.
 */
const countTest = (rows: string): string => `owner AS MATERIALIZED (
    SELECT id, recent_tests FROM owners WHERE id = :ownerId AND EXISTS (${rows}) FOR NO KEY UPDATE
  ), clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, count(*) FROM owner
  ), test AS MATERIALIZED (
    SELECT owner.id AS owner_id, now, ARRAY(
             SELECT made_at FROM unnest(recent_tests) AS made_at
              WHERE made_at > now - interval '${SIZES.testDelivery.seconds} s' AND made_at < now + interval '${SIZES.testDelivery.seconds} s'
              ORDER BY made_at) AS recent
      FROM owner, clock
  ), counted AS (
    UPDATE owners SET recent_tests = recent || now
      FROM test WHERE owners.id = test.owner_id AND cardinality(recent) < ${SIZES.testDelivery.max}
  )`;

/** How long until the owner may have another test; NULL when this one is made. */
const RETRY_AFTER = `CASE WHEN cardinality(recent) >= ${SIZES.testDelivery.max}
           THEN ceil(1000 * extract(epoch FROM recent[1] - now + interval '${SIZES.testDelivery.seconds} s'))::int
         END AS retry_after_ms`;

/** Makes tests to `targets`, rows of what identifies each delivery, and counts them as one. */
const testOf = (targets: string): string => `
  WITH target AS MATERIALIZED (${targets}
  ), ${countTest('SELECT FROM target')}, made AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, recipient_id, event, receiver,
                            next_attempt_at, created_at, updated_at)
    SELECT id, deployment_id, owner_id, webhook_id, recipient_id, event, receiver, now, now, now
      FROM target, test WHERE cardinality(recent) < ${SIZES.testDelivery.max}
  )
  SELECT ${RETRY_AFTER}, (SELECT min(id) FROM target) AS id
    FROM test`;

/*
 * A mail that has succeeded, and is sent again, counts as a test: otherwise nothing would bound how much mail an owner
 * can have sent.
 */
const RETRY_MAIL = `
  WITH mail AS MATERIALIZED (
    SELECT deliveries.id, status, ${isWantedMail('deliveries')} AS is_wanted
      FROM deliveries JOIN deployments ON deployments.id = deployment_id
      LEFT JOIN mail_recipients ON mail_recipients.id = recipient_id
     WHERE deliveries.id = :id AND deliveries.deployment_id = :deploymentId AND ${IS_LOGGED_MAIL}
       FOR UPDATE OF deliveries
  ), ${countTest("SELECT FROM mail WHERE is_wanted AND status = 'succeeded'")}, retried AS (
    UPDATE deliveries
       SET status = 'pending', next_attempt_at = CASE WHEN leased THEN next_attempt_at ELSE now() END,
           updated_at = now()
      FROM mail LEFT JOIN test ON true
     WHERE deliveries.id = mail.id AND deliveries.deployment_id = :deploymentId AND is_wanted AND coalesce(cardinality(recent) < ${SIZES.testDelivery.max}, true)
  )
  SELECT is_wanted, ${RETRY_AFTER}
    FROM mail LEFT JOIN test ON true`;

/**
 * Makes a mail due at once, whatever its status, unless an attempt is running. 'unwanted': it would be deleted, because
 * mail is off or the recipient gets none; undefined: there is no such mail. A mail that has succeeded counts as a test
 * of the owner: the time until there may be another.
 */
export async function retryMail(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<'retried' | 'unwanted' | { retryAfterMs: number } | undefined> {
  const [row] = await query<{ is_wanted: boolean; retry_after_ms: number | null }>(db, 'retry-mail', RETRY_MAIL, {
    id,
    deploymentId,
    ownerId,
  });
  if (!row) return undefined;
  if (row.retry_after_ms !== null) return { retryAfterMs: row.retry_after_ms };
  return row.is_wanted ? 'retried' : 'unwanted';
}

const TEST_WEBHOOK = testOf(`
    SELECT CAST(:id AS text) AS id, deployment_id, id AS webhook_id, NULL AS recipient_id, '${TEST_EVENT}' AS event,
           receiver
      FROM webhooks WHERE id = :webhookId FOR KEY SHARE`);

const TEST_MAIL = testOf(`
    SELECT (CAST(:ids AS text[]))[row_number() OVER ()] AS id, CAST(:deploymentId AS text) AS deployment_id,
           NULL AS webhook_id, recipient_id, 'test-mail' AS event, '${MAIL}' AS receiver
      FROM (${receivers(':deploymentId')}) AS receiver`);

type TestRow = { retry_after_ms: number | null; id: string };
type MadeTest = { id: string } | { retryAfterMs: number };

const toMadeTest = ({ retry_after_ms: retryAfterMs, id }: TestRow): MadeTest =>
  retryAfterMs === null ? { id } : { retryAfterMs };

/**
 * Makes a delivery of sample data to a webhook of this owner: its id, or the time until the owner may have another
 * test. undefined when there is no such webhook.
 */
export async function createTestDelivery(db: Knex, ownerId: number, webhookId: string): Promise<MadeTest | undefined> {
  const [row] = await query<TestRow>(db, 'create-test-delivery', TEST_WEBHOOK, {
    id: newDeliveryId(),
    ownerId,
    webhookId,
  });
  return row && toMadeTest(row);
}

/**
 * Makes a mail with sample data to each address that gets mail about a deployment of this owner: the id of the first,
 * or the time until the owner may have another test. undefined when nobody gets mail.
 */
export async function createTestMail(db: Knex, ownerId: number, deploymentId: string): Promise<MadeTest | undefined> {
  // In order, so that the first is the lowest.
  const ids = Array.from({ length: MAX_RECEIVERS }, () => newDeliveryId()).sort();
  const [row] = await query<TestRow>(db, 'create-test-mail', TEST_MAIL, { ids, ownerId, deploymentId });
  return row && toMadeTest(row);
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
