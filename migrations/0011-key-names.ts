import type { Knex } from 'knex';

// Nullable: keys that were made before, or that an older version makes during an update, have neither.
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- As in 0003: the table is locked for a moment. When a long transaction uses it this fails, and the service tries
    -- again.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE api_keys
      ADD COLUMN name text, -- 1 to 100 characters, by whoever made the key
      ADD COLUMN prefix text; -- the key's first 8 characters, to know it again
  `);
