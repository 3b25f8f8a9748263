import type { Knex } from 'knex';

// Existing marks stay, and stay valid. While an older version runs during an update, it takes what has only this row for
// unread.
export async function up(db: Knex): Promise<void> {
  await db.transaction((transaction) =>
    transaction.raw(`
      -- The foreign key locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
      SET LOCAL lock_timeout = '1s';
      -- Submissions up to this number are read, except where submission_marks says otherwise.
      CREATE TABLE IF NOT EXISTS read_up_to (
        deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
        number bigint NOT NULL DEFAULT 0, -- locked while submissions of the deployment are marked
        unfinished boolean NOT NULL DEFAULT false -- the next ones may be read too
      );
      CREATE INDEX IF NOT EXISTS read_up_to_unfinished ON read_up_to (deployment_id) WHERE unfinished
    `),
  );
  // Submissions that are unread although they are below that number.
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS submission_marks_unread');
  await db.raw(
    'CREATE INDEX CONCURRENTLY submission_marks_unread ON submission_marks (deployment_id, number) WHERE NOT read',
  );
}

export const config = { transaction: false };
