import type { Knex } from 'knex';

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deployments_retention');
  // Deployments whose submissions expire.
  await db.raw('CREATE INDEX CONCURRENTLY deployments_retention ON deployments (id) WHERE retention_days IS NOT NULL');
}

export const config = { transaction: false };
