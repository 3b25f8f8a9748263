import type { Knex } from 'knex';
import { newWebhookId } from '../ids.ts';

export type Webhook = {
  id: string;
  deploymentId: string;
  url: string;
  type: 'generic' | 'slack';
  events: string[];
  active: boolean;
  createdAt: Date;
};

/** Where a URL leads, in the one way to write it: `example.org:443`, `[::1]:8080`. */
function receiverOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

type Row = {
  id: string;
  deployment_id: string;
  url: string;
  type: 'generic' | 'slack';
  events: string[];
  active: boolean;
  created_at: Date;
  receiver: string;
  failing_since: Date | null;
};

const fromRow = (row: Row): Webhook => ({
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
    // Creations for one deployment go one at a time, so that the count below is still true when the row goes in.
    const locked = await transaction('deployments')
      .where({ id: deploymentId, deleted_at: null })
      .forNoKeyUpdate()
      .first('id');
    if (!locked) return 'no-deployment';
    const { rows } = await transaction.raw('SELECT count(*) FROM webhooks WHERE deployment_id = ?', [deploymentId]);
    if (rows[0].count >= limit) return 'limit-reached';
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
    return fromRow(row);
  });
}

/** A deployment's webhooks, oldest first. */
export async function listWebhooks(db: Knex, deploymentId: string): Promise<Webhook[]> {
  const rows = await db<Row>('webhooks').where({ deployment_id: deploymentId }).orderBy(['created_at', 'id']);
  return rows.map(fromRow);
}

export async function findWebhook(db: Knex, deploymentId: string, id: string): Promise<Webhook | undefined> {
  const row = await db<Row>('webhooks').where({ id, deployment_id: deploymentId }).first();
  return row && fromRow(row);
}

/** Changes what is given of a webhook; undefined when it has been deleted. What is pending of one switched on is due at once. */
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
        // Another receiver, or one that is said to be well, gets the whole five days.
        ...((url !== undefined || active) && { failing_since: null }),
        // Nothing given is nothing to set, which is no statement.
        id,
      })
      .returning('*');
    if (row && active) {
      // In statements of their own, begun when no other process can hold any more of what is pending.
      await transaction.raw(
        `UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
          WHERE webhook_id = ? AND status = 'pending' AND next_attempt_at = 'infinity'`,
        [id],
      );
      await transaction.raw(
        `UPDATE deliveries SET next_attempt_at = now(), updated_at = now()
          WHERE receiver = ? AND status = 'pending' AND next_attempt_at > now() AND next_attempt_at < 'infinity'
            AND webhook_id = ? AND NOT leased`,
        [row.receiver, id],
      );
    }
    return row && fromRow(row);
  });
}

/** Removes a webhook; whether it was still there. Its deliveries end where they are claimed. */
export async function deleteWebhook(db: Knex, id: string): Promise<boolean> {
  return (await db('webhooks').where({ id }).delete()) === 1;
}

/** The secret that signs what a webhook sends, `whsec_` and base64 (Standard Webhooks 1.0); undefined as above. */
export async function findWebhookSecret(db: Knex, id: string): Promise<string | undefined> {
  const row = await db('webhooks').where({ id }).first('secret');
  return row?.secret;
}

/** Gives a webhook a new secret; for a day the one before it signs as well, and that before it, if it is as young. */
export async function rotateWebhookSecret(db: Knex, id: string): Promise<string | undefined> {
  const { rows } = await db.raw(
    `UPDATE webhooks
        SET secret = DEFAULT,
            previous_secrets = jsonb_path_query_array(
              jsonb_build_array(jsonb_build_object('secret', secret, 'until', now() + interval '24 hours')) || previous_secrets,
              '$[0 to 1]')
      WHERE id = ? RETURNING secret`,
    [id],
  );
  return rows[0]?.secret;
}
