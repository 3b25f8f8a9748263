import type { Knex } from 'knex';

// Not in one transaction, because the indexes are built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deployments_mail_switched_off');
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS mail_recipients_switched_off');
  // Whose mail was switched off because it was refused: few of very many.
  await db.raw(
    `CREATE INDEX CONCURRENTLY deployments_mail_switched_off ON deployments (owner_id, id)
      WHERE mail_switched_off_at IS NOT NULL AND deleted_at IS NULL`,
  );
  await db.raw(
    `CREATE INDEX CONCURRENTLY mail_recipients_switched_off ON mail_recipients (deployment_id)
      WHERE switched_off_at IS NOT NULL AND removed_at IS NULL`,
  );
}

export const config = { transaction: false };
