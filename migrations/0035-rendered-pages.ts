import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- A page as visitors get it. It is that of the live version if rendered_version and the address are.
    ALTER TABLE pages
      ADD COLUMN rendered_version bigint, -- NULL: not rendered; other than version: rendered before an older service changed it
      ADD COLUMN rendered_action text, -- what the addresses that its forms post to begin with
      ADD COLUMN rendered_hash text, -- of the page without an encoding
      ADD COLUMN rendered_bytes integer, -- the length of that
      ADD COLUMN rendered_br bytea, -- the page as brotli
      -- Postgres would try to compress it again.
      ALTER COLUMN rendered_br SET STORAGE EXTERNAL;
  `);
