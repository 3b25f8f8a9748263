import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The tables are locked for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE owners ADD COLUMN time_zone text; -- an IANA name; NULL: UTC
    ALTER TABLE sessions ADD COLUMN user_agent text; -- of the browser that signed in, cut; NULL: not known
    -- New addresses that are not confirmed yet, the last one of each owner.
    CREATE TABLE email_changes (
      owner_id bigint PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
      email text NOT NULL, -- in lower case
      hash bytea NOT NULL UNIQUE, -- SHA-256 of the token in the link
      expires_at timestamptz NOT NULL
    )
  `);
