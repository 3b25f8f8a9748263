import type { Knex } from 'knex';

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deployments_taken_down');
  // An owner's deployments that were taken down: few of very many.
  await db.raw(
    `CREATE INDEX CONCURRENTLY deployments_taken_down ON deployments (owner_id, id)
      WHERE taken_down_at IS NOT NULL AND deleted_at IS NULL`,
  );
}

export const config = { transaction: false };
