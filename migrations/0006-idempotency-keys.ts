import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The values of Idempotency-Key under which submissions were accepted in the last 24 hours.
    CREATE TABLE idempotency_keys (
      deployment_id text COLLATE "C" NOT NULL,
      key_hash bytea NOT NULL, -- SHA-256 of the key
      body_hash bytea NOT NULL, -- SHA-256 of what was submitted
      submission_id text COLLATE "C" NOT NULL, -- stays when the submission is deleted
      created_at timestamptz NOT NULL,
      PRIMARY KEY (deployment_id, key_hash)
    );
    -- Expired ones are removed, the oldest first.
    CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
  `);
