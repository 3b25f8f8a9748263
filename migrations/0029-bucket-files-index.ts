import type { Knex } from 'knex';

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS submission_files_object');
  // Files in the bucket: none, where there is no bucket.
  await db.raw(
    'CREATE UNIQUE INDEX CONCURRENTLY submission_files_object ON submission_files (object_id) WHERE object_id IS NOT NULL',
  );
}

export const config = { transaction: false };
