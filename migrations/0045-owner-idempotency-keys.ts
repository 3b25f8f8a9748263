import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The values of Idempotency-Key under which owners made something in the last 24 hours. No foreign key: to lock the owner
    -- here could be a deadlock.
    CREATE TABLE owner_idempotency_keys (
      owner_id bigint NOT NULL,
      key_hash bytea NOT NULL, -- SHA-256 of the key
      request_hash bytea NOT NULL, -- SHA-256 of what was asked for
      answer text, -- the JSON of the first answer; null until it is made, in the same transaction
      created_at timestamptz NOT NULL,
      PRIMARY KEY (owner_id, key_hash)
    );
    -- Expired ones are removed, the oldest first.
    CREATE INDEX owner_idempotency_keys_created_at ON owner_idempotency_keys (created_at);
  `);
