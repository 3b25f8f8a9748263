import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- No foreign key to submissions: a submission's files come first in its transaction, so that the lock on its
    -- deployment's row is short.
    CREATE TABLE submission_files (
      id text COLLATE "C" PRIMARY KEY,
      deployment_id text COLLATE "C" NOT NULL,
      submission_id text COLLATE "C" NOT NULL,
      filename bytea NOT NULL, -- UTF-8 as sent; bytes, because a text cannot hold NUL
      content_type text NOT NULL,
      size integer NOT NULL, -- bytes
      created_at timestamptz NOT NULL DEFAULT now()
    );
    -- Files go with their submission, or with all of a deployment's.
    CREATE INDEX submission_files_submission ON submission_files (deployment_id, submission_id);

    -- A file in pieces, so that a statement, and the memory of a process, has only one piece at a time.
    CREATE TABLE submission_file_chunks (
      file_id text COLLATE "C" NOT NULL REFERENCES submission_files ON DELETE CASCADE,
      position integer NOT NULL, -- 0, 1, 2, ...
      content bytea NOT NULL,
      PRIMARY KEY (file_id, position)
    );
    -- Photos and PDFs are compressed already.
    ALTER TABLE submission_file_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
  `);
