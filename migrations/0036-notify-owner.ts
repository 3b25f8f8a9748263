import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The table is locked for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- Whether the owner gets the mail that recipients get.
    ALTER TABLE deployments ADD COLUMN notify_owner boolean NOT NULL DEFAULT true
  `);
