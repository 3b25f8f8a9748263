import type { Knex } from 'knex';

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  // An owner's deleted deployments, the last deleted first; also those whose purge has begun.
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deployments_deleted');
  await db.raw(
    'CREATE INDEX CONCURRENTLY deployments_deleted ON deployments (owner_id, deleted_at, id) WHERE deleted_at IS NOT NULL',
  );
}

export const config = { transaction: false };
