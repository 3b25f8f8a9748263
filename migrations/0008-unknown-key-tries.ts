import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- How many unknown API keys a network has tried in its window of a minute. Unlogged: only counts are lost with it.
    CREATE UNLOGGED TABLE unknown_key_tries (
      network text COLLATE "C" PRIMARY KEY,
      tries integer NOT NULL,
      window_ends_at timestamptz NOT NULL
    );
    -- Windows that have ended are removed.
    CREATE INDEX unknown_key_tries_ended ON unknown_key_tries (window_ends_at);
  `);
