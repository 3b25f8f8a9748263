import type { Knex } from 'knex';

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  // Locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  await db.transaction((transaction) =>
    transaction.raw(`
      SET LOCAL lock_timeout = '1s';
      ALTER TABLE deployments ADD COLUMN IF NOT EXISTS purging boolean NOT NULL DEFAULT false -- being removed for good
    `),
  );
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deployments_purging');
  await db.raw('CREATE INDEX CONCURRENTLY deployments_purging ON deployments (id) WHERE purging');
  // An owner's deleted deployments, the last deleted first.
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deployments_deleted');
  await db.raw(
    'CREATE INDEX CONCURRENTLY deployments_deleted ON deployments (owner_id, deleted_at, id) WHERE deleted_at IS NOT NULL',
  );
}

export const config = { transaction: false };
