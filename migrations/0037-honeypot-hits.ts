import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- How often the honeypot of a form was filled in, by days of UTC. A week is kept.
    CREATE TABLE honeypot_hits (
      deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
      day date NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (deployment_id, day)
    )
  `);
