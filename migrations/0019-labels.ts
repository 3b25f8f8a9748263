import type { Knex } from 'knex';

// Existing pages get no value, and neither do those that an older version writes during an update: their labels are
// read when they are needed (labelsOf in src/submissions/labels.ts).
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE pages
      ADD COLUMN labels json, -- what people call the fields: a list of pairs of a name and a label
      ADD COLUMN labels_version bigint -- the version that labels was read from
  `);
