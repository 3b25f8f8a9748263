import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign keys lock api_keys for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- Of browsers that are signed in. A session stands for its key, and works no longer than that.
    CREATE TABLE sessions (
      id text COLLATE "C" PRIMARY KEY,
      hash bytea NOT NULL UNIQUE, -- SHA-256 of the cookie
      key_id text COLLATE "C" NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX sessions_key ON sessions (key_id, id);
    CREATE INDEX sessions_last_used ON sessions (last_used_at);
    -- Links in mails that sign in, once.
    CREATE TABLE sign_in_links (
      hash bytea PRIMARY KEY, -- SHA-256 of the token in the link
      key_id text COLLATE "C" NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      expires_at timestamptz NOT NULL
    );
    -- How often links were asked for, for an address and by a client.
    CREATE TABLE sign_in_tries (
      name text COLLATE "C" PRIMARY KEY, -- SHA-256 of the address or of the client's network, with its kind
      tries integer NOT NULL,
      window_ends_at timestamptz NOT NULL
    );
  `);
