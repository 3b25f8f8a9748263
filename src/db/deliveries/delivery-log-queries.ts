import type { Knex } from 'knex';
import type { Event } from '../../lib/events.ts';
import { newDeliveryId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryPage } from '../postgres/query.ts';
import { isWantedMail } from './mail-recipient-queries.ts';
import type { LoggedAttempt } from './settle-deliveries.ts';
import { CONFIRMATION_EVENT } from './visitor-confirmation-queries.ts';

/** A delivery, as its owner sees it. */
export type Delivery = {
  id: string;
  /** null for a test and for a digest. */
  submissionId: string | null;
  /** The address of a mail; null when it was removed long ago, and when a visitor has given none. */
  recipient: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: number;
  /** null when there will be none, while one is running, and while the webhook is off. */
  nextAttemptAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** The subject of a log: a webhook, or the mails about a deployment. */
export type Logged = { deploymentId: string; webhookId?: string };

/** The mails of the log, as in the index deliveries_logged_mails: without notices, and mails that ask recipients. */
export const LOGGED_MAIL_EVENTS: ReadonlySet<string> = new Set([
  ...['submission', 'submission-mail', 'digest', 'test-mail'],
  ...['visitor-confirmation', 'confirmation-preview'],
]);
const LOGGED_MAIL = `webhook_id IS NULL AND event IN ('${[...LOGGED_MAIL_EVENTS].join("', '")}')`;

/** A visitor gets a confirmation once, even if the owner has it sent again while it is being attempted. */
const RETRIED_MAIL = `${LOGGED_MAIL} AND NOT (event = '${CONFIRMATION_EVENT}' AND status = 'succeeded')`;

/** The parts of statements that depend on the log. Each log has its indexes: `deployment_id` does not find a webhook's. */
const ofLog = ({ webhookId }: Logged) =>
  webhookId === undefined
    ? { name: 'mails', isIn: `deployment_id = :deploymentId AND ${LOGGED_MAIL}`, isOne: RETRIED_MAIL }
    : { name: 'deliveries', isIn: 'webhook_id = :webhookId', isOne: 'webhook_id = :webhookId' };

/** The columns of a Delivery, of a row `logged` with the tables in JOINED. */
const LOGGED = `
  logged.id, submission_id AS "submissionId", status, attempts, last_status AS "lastStatus",
  logged.last_error AS "lastError", logged.created_at AS "createdAt", logged.updated_at AS "updatedAt",
  CASE WHEN status = 'pending' AND NOT leased AND next_attempt_at < 'infinity' AND coalesce(active, true)
    THEN next_attempt_at
  END AS "nextAttemptAt",
  CASE
    WHEN event = '${CONFIRMATION_EVENT}' THEN visitor_email
    WHEN recipient_id IS NULL THEN owners.email
    ELSE mail_recipients.email
  END AS recipient`;
const JOINED = `
  JOIN deployments ON deployments.id = logged.deployment_id
  JOIN owners ON owners.id = deployments.owner_id
  LEFT JOIN webhooks ON webhooks.id = webhook_id
  LEFT JOIN mail_recipients ON mail_recipients.id = recipient_id`;

/** A page of a log, newest first, and how many deliveries it has in all. */
export function listDeliveries(db: Knex, log: Logged, paging: Paging): Promise<ListPage<Delivery>> {
  const { name, isIn } = ofLog(log);
  return queryPage(
    db,
    `list-${name}`,
    {
      total: `SELECT count(*) AS total FROM deliveries WHERE ${isIn}`,
      rows: `SELECT ${LOGGED} FROM (
               SELECT * FROM deliveries WHERE ${isIn} ORDER BY id DESC LIMIT :limit OFFSET :offset
             ) AS logged ${JOINED} ORDER BY logged.id DESC`,
    },
    { ...log },
    paging,
  );
}

/** A delivery to a webhook, with its attempts that have ended, the first first; undefined when there is no such one. */
export async function findDelivery(
  db: Knex,
  { deploymentId, webhookId }: Required<Logged>,
  id: string,
): Promise<(Delivery & { attemptLog: LoggedAttempt[] }) | undefined> {
  const [delivery] = await query<Delivery & { attemptLog: LoggedAttempt[] }>(
    db,
    'find-delivery',
    `SELECT ${LOGGED}, coalesce(attempt_log, '[]') AS "attemptLog" FROM (
       SELECT * FROM deliveries WHERE id = :id AND deployment_id = :deploymentId AND webhook_id = :webhookId
     ) AS logged ${JOINED}`,
    { id, deploymentId, webhookId },
  );
  return delivery;
}

/** Makes a delivery of a log due at once, whatever its status, unless an attempt is running; whether there is such a one. */
export async function retryDelivery(db: Knex, log: Logged, id: string): Promise<boolean> {
  const { name, isOne } = ofLog(log);
  const changed = await execute(
    db,
    `retry-${name}`,
    `UPDATE deliveries
        SET status = 'pending', next_attempt_at = CASE WHEN leased THEN next_attempt_at ELSE now() END, updated_at = now()
      WHERE id = :id AND deployment_id = :deploymentId AND ${isOne}`,
    { ...log, id },
  );
  return changed === 1;
}

/** Makes failed deliveries of a webhook due at once, the oldest first; how many, which is at most `maxRetried`. */
export const retryFailedDeliveries = (
  db: Knex,
  { id, deploymentId }: { id: string; deploymentId: string },
): Promise<number> =>
  execute(
    db,
    'retry-failed-deliveries',
    `UPDATE deliveries SET status = 'pending', next_attempt_at = now(), updated_at = now()
      WHERE deployment_id = :deploymentId AND status = 'failed' AND id = ANY (ARRAY(
              SELECT id FROM deliveries WHERE webhook_id = :id AND status = 'failed'
               ORDER BY id LIMIT ${SIZES.webhook.maxRetried}))`,
    { id, deploymentId },
  );

type LoggedMail = { status: Delivery['status']; isConfirmation: boolean; isWanted: boolean };

/** A mail of the log; `isWanted`: whether it would be sent now. Undefined when there is none. */
export async function findLoggedMail(db: Knex, deploymentId: string, id: string): Promise<LoggedMail | undefined> {
  const [mail] = await query<LoggedMail>(
    db,
    'find-logged-mail',
    `SELECT status, event = '${CONFIRMATION_EVENT}' AS "isConfirmation", ${isWantedMail('deliveries')} AS "isWanted"
       FROM deliveries JOIN deployments ON deployments.id = deployment_id
       LEFT JOIN mail_recipients ON mail_recipients.id = recipient_id
      WHERE deliveries.id = ? AND deliveries.deployment_id = ? AND ${LOGGED_MAIL}`,
    [id, deploymentId],
  );
  return mail;
}

/** The event of a test of a webhook. */
const TEST_EVENT: Event = 'submission';

/** Makes a delivery of sample data to a webhook of this owner: its id; undefined when there is no such webhook. */
export async function createTestDelivery(db: Knex, ownerId: number, webhookId: string): Promise<string | undefined> {
  const [made] = await query<{ id: string }>(
    db,
    'create-test-delivery',
    `INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, event, receiver, next_attempt_at, created_at, updated_at)
     SELECT :id, deployment_id, :ownerId, id, '${TEST_EVENT}', receiver, now(), now(), now()
       FROM webhooks WHERE id = :webhookId FOR KEY SHARE
     RETURNING id`,
    { id: newDeliveryId(), ownerId, webhookId },
  );
  return made?.id;
}
