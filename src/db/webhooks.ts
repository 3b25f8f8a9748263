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

type Row = {
  id: string;
  deployment_id: string;
  url: string;
  type: 'generic' | 'slack';
  events: string[];
  active: boolean;
  created_at: Date;
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

/** Removes a webhook and ends its pending deliveries; whether there was one. */
export async function deleteWebhook(db: Knex, deploymentId: string, id: string): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const deleted = await transaction('webhooks').where({ id, deployment_id: deploymentId }).delete();
    if (deleted === 0) return false;
    await transaction('deliveries').where({ deployment_id: deploymentId, webhook_id: id, status: 'pending' }).delete();
    return true;
  });
}
