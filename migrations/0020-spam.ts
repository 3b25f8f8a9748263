import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- Submissions that are kept apart. Their files are in submission_files, like those of submissions.
    -- No foreign key to deployments: whoever inserts here has locked the deployment's row, and a deployment is never
    -- removed while it has any.
    CREATE TABLE spam_submissions (
      deployment_id text COLLATE "C" NOT NULL,
      number bigint GENERATED ALWAYS AS IDENTITY, -- rises in the order in which they are kept
      id text COLLATE "C" NOT NULL, -- stays when it is released
      data json NOT NULL, -- keeps the text that was sent
      ip_address text NOT NULL,
      created_at timestamptz NOT NULL, -- when it was received
      kept_at timestamptz NOT NULL, -- when it came here; -infinity: it is being removed
      reason text NOT NULL,
      PRIMARY KEY (deployment_id, number)
    );
    CREATE UNIQUE INDEX spam_submissions_id ON spam_submissions (id);
    -- Expired ones are removed, the oldest first.
    CREATE INDEX spam_submissions_kept_at ON spam_submissions (kept_at);

    -- Solutions of ALTCHA's challenges that have been used: each counts once.
    CREATE TABLE altcha_solutions (
      hash bytea PRIMARY KEY,
      expires_at timestamptz NOT NULL -- until then the challenge is valid, and its solution must be known here
    );
    CREATE INDEX altcha_solutions_expires_at ON altcha_solutions (expires_at);
  `);
