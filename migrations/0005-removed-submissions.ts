import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key has to have deployments for a moment: as in 0003, whoever works on it for long is waited for outside.
    SET LOCAL lock_timeout = '1s';
    -- Numbers whose submissions were deleted, which are never given again: a page of the list starts lower by those above it.
    CREATE TABLE removed_submissions (
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
      number bigint NOT NULL,
      PRIMARY KEY (deployment_id, number)
    );
  `);
