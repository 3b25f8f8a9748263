import type { Knex } from 'knex';

// The table is locked for a moment, and every submission uses it. If another transaction has locked it for long (a
// dump), the migration fails and is tried again later: if it waited for the lock, all submissions would wait behind it.
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE deployments
      ADD COLUMN taken_down_at timestamptz, -- by the operator: the page answers 451, and accepts no submissions
      ADD COLUMN take_down_reason text; -- shown to the operator only
  `);
