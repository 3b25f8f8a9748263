import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key locks submissions for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    -- Only of submissions that somebody has marked: without a row one is unread and has no star.
    CREATE TABLE submission_marks (
      deployment_id text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      read boolean NOT NULL,
      starred boolean NOT NULL,
      PRIMARY KEY (deployment_id, number),
      FOREIGN KEY (deployment_id, number) REFERENCES submissions ON DELETE CASCADE
    );
    CREATE INDEX submission_marks_starred ON submission_marks (deployment_id, number) WHERE starred;
  `);
