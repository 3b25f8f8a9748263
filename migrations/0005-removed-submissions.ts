import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- Numbers whose submissions were deleted, which are never used again. The number at which a page of the list starts is lower by those above it.
    CREATE TABLE removed_submissions (
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
      number bigint NOT NULL,
      PRIMARY KEY (deployment_id, number)
    );
  `);
