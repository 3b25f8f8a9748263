import type { Knex } from 'knex';

// The table has to be had for a moment, while every submission goes through it: whoever holds it for long (a dump) is waited
// for outside, by trying again, and not with all submissions queued up behind.
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE deployments
      ADD COLUMN taken_down_at timestamptz, -- by the operator: the page answers 451, and takes no submissions
      ADD COLUMN take_down_reason text; -- for the operator; nobody else is shown it
  `);
