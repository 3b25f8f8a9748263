import type { Knex } from 'knex';
import type { Event } from '../../lib/events.ts';
import { newWebhookId } from '../../lib/ids.ts';
import type { Format } from '../../lib/webhook-receivers.ts';
import { SIZES } from '../../sizes.ts';
import { audited, record } from '../account/audit-queries.ts';
import { execute, query, queryOne } from '../postgres/query.ts';

/** A header of the owner's. The value is a secret. */
export type Header = readonly [name: string, value: string];

export type Webhook = {
  id: string;
  deploymentId: string;
  url: string;
  type: 'generic' | 'slack';
  /** null: that of the service whose address the URL is. */
  format: Format | null;
  /** The chat, for Telegram. */
  chatId: string | null;
  headers: readonly Header[];
  events: Event[];
  active: boolean;
  createdAt: Date;
};

/** The host and port of a URL, in one spelling: `example.org:443`, `[::1]:8080`. */
function receiverOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

const COLUMNS = `id, deployment_id AS "deploymentId", url, type, format, chat_id AS "chatId", headers, events, active,
                 created_at AS "createdAt"`;

/** Adds a webhook to a deployment unless it has `limit` of them. */
export async function createWebhook(
  db: Knex,
  { url, headers, ...webhook }: Omit<Webhook, 'id' | 'active' | 'createdAt'>,
): Promise<Webhook | 'no-deployment' | 'limit-reached'> {
  return db.transaction(async (transaction) => {
    // The lock lets one creation for a deployment in at a time, so that the count is still true when the row is
    // inserted.
    const { deploymentId } = webhook;
    const lock = 'SELECT FROM deployments WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE';
    if ((await execute(transaction, 'lock-live-deployment', lock, [deploymentId])) === 0) return 'no-deployment';
    const { count } = await queryOne<{ count: number }>(
      transaction,
      'count-webhooks',
      'SELECT count(*) FROM webhooks WHERE deployment_id = ?',
      [deploymentId],
    );
    if (count >= SIZES.webhook.maxPerDeployment) return 'limit-reached';
    const id = newWebhookId();
    await record(transaction, { target: id, deploymentId });
    return queryOne<Webhook>(
      transaction,
      'create-webhook',
      `INSERT INTO webhooks (id, deployment_id, url, receiver, type, format, chat_id, headers, events, created_at)
       VALUES (:id, :deploymentId, :url, :receiver, :type, :format, :chatId, :headers, CAST(:events AS text[]),
               clock_timestamp())
       RETURNING ${COLUMNS}`,
      { ...webhook, id, url, receiver: receiverOf(url), headers: JSON.stringify(headers) },
    );
  });
}

/** A deployment's webhooks, oldest first. */
export const listWebhooks = (db: Knex, deploymentId: string): Promise<Webhook[]> =>
  query(db, 'list-webhooks', `SELECT ${COLUMNS} FROM webhooks WHERE deployment_id = ? ORDER BY created_at, id`, [
    deploymentId,
  ]);

/** How a webhook works. `failed`: how many of its last deliveries have failed for good. */
type WebhookHealth = { id: string; failingSince: Date | null; lastError: string | null; failed: number };

/** How a deployment's webhooks work, oldest first. */
export const listWebhookHealth = (db: Knex, deploymentId: string): Promise<WebhookHealth[]> =>
  query(
    db,
    'list-webhook-health',
    `SELECT webhooks.id, failing_since AS "failingSince", CASE WHEN failing_since IS NOT NULL THEN last_error END AS "lastError", failed
       FROM webhooks, LATERAL (
         SELECT count(*) FILTER (WHERE status = 'failed') AS failed,
                (array_agg(last_error ORDER BY id DESC) FILTER (WHERE last_error IS NOT NULL))[1] AS last_error
           FROM (
             SELECT id, status, last_error FROM deliveries
              WHERE webhook_id = webhooks.id ORDER BY id DESC LIMIT ${SIZES.webhook.healthDeliveries}
           ) AS recent
       ) AS log
      WHERE webhooks.deployment_id = ? ORDER BY created_at, webhooks.id`,
    [deploymentId],
  );

export async function findWebhook(db: Knex, deploymentId: string, id: string): Promise<Webhook | undefined> {
  const sql = `SELECT ${COLUMNS} FROM webhooks WHERE id = ? AND deployment_id = ?`;
  const [webhook] = await query<Webhook>(db, 'find-webhook', sql, [id, deploymentId]);
  return webhook;
}

/** Left out: it stays. */
type Changes = { [name in 'url' | 'events' | 'active' | 'format' | 'chatId' | 'headers']?: Webhook[name] | undefined };

/**
 * Changes the given settings; undefined when the webhook has been deleted. Switching it on makes its pending deliveries
 * due at once.
 */
export async function changeWebhook(
  db: Knex,
  id: string,
  { url, events, active, format, chatId, headers }: Changes,
): Promise<Webhook | undefined> {
  return db.transaction(async (transaction) => {
    const [changed] = await query<Webhook & { receiver: string }>(
      transaction,
      'change-webhook',
      // The five days begin again for a new receiver, and when the owner switches the webhook on.
      `UPDATE webhooks
          SET url = coalesce(:url, url), receiver = coalesce(:receiver, receiver),
              events = coalesce(CAST(:events AS text[]), events), active = coalesce(:active, active),
              headers = coalesce(CAST(:headers AS jsonb), headers),
              format = CASE WHEN :isFormatChanged THEN CAST(:format AS text) ELSE format END,
              chat_id = CASE WHEN :isChatChanged THEN CAST(:chatId AS text) ELSE chat_id END,
              failing_since = CASE WHEN CAST(:url AS text) IS NULL AND CAST(:active AS boolean) IS NOT TRUE THEN failing_since END
        WHERE id = :id
       RETURNING ${COLUMNS}, receiver`,
      {
        id,
        url: url ?? null,
        receiver: url === undefined ? null : receiverOf(url),
        events: events ?? null,
        active: active ?? null,
        isFormatChanged: format !== undefined,
        format: format ?? null,
        headers: headers === undefined ? null : JSON.stringify(headers),
        isChatChanged: chatId !== undefined,
        chatId: chatId ?? null,
      },
    );
    if (!changed) return undefined;
    const { receiver, ...webhook } = changed;
    await record(transaction, { target: id, deploymentId: webhook.deploymentId });
    if (active) {
      // Separate statements: they also see deliveries that other processes held back before this one locked the row.
      await execute(
        transaction,
        'release-held-deliveries',
        `UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
          WHERE webhook_id = ? AND status = 'pending' AND next_attempt_at = 'infinity' AND deployment_id = ?`,
        [id, webhook.deploymentId],
      );
      await execute(
        transaction,
        'release-waiting-deliveries',
        `UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
          WHERE receiver = ? AND owner_id = (SELECT owner_id FROM deployments WHERE id = ?)
            AND status = 'pending' AND next_attempt_at > now() AND next_attempt_at < 'infinity'
            AND webhook_id = ? AND NOT leased AND deployment_id = ?`,
        [receiver, webhook.deploymentId, id, webhook.deploymentId],
      );
    }
    return webhook;
  });
}

/** Removes a webhook; whether it was still there. Its deliveries are deleted when they are leased. */
export const deleteWebhook = (db: Knex, { id, deploymentId }: Webhook): Promise<boolean> =>
  audited(
    db,
    async (connection) =>
      (await execute(connection, 'delete-webhook', 'DELETE FROM webhooks WHERE id = ?', [id])) === 1,
    (isDeleted) => (isDeleted ? { target: id, deploymentId } : undefined),
  );

/**
 * The secret that signs a webhook's deliveries, `whsec_` and base64 (Standard Webhooks 1.0); undefined when the webhook
 * has been deleted.
 */
export async function findWebhookSecret(db: Knex, id: string): Promise<string | undefined> {
  const [row] = await query<{ secret: string }>(db, 'find-webhook-secret', 'SELECT secret FROM webhooks WHERE id = ?', [
    id,
  ]);
  return row?.secret;
}

/**
 * Gives a webhook a new secret. For 24 hours the one before it signs as well, and the one before that if its 24 hours
 * are not over.
 */
export async function rotateWebhookSecret(db: Knex, { id, deploymentId }: Webhook): Promise<string | undefined> {
  const rotate = (connection: Knex): Promise<{ secret: string }[]> =>
    query(
      connection,
      'rotate-webhook-secret',
      `UPDATE webhooks
        SET secret = DEFAULT,
            previous_secrets = jsonb_path_query_array(
              jsonb_build_array(jsonb_build_object('secret', secret, 'until', now() + interval '24 hours'))
                || previous_secrets,
              '$[0 to 1]')
      WHERE id = ? RETURNING secret`,
      [id],
    );
  const [row] = await audited(db, rotate, ({ length }) => (length > 0 ? { target: id, deploymentId } : undefined));
  return row?.secret;
}
