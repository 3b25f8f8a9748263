import type { Knex } from 'knex';
import { newDeliveryId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { IS_REACHED, type Reach, reachOf } from '../deployments/live-deployment-queries.ts';
import { query } from '../postgres/query.ts';
import { hasReceivingRecipient } from './mail-recipient-queries.ts';
import { refuseAddress } from './visitor-confirmation-queries.ts';

/** The address that a mail was for: a recipient, or the owner of the deployment; with `confirmationId`, a visitor. */
export type Addressee = { deploymentId: string; recipientId: string | null; confirmationId?: string };

const { maxRefusals } = SIZES.recipient;

/** The owner is told, unless the refused address is the owner's own: a notice would not arrive there. */
const SETTLE_RECIPIENT = `
  WITH changed AS (
    UPDATE mail_recipients
       SET failures = CASE WHEN :isRefused THEN failures + 1 ELSE 0 END, last_error = :lastError,
           switched_off_at = CASE WHEN :isRefused AND failures + 1 >= ${maxRefusals} THEN now() END
     WHERE id = :recipientId AND deployment_id = :deploymentId AND switched_off_at IS NULL AND (:isRefused OR failures > 0)
    RETURNING deployment_id, email, last_error, switched_off_at
  ), notified AS (
    INSERT INTO deliveries (id, deployment_id, owner_id, event, notice, next_attempt_at, created_at, updated_at)
    SELECT :noticeId, deployment_id, owner_id, 'recipient-off',
           json_build_object('recipient', changed.email, 'last_error', last_error, 'recipients', (
             SELECT coalesce(json_agg(listed.email ORDER BY position), '[]') FROM mail_recipients AS listed
              WHERE listed.deployment_id = changed.deployment_id AND removed_at IS NULL)),
           now(), now(), now()
      FROM changed JOIN deployments ON deployments.id = deployment_id JOIN owners ON owners.id = owner_id
     WHERE switched_off_at IS NOT NULL AND changed.email <> owners.email
  )
  SELECT FROM changed WHERE switched_off_at IS NOT NULL`;

const SETTLE_OWNER = `
  WITH counted AS MATERIALIZED (
    SELECT id, CASE WHEN :isRefused THEN mail_failures + 1 ELSE 0 END AS count,
           ${hasReceivingRecipient('deployments.id')} AS has_others
      FROM deployments
     WHERE id = :deploymentId AND email_notifications AND mail_switched_off_at IS NULL
       AND (:isRefused OR mail_failures > 0)
       FOR NO KEY UPDATE
  ), changed AS (
    UPDATE deployments
       SET mail_failures = CASE WHEN count < ${maxRefusals} THEN count ELSE 0 END,
           email_notifications = has_others OR count < ${maxRefusals},
           notify_owner = notify_owner AND NOT (has_others AND count >= ${maxRefusals}),
           mail_switched_off_at = CASE WHEN count >= ${maxRefusals} THEN now() END
      FROM counted WHERE deployments.id = counted.id
    RETURNING mail_switched_off_at
  )
  SELECT FROM changed WHERE mail_switched_off_at IS NOT NULL`;

/**
 * Counts the attempts in a row that were refused for an address, and switches it off when there are too many; whether it did.
 * A row that does not change is neither locked nor written. `isRefused`: otherwise the mail has arrived.
 */
export async function settleMail(
  db: Knex,
  { deploymentId, recipientId, confirmationId }: Addressee,
  isRefused: boolean,
  lastError: string | undefined,
): Promise<boolean> {
  if (confirmationId !== undefined) {
    if (isRefused) await refuseAddress(db, deploymentId, confirmationId);
    return false;
  }
  const rows =
    recipientId === null
      ? await query(db, 'settle-mailed-owner', SETTLE_OWNER, { deploymentId, isRefused })
      : await query(db, 'settle-recipient', SETTLE_RECIPIENT, {
          ...{ deploymentId, recipientId, isRefused, lastError: lastError ?? null },
          noticeId: newDeliveryId(),
        });
  return rows.length > 0;
}

/**
 * Live deployments of an owner whose mail to somebody was switched off because of refusals: how many there are, and
 * `limit` of them by their ids.
 */
export async function findRefusedMail(
  db: Knex,
  reach: Reach,
  limit: number,
): Promise<{ total: number; ids: string[] }> {
  const rows = await query<{ id: string; total: number }>(
    db,
    'find-refused-mail',
    // From what was switched off on: an owner may have very many deployments, and most have none of it.
    `SELECT id, count(*) OVER () AS total
       FROM (SELECT id FROM deployments
              WHERE owner_id = :ownerId AND deleted_at IS NULL AND mail_switched_off_at IS NOT NULL AND ${IS_REACHED}
              UNION
             SELECT deployment_id
               FROM mail_recipients
              CROSS JOIN LATERAL (
                      SELECT FROM deployments
                       WHERE id = deployment_id AND owner_id = :ownerId AND deleted_at IS NULL AND ${IS_REACHED} OFFSET 0
                    ) AS live
              WHERE removed_at IS NULL AND switched_off_at IS NOT NULL) AS switched_off
      ORDER BY id DESC LIMIT :limit`,
    { ...reachOf(reach), limit },
  );
  return { total: rows[0]?.total ?? 0, ids: rows.map(({ id }) => id) };
}
