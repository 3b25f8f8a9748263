import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The tables are locked for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- The statement that stores submissions compares them with the clock and with the counter of the same row.
    ALTER TABLE deployments
      ADD COLUMN opens_at timestamptz, -- NULL: the form is open from the start
      ADD COLUMN closes_at timestamptz, -- NULL: the form stays open
      ADD COLUMN max_submissions integer, -- NULL: as many as come
      ADD COLUMN submissions_per_minute integer; -- NULL: the limit of the service
    -- Not in deployments, because each submission writes that row.
    ALTER TABLE form_rules ADD COLUMN closed_message text;
    -- How many submissions of a form got a 429, by days of UTC. A week is kept.
    CREATE TABLE turned_away (
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
      day date NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (deployment_id, day)
    )
  `);
