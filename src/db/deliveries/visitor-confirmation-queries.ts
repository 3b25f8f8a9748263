import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { MailEvent } from '../../lib/events.ts';
import { newDeliveryId } from '../../lib/ids.ts';
import { execute, query, queryOne } from '../postgres/query.ts';

/*
 * The limits of the mails that confirm submissions to visitors, and their preview.
 */

export const CONFIRMATION_EVENT: MailEvent = 'visitor-confirmation';
export const PREVIEW_EVENT: MailEvent = 'confirmation-preview';

/** A confirmation that is about to be sent: its delivery, and the visitor's address. */
export type NewConfirmation = { id: string; deploymentId: string; ownerId: number; address: string };

/** The answer to a request to send a confirmation: it may be sent, or the limit that forbids it. */
export type Reservation = 'reserved' | 'refused-address' | 'address-limit' | 'owner-limit';

/*
 * Counts a confirmation for its address and for its owner, on a day of UTC, if it is under both limits.
 *
 * - The owner's row is locked first, and the clock is read then, so the owner's limit is exact across processes. An
 *   address's limit is exact because it has one row.
 * - Another attempt of the delivery that has the day of its address is not counted again.
 */
const RESERVE = `
  WITH owner AS MATERIALIZED (
    SELECT confirmations_day, confirmations_count FROM owners WHERE id = :ownerId FOR NO KEY UPDATE
  ), clock AS MATERIALIZED (
    SELECT CAST(clock_timestamp() AT TIME ZONE 'UTC' AS date) AS today, count(*) FROM owner
  ), sent AS MATERIALIZED (
    SELECT today, CASE WHEN confirmations_day = today THEN confirmations_count ELSE 0 END AS count FROM owner, clock
  ), reserved AS (
    INSERT INTO visitor_confirmations AS last (deployment_id, address_hash, day, delivery_id)
    SELECT :deploymentId, :hash, today, :id FROM sent WHERE count < :maxOfOwner
    ON CONFLICT (deployment_id, address_hash) DO UPDATE
       SET day = excluded.day, delivery_id = excluded.delivery_id
     WHERE last.day <> excluded.day AND NOT last.is_refused
    RETURNING day
  ), counted AS (
    UPDATE owners SET confirmations_day = today, confirmations_count = count + 1
      FROM sent, reserved WHERE id = :ownerId
  ), logged AS (
    UPDATE deliveries SET visitor_email = :address WHERE id = :id AND deployment_id = :deploymentId
  )
  SELECT CASE
           WHEN EXISTS (SELECT FROM reserved) THEN 'reserved'
           WHEN is_refused THEN 'refused-address'
           WHEN day = today AND delivery_id = :id THEN 'reserved'
           WHEN count >= :maxOfOwner THEN 'owner-limit'
           ELSE 'address-limit'
         END AS reservation
    FROM sent LEFT JOIN visitor_confirmations ON deployment_id = :deploymentId AND address_hash = :hash`;

/** Decides whether a confirmation may be sent now, and shows its address in the log. `maxOfOwner`: in a day. */
export async function reserveConfirmation(
  db: Knex,
  { address, ...confirmation }: NewConfirmation,
  maxOfOwner: number,
): Promise<Reservation> {
  const hash = createHash('sha256').update(address.toLowerCase()).digest();
  const values = { ...confirmation, address, hash, maxOfOwner };
  const { reservation } = await queryOne<{ reservation: Reservation }>(db, 'reserve-confirmation', RESERVE, values);
  return reservation;
}

/** Sends no further confirmation of a deployment to the address of this delivery. */
export const refuseAddress = (db: Knex, deploymentId: string, deliveryId: string): Promise<number> =>
  execute(
    db,
    'refuse-address',
    'UPDATE visitor_confirmations SET is_refused = true WHERE deployment_id = ? AND delivery_id = ?',
    [deploymentId, deliveryId],
  );

/** Makes a preview of a deployment's confirmation for its owner: its id; undefined when no confirmation is set. */
export async function createConfirmationPreview(db: Knex, deploymentId: string): Promise<string | undefined> {
  const [made] = await query<{ id: string }>(
    db,
    'create-confirmation-preview',
    `INSERT INTO deliveries (id, deployment_id, owner_id, event, next_attempt_at, created_at, updated_at)
     SELECT :id, id, owner_id, '${PREVIEW_EVENT}', now(), now(), now()
       FROM deployments WHERE id = :deploymentId AND confirmation IS NOT NULL
     RETURNING id`,
    { id: newDeliveryId(), deploymentId },
  );
  return made?.id;
}
