import type { Knex } from 'knex';
import { newDeliveryId } from '../../lib/ids.ts';
import { SIZES } from '../../limits.ts';
import { query } from '../postgres/query.ts';
import { hasReceivingRecipient } from './mail-recipients.ts';

/** `recipient`: the id; undefined for the owner. */
export type MailSwitchedOff = { deploymentId: string; recipient: string | undefined };

/** What an attempt says of the address that it was for. `mail`: undefined for a webhook and for a notice. */
export type MailOutcome = {
  mail: { deploymentId: string; recipientId: string | undefined; isRefused: boolean } | undefined;
  result: string;
  lastError: string | undefined;
};

/** What a batch of outcomes says of one address. */
type Tally = {
  deployment_id: string;
  recipient_id: string | undefined;
  succeeded: boolean;
  refusals: number;
  last_error: string | undefined;
  notice_id: string;
};

const OUTCOMES = `outcome AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?) AS outcome (
      deployment_id text, recipient_id text, succeeded boolean, refusals int, last_error text, notice_id text)
  )`;

/*
 * The row of each address is locked in the order of their ids, so that there is no deadlock. A row that does not change
 * is neither locked nor written. The owner is told of another's address only: mail to the owner does not arrive.
 */
const SETTLE_RECIPIENTS = `
  WITH ${OUTCOMES}, counted AS MATERIALIZED (
    SELECT mail_recipients.id, outcome.*, CASE WHEN succeeded THEN 0 ELSE failures + refusals END AS count
      FROM mail_recipients JOIN outcome ON outcome.recipient_id = mail_recipients.id
     WHERE mail_recipients.id = ANY (?::text[]) AND switched_off_at IS NULL AND (refusals > 0 OR failures > 0)
     ORDER BY mail_recipients.id FOR NO KEY UPDATE OF mail_recipients
  ), changed AS (
    UPDATE mail_recipients
       SET failures = count, last_error = counted.last_error,
           switched_off_at = CASE WHEN count >= ${SIZES.recipient.maxRefusals} THEN now() END
      FROM counted WHERE mail_recipients.id = counted.id
    RETURNING mail_recipients.id, mail_recipients.deployment_id, email, mail_recipients.last_error, notice_id,
              switched_off_at
  ), notified AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
    SELECT notice_id, deployment_id, owner_id, 'recipient-off',
           json_build_object('recipient', changed.email, 'last_error', last_error, 'recipients', (
             SELECT coalesce(json_agg(listed.email ORDER BY position), '[]') FROM mail_recipients AS listed
              WHERE listed.deployment_id = changed.deployment_id AND removed_at IS NULL)),
           now(), now(), now()
      FROM changed JOIN deployments ON deployments.id = deployment_id JOIN owners ON owners.id = owner_id
     WHERE switched_off_at IS NOT NULL AND changed.email <> owners.email
  )
  SELECT deployment_id, id AS recipient_id FROM changed WHERE switched_off_at IS NOT NULL`;

const SETTLE_OWNERS = `
  WITH ${OUTCOMES}, counted AS MATERIALIZED (
    SELECT deployments.id, CASE WHEN succeeded THEN 0 ELSE mail_failures + refusals END AS count,
           ${hasReceivingRecipient('deployments.id')} AS has_others
      FROM deployments JOIN outcome ON outcome.deployment_id = deployments.id
     WHERE deployments.id = ANY (?::text[]) AND email_notifications AND mail_switched_off_at IS NULL
       AND (refusals > 0 OR mail_failures > 0)
     ORDER BY deployments.id FOR NO KEY UPDATE OF deployments
  ), changed AS (
    UPDATE deployments
       SET mail_failures = CASE WHEN count < ${SIZES.recipient.maxRefusals} THEN count ELSE 0 END,
           email_notifications = has_others OR count < ${SIZES.recipient.maxRefusals},
           notify_owner = notify_owner AND NOT (has_others AND count >= ${SIZES.recipient.maxRefusals}),
           mail_switched_off_at = CASE WHEN count >= ${SIZES.recipient.maxRefusals} THEN now() END
      FROM counted WHERE deployments.id = counted.id
    RETURNING deployments.id, mail_switched_off_at
  )
  SELECT id AS deployment_id, NULL AS recipient_id FROM changed WHERE mail_switched_off_at IS NOT NULL`;

/** One tally for each address. A success among the outcomes ends the failures in a row, whichever came first. */
function tallies(outcomes: readonly MailOutcome[]): Tally[] {
  const all = new Map<string, Tally>();
  for (const { mail, result, lastError } of outcomes) {
    const succeeded = result === 'succeeded';
    if (!mail || !(succeeded || mail.isRefused)) continue;
    const key = mail.recipientId ?? mail.deploymentId;
    const before = all.get(key);
    all.set(key, {
      deployment_id: mail.deploymentId,
      recipient_id: mail.recipientId,
      succeeded: succeeded || before?.succeeded === true,
      refusals: (before?.refusals ?? 0) + (mail.isRefused ? 1 : 0),
      last_error: lastError ?? before?.last_error,
      notice_id: before?.notice_id ?? newDeliveryId(),
    });
  }
  return [...all.values()];
}

/**
 * Live deployments of an owner whose mail to somebody was switched off because of refusals: how many there are, and
 * `limit` of them by their ids.
 */
export async function findRefusedMail(
  db: Knex,
  ownerId: number,
  limit: number,
): Promise<{ total: number; ids: string[] }> {
  const rows = await query<{ id: string; total: number }>(
    db,
    'find-refused-mail',
    // From what was switched off on: an owner may have very many deployments, and most have none of it.
    `SELECT id, count(*) OVER () AS total
       FROM (SELECT id FROM deployments
              WHERE owner_id = :ownerId AND deleted_at IS NULL AND mail_switched_off_at IS NOT NULL
              UNION
             SELECT deployment_id
               FROM mail_recipients
              CROSS JOIN LATERAL (
                      SELECT FROM deployments
                       WHERE id = deployment_id AND owner_id = :ownerId AND deleted_at IS NULL OFFSET 0
                    ) AS live
              WHERE removed_at IS NULL AND switched_off_at IS NOT NULL) AS switched_off
      ORDER BY id DESC LIMIT :limit`,
    { ownerId, limit },
  );
  return { total: rows[0]?.total ?? 0, ids: rows.map(({ id }) => id) };
}

/**
 * Counts the mails in a row that were refused for each address, and switches off those that refuse too many. A batch
 * without mails costs nothing.
 */
export async function settleMail(db: Knex, outcomes: readonly MailOutcome[]): Promise<MailSwitchedOff[]> {
  const all = tallies(outcomes);
  const kinds = [
    {
      name: 'settle-recipients',
      sql: SETTLE_RECIPIENTS,
      of: all.filter(({ recipient_id }) => recipient_id !== undefined),
      idOf: ({ recipient_id }: Tally) => recipient_id ?? '',
    },
    {
      name: 'settle-mailed-owners',
      sql: SETTLE_OWNERS,
      of: all.filter(({ recipient_id }) => recipient_id === undefined),
      idOf: ({ deployment_id }: Tally) => deployment_id,
    },
  ];
  const switchedOff: MailSwitchedOff[] = [];
  // One after the other, each in a transaction of its own: a statement locks rows of one table only.
  for (const { name, sql, of, idOf } of kinds.filter(({ of }) => of.length > 0)) {
    const rows = await query<{ deployment_id: string; recipient_id: string | null }>(db, name, sql, [
      JSON.stringify(of),
      of.map(idOf),
    ]);
    switchedOff.push(
      ...rows.map((row) => ({ deploymentId: row.deployment_id, recipient: row.recipient_id ?? undefined })),
    );
  }
  return switchedOff;
}
