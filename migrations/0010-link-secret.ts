import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- Signs the links in mails. All processes need the same, and backups keep it, so that old links work after a restore.
    -- Of the secret, 244 bits are random: gen_random_uuid() draws from a cryptographic source and sets 6 of 128.
    CREATE TABLE link_secret (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), -- there is one row
      secret bytea NOT NULL
        DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
    );
    INSERT INTO link_secret DEFAULT VALUES;
  `);
