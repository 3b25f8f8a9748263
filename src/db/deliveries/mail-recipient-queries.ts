import type { Knex } from 'knex';
import type { MailEvent } from '../../lib/events.ts';
import { newDeliveryId, newRecipientId } from '../../lib/ids.ts';
import { FIRST_OWNER } from '../../lib/mail-address.ts';
import { SIZES } from '../../sizes.ts';
import { TITLE } from '../deployments/live-deployment-queries.ts';
import { query, queryOne } from '../postgres/query.ts';

/** Former recipients of a deployment that are kept, beside those who were asked lately. */
const MAX_FORMER = 50;

/** The receiver of all mail. No host has an @. */
export const MAIL = '@mail';

/** Returns SQL that says if a row of mail_recipients, or of its alias `recipient`, gets mail. */
const receivesMail = (recipient: string): string =>
  `${recipient}.removed_at IS NULL AND ${recipient}.confirmed_at IS NOT NULL AND ${recipient}.switched_off_at IS NULL`;

export const RECEIVES_MAIL = receivesMail('mail_recipients');

/** The numbers of a digest, as `findWindow` returns them. A cast to JSON would fail the statement for one broken row. */
const DIGEST_RANGE = '^{"after":([0-9]{1,18}),"last":([0-9]{1,18}),';

/**
 * Returns SQL that says if a mail in `deliveries` is still wanted. The statement has to join deployments, and
 * mail_recipients by `recipient_id`.
 */
export const isWantedMail = (deliveries: string): string => `
               CASE
                 WHEN ${deliveries}.webhook_id IS NOT NULL OR event IN ('webhook-off', 'recipient-off', 'storage', 'domain-broken') THEN true
                 WHEN event = 'visitor-confirmation' THEN confirmation IS NOT NULL AND taken_down_at IS NULL
                 WHEN event = 'confirmation-preview' THEN confirmation IS NOT NULL
                 WHEN event = 'confirmation' THEN mail_recipients.id IS NOT NULL AND removed_at IS NULL AND confirmed_at IS NULL
                 WHEN recipient_id IS NOT NULL AND NOT (mail_recipients.id IS NOT NULL AND ${RECEIVES_MAIL}) THEN false
                 WHEN recipient_id IS NULL AND NOT notify_owner AND EXISTS (
                   SELECT FROM mail_recipients AS other
                    WHERE other.deployment_id = ${deliveries}.deployment_id AND ${receivesMail('other')}
                      -- A mail that was made before went to the owner alone.
                      AND other.confirmed_at < ${deliveries}.created_at) THEN false
                 WHEN event = 'test-mail' THEN true
                 WHEN NOT email_notifications THEN false
                 WHEN event = 'digest' AND notice ~ '${DIGEST_RANGE}' THEN EXISTS (
                   SELECT FROM submissions AS listed_submission
                    WHERE listed_submission.deployment_id = ${deliveries}.deployment_id
                      AND number > CAST((regexp_match(notice, '${DIGEST_RANGE}'))[1] AS bigint)
                      AND number <= CAST((regexp_match(notice, '${DIGEST_RANGE}'))[2] AS bigint))
                 ELSE true
               END`;

/**
 * Returns SQL that says if the owner gets a deployment's mail. A recipient who gets it takes the owner's place if
 * `notify_owner` is off, if the owner has no address yet, and if the recipient is the owner. The statement has to join
 * owners. `deployment` is an expression for the deployment's id, and `notifyOwner` one for its setting.
 */
export const ownerReceives = (deployment: string, notifyOwner: string): string => `NOT EXISTS (
            SELECT FROM mail_recipients
             WHERE deployment_id = ${deployment} AND ${RECEIVES_MAIL}
               AND (NOT ${notifyOwner} OR owners.email IN (mail_recipients.email, '${FIRST_OWNER}')))`;

/** Returns SQL that says if a recipient gets a deployment's mail. `deployment` is an expression for the deployment's id. */
export const hasReceivingRecipient = (deployment: string): string =>
  `EXISTS (SELECT FROM mail_recipients WHERE deployment_id = ${deployment} AND ${RECEIVES_MAIL})`;

/**
 * The addresses to which a deployment's mail goes now: recipients, and the owner; as `receiver (recipient_id)`, NULL for the owner.
 * `deployment`: an expression for its id.
 */
const receivers = (deployment: string): string => `
    SELECT id AS recipient_id FROM mail_recipients WHERE deployment_id = ${deployment} AND ${RECEIVES_MAIL}
     UNION ALL
    SELECT NULL FROM deployments AS mailed JOIN owners ON owners.id = mailed.owner_id
     WHERE mailed.id = ${deployment} AND ${ownerReceives('mailed.id', 'mailed.notify_owner')}`;

/** The most addresses that get mail about a deployment: its recipients and the owner. */
const MAX_RECEIVERS = SIZES.recipient.maxOfDeployment + 1;

/** Makes a mail to each address that gets mail about a deployment now; their ids. `notice`: the subject of the mail. */
export async function mailReceivers(
  db: Knex,
  deploymentId: string,
  event: MailEvent,
  notice?: object,
): Promise<string[]> {
  const made = await query<{ id: string }>(
    db,
    'mail-receivers',
    `INSERT INTO deliveries (id, deployment_id, owner_id, recipient_id, event, notice, next_attempt_at, created_at,
                             updated_at)
     SELECT (CAST(:ids AS text[]))[row_number() OVER ()], deployments.id, owner_id, recipient_id, :event, :notice,
            now(), now(), now()
       FROM deployments, LATERAL (${receivers('deployments.id')}) AS receiver
      WHERE deployments.id = :deploymentId
     RETURNING id`,
    {
      ...{ deploymentId, event, notice: notice ? JSON.stringify(notice) : null },
      ids: Array.from({ length: MAX_RECEIVERS }, () => newDeliveryId()),
    },
  );
  return made.map(({ id }) => id).sort();
}

/** An address in the owner's list. `isOff`: failures have switched it off. */
export type Recipient = { email: string; isConfirmed: boolean; isOff: boolean };

/** The recipients of a deployment, in the order in which the owner gave them. */
export function listRecipients(db: Knex, deploymentId: string): Promise<Recipient[]> {
  return query<Recipient>(
    db,
    'list-recipients',
    `SELECT email, confirmed_at IS NOT NULL AS "isConfirmed", switched_off_at IS NOT NULL AS "isOff"
       FROM mail_recipients WHERE deployment_id = ? AND removed_at IS NULL ORDER BY position`,
    [deploymentId],
  );
}

/** Thrown in the transaction that changes recipients: nothing is changed. `retryAfterMs`: until the owner may ask more. */
export class TooManyAsks extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('The owner has asked too many addresses.');
    this.retryAfterMs = retryAfterMs;
  }
}

/*
 * Replaces the list. The deployment's row is locked before: lists of one deployment are written one after the other.
 *
 * - An address that stays keeps its confirmation. One that was removed loses it.
 * - The owner's own address is confirmed. Failures are forgotten.
 * - Answers the addresses that are to be asked: those without a confirmation that were not asked in the last `askHours`.
 */
const REPLACE = `
  WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:emails AS text[])) WITH ORDINALITY AS wanted (id, email, position)
  ), removed AS (
    UPDATE mail_recipients SET removed_at = now(), confirmed_at = NULL
     WHERE deployment_id = :deploymentId AND removed_at IS NULL AND email <> ALL (CAST(:emails AS text[]))
  ), forgotten AS (
    DELETE FROM mail_recipients WHERE id IN (
      SELECT id FROM mail_recipients
       WHERE deployment_id = :deploymentId AND removed_at IS NOT NULL AND email <> ALL (CAST(:emails AS text[]))
         AND coalesce(asked_at <= now() - interval '${SIZES.recipient.askHours} hours', true)
       ORDER BY removed_at DESC OFFSET ${MAX_FORMER})
  ), kept AS (
    INSERT INTO mail_recipients AS recipient (id, deployment_id, email, position, confirmed_at)
    SELECT id, :deploymentId, email, position, CASE WHEN email = :own THEN now() END FROM wanted
    ON CONFLICT (deployment_id, email) DO UPDATE
       SET removed_at = NULL, position = excluded.position, failures = 0, switched_off_at = NULL, last_error = NULL,
           confirmed_at = coalesce(recipient.confirmed_at, excluded.confirmed_at)
    RETURNING id, position, confirmed_at, asked_at
  )
  SELECT id FROM kept
   WHERE confirmed_at IS NULL
     AND coalesce(asked_at NOT BETWEEN now() - interval '${SIZES.recipient.askHours} hours' AND now() + interval '${SIZES.recipient.askHours} hours', true)
   ORDER BY position`;

/*
 * The owner's row is locked first, so that no other process can ask between reading the window and counting these. A
 * time far in the future does not count: a clock has been set back since.
 */
const ASK = `
  WITH owner AS MATERIALIZED (
    SELECT id, email, recent_confirmations FROM owners WHERE id = :ownerId FOR NO KEY UPDATE
  ), clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, count(*) FROM owner
  ), asked AS MATERIALIZED (
    SELECT owner.id AS owner_id, email, now, ARRAY(
             SELECT made_at FROM unnest(recent_confirmations) AS made_at
              WHERE made_at > now - interval '${SIZES.recipient.askHours} hours' AND made_at < now + interval '${SIZES.recipient.askHours} hours'
              ORDER BY made_at) AS recent
      FROM owner, clock
  ), counted AS (
    UPDATE owners SET recent_confirmations = recent || array_fill(now, ARRAY[CAST(:count AS int)])
      FROM asked WHERE owners.id = asked.owner_id AND cardinality(recent) + :count <= ${SIZES.recipient.maxAsks}
    RETURNING now
  ), marked AS (
    UPDATE mail_recipients SET asked_at = now FROM counted WHERE mail_recipients.id = ANY (CAST(:recipients AS text[]))
  ), queued AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, recipient_id, event, notice, next_attempt_at, created_at,
                            updated_at)
    SELECT delivery.id, :deploymentId, owner_id, recipient_id, 'confirmation', json_build_object('owner', email), now,
           now, now
      FROM asked, unnest(CAST(:deliveries AS text[]), CAST(:recipients AS text[])) AS delivery (id, recipient_id)
     WHERE cardinality(recent) + :count <= ${SIZES.recipient.maxAsks}
  )
  SELECT CASE WHEN cardinality(recent) + :count > ${SIZES.recipient.maxAsks}
           THEN ceil(1000 * extract(epoch FROM
                  recent[cardinality(recent) + :count - ${SIZES.recipient.maxAsks}] - now + interval '${SIZES.recipient.askHours} hours'))::bigint
         END AS retry_after_ms
    FROM asked`;

/**
 * Replaces the recipients of a deployment whose row the transaction has locked; `emails` in lower case, each once. Makes
 * the mails that ask new ones, if there is a mail server. Throws TooManyAsks.
 */
export async function replaceRecipients(
  transaction: Knex,
  {
    ownerId,
    own,
    deploymentId,
    emails,
    hasMail,
  }: { ownerId: number; own: string; deploymentId: string; emails: readonly string[]; hasMail: boolean },
): Promise<void> {
  const asked = await query<{ id: string }>(transaction, 'replace-recipients', REPLACE, {
    deploymentId,
    own,
    emails: [...emails],
    ids: emails.map(() => newRecipientId()),
  });
  if (asked.length === 0 || !hasMail) return;
  const { retry_after_ms: retryAfterMs } = await queryOne<{ retry_after_ms: number | null }>(
    transaction,
    'ask-recipients',
    ASK,
    {
      ownerId,
      deploymentId,
      count: asked.length,
      recipients: asked.map(({ id }) => id),
      deliveries: asked.map(() => newDeliveryId()),
    },
  );
  if (retryAfterMs !== null) throw new TooManyAsks(retryAfterMs);
}

/** The content of the page behind a recipient's link: the deployment, and the address. */
export type LinkedRecipient = { slug: string; title: string | null; email: string };

/** Runs a statement that answers the recipient of a link, if it is in the list of a live deployment of any owner. */
async function queryLinked(
  db: Knex,
  name: string,
  sql: string,
  values: { deploymentId: string; id: string },
): Promise<LinkedRecipient | undefined> {
  const [recipient] = await query<LinkedRecipient>(db, name, sql, values);
  return recipient;
}

const SELECT_LINKED = `
  SELECT slug, ${TITLE}, email
    FROM mail_recipients JOIN deployments ON deployments.id = deployment_id
   WHERE mail_recipients.id = :id AND deployment_id = :deploymentId AND removed_at IS NULL AND deleted_at IS NULL`;

/** A recipient in the list of a live deployment of any owner. */
export const findLinkedRecipient = (db: Knex, deploymentId: string, id: string): Promise<LinkedRecipient | undefined> =>
  queryLinked(db, 'find-linked-recipient', SELECT_LINKED, { deploymentId, id });

/** Confirms a recipient in the list of a live deployment; undefined when there is none. */
export const confirmRecipient = (db: Knex, deploymentId: string, id: string): Promise<LinkedRecipient | undefined> =>
  queryLinked(
    db,
    'confirm-recipient',
    `UPDATE mail_recipients SET confirmed_at = coalesce(confirmed_at, now())
       FROM deployments
      WHERE deployments.id = deployment_id AND mail_recipients.id = :id AND deployment_id = :deploymentId
        AND removed_at IS NULL AND deleted_at IS NULL
     RETURNING slug, ${TITLE}, email`,
    { deploymentId, id },
  );

/** Ends the mails of one recipient, until it confirms again; undefined when it is in no list of a live deployment. */
export const unsubscribeRecipient = (
  db: Knex,
  deploymentId: string,
  id: string,
): Promise<LinkedRecipient | undefined> =>
  queryLinked(
    db,
    'unsubscribe-recipient',
    `WITH ended AS (UPDATE mail_recipients SET confirmed_at = NULL, asked_at = now() WHERE id = :id) ${SELECT_LINKED}`,
    { deploymentId, id },
  );
