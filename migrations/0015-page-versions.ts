import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE pages
      ADD COLUMN after_number bigint NOT NULL DEFAULT 0, -- submissions above it were sent from this version
      ADD COLUMN created_at timestamptz; -- when this version went live; NULL: before this column
    -- What a page was before.
    CREATE TABLE page_versions (
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
      version bigint NOT NULL, -- as in pages
      after_number bigint NOT NULL,
      created_at timestamptz NOT NULL,
      html bytea, -- NULL: no longer kept; submissions were sent from it
      PRIMARY KEY (deployment_id, version)
    );
  `);
