import type { Knex } from 'knex';

// While an older version runs during an update, it treats every key as one that may do everything and never expires.
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- As in 0003: the table is locked for a moment. When a long transaction uses it this fails, and the service tries
    -- again.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE api_keys
      ADD COLUMN scope text NOT NULL DEFAULT 'full' CHECK (scope IN ('full', 'read')),
      ADD COLUMN expires_at timestamptz; -- NULL: never
    -- An owner's keys.
    CREATE INDEX api_keys_owner ON api_keys (owner_id, id) WHERE revoked_at IS NULL;
  `);
