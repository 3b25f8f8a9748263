import type { Knex } from 'knex';

export const config = { transaction: false };

// Built while the service works. If it is interrupted, it runs again from the start.
export async function up(db: Knex): Promise<void> {
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deliveries_mail_log');
  // A deployment's mails, newest first, without notices. Deliveries to webhooks are not in it.
  await db.raw(
    `CREATE INDEX CONCURRENTLY deliveries_mail_log ON deliveries (deployment_id, id)
      WHERE webhook_id IS NULL AND event IN ('submission', 'submission-mail', 'digest', 'test-mail')`,
  );
}
