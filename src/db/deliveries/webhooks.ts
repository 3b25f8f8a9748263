import type { Knex } from 'knex';
import type { Event } from '../../lib/events.ts';
import { newWebhookId } from '../../lib/ids.ts';
import { execute, query, queryOne } from '../postgres/query.ts';

export type Webhook = {
  id: string;
  deploymentId: string;
  url: string;
  type: 'generic' | 'slack';
  events: Event[];
  active: boolean;
  createdAt: Date;
};

/** The host and port of a URL, in one spelling: `example.org:443`, `[::1]:8080`. */
function receiverOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** The owner in deliveries that an older version has made. */
const NO_OWNER = 0;

type Row = {
  id: string;
  deployment_id: string;
  url: string;
  type: 'generic' | 'slack';
  events: Event[];
  active: boolean;
  created_at: Date;
  receiver: string;
  secret: string;
  failing_since: Date | null;
};

const toWebhook = (row: Row): Webhook => ({
  id: row.id,
  deploymentId: row.deployment_id,
  url: row.url,
  type: row.type,
  events: row.events,
  active: row.active,
  createdAt: row.created_at,
});

/** Adds a webhook to a deployment unless it has `limit` of them. */
export async function createWebhook(
  db: Knex,
  {
    deploymentId,
    limit,
    url,
    type,
    events,
  }: { limit: number } & Pick<Webhook, 'deploymentId' | 'url' | 'type' | 'events'>,
): Promise<Webhook | 'no-deployment' | 'limit-reached'> {
  return db.transaction(async (transaction) => {
    // The lock lets one creation for a deployment in at a time, so that the count is still true when the row is
    // inserted.
    const lock = 'SELECT FROM deployments WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE';
    if ((await execute(transaction, 'lock-live-deployment', lock, [deploymentId])) === 0) return 'no-deployment';
    const { count } = await queryOne<{ count: number }>(
      transaction,
      'count-webhooks',
      'SELECT count(*) FROM webhooks WHERE deployment_id = ?',
      [deploymentId],
    );
    if (count >= limit) return 'limit-reached';
    const [row] = await transaction<Row>('webhooks')
      .insert({
        id: newWebhookId(),
        deployment_id: deploymentId,
        url,
        receiver: receiverOf(url),
        type,
        events,
        created_at: transaction.raw('clock_timestamp()'),
      })
      .returning('*');
    if (!row) throw new Error('INSERT returned no row.');
    return toWebhook(row);
  });
}

/** A deployment's webhooks, oldest first. */
export async function listWebhooks(db: Knex, deploymentId: string): Promise<Webhook[]> {
  const rows = await db<Row>('webhooks').where({ deployment_id: deploymentId }).orderBy(['created_at', 'id']);
  return rows.map(toWebhook);
}

export async function findWebhook(db: Knex, deploymentId: string, id: string): Promise<Webhook | undefined> {
  const row = await db<Row>('webhooks').where({ id, deployment_id: deploymentId }).first();
  return row && toWebhook(row);
}

/**
 * Changes the given settings; undefined when the webhook has been deleted. Switching it on makes its pending deliveries
 * due at once.
 */
export async function changeWebhook(
  db: Knex,
  id: string,
  { url, events, active }: { [name in 'url' | 'events' | 'active']?: Webhook[name] | undefined },
): Promise<Webhook | undefined> {
  return db.transaction(async (transaction) => {
    const [row] = await transaction<Row>('webhooks')
      .where({ id })
      .update({
        ...(url !== undefined && { url, receiver: receiverOf(url) }),
        ...(events !== undefined && { events }),
        ...(active !== undefined && { active }),
        // The five days begin again for a new receiver, and when the owner switches the webhook on.
        ...((url !== undefined || active) && { failing_since: null }),
        // Without any settings this is still a statement.
        id,
      })
      .returning('*');
    if (row && active) {
      // Separate statements: they also see deliveries that other processes held back before this one locked the row.
      await execute(
        transaction,
        'release-held-deliveries',
        `UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
          WHERE webhook_id = ? AND status = 'pending' AND next_attempt_at = 'infinity' AND deployment_id = ?`,
        [id, row.deployment_id],
      );
      await execute(
        transaction,
        'release-waiting-deliveries',
        `UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
          WHERE receiver = ? AND owner_id = ANY (ARRAY[${NO_OWNER}, (SELECT owner_id FROM deployments WHERE id = ?)])
            AND status = 'pending' AND next_attempt_at > now() AND next_attempt_at < 'infinity'
            AND webhook_id = ? AND NOT leased AND deployment_id = ?`,
        [row.receiver, row.deployment_id, id, row.deployment_id],
      );
    }
    return row && toWebhook(row);
  });
}

/** Removes a webhook; whether it was still there. Its deliveries are deleted when they are claimed. */
export async function deleteWebhook(db: Knex, id: string): Promise<boolean> {
  return (await db('webhooks').where({ id }).delete()) === 1;
}

/**
 * The secret that signs a webhook's deliveries, `whsec_` and base64 (Standard Webhooks 1.0); undefined when the webhook
 * has been deleted.
 */
export async function findWebhookSecret(db: Knex, id: string): Promise<string | undefined> {
  const row = await db<Row>('webhooks').where({ id }).first('secret');
  return row?.secret;
}

/**
 * Gives a webhook a new secret. For 24 hours the one before it signs as well, and the one before that if its 24 hours
 * are not over.
 */
export async function rotateWebhookSecret(db: Knex, id: string): Promise<string | undefined> {
  const [row] = await query<{ secret: string }>(
    db,
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
  return row?.secret;
}
