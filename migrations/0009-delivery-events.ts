import type { Knex } from 'knex';

// The default is for existing rows, and for those that an older version inserts while it runs during an update. It is
// wrong only for their notices: a row with a notice is a notice, and its event is ignored.
export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- As in 0003: the table is locked for a moment. When a long transaction uses it this fails, and the service tries
    -- again.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE deliveries
      ADD COLUMN event text DEFAULT 'submission', -- one of EVENTS (src/lib/events.ts); NULL: a notice, about no event
      -- NOT VALID: all existing rows have the default, so the table need not be scanned under the lock.
      ADD CONSTRAINT deliveries_webhook_event CHECK (webhook_id IS NULL OR event IS NOT NULL) NOT VALID;
  `);
