import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- Whether the owner gets the mail that recipients get.
    ALTER TABLE deployments ADD COLUMN notify_owner boolean NOT NULL DEFAULT true
  `);
