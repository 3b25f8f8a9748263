import type { Knex } from 'knex';

export const up = (db: Knex): Promise<void> =>
  db.raw(`
    -- The foreign key locks deployments for a moment. As in 0003, the migration does not wait for a long lock of others.
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE deployments
      -- form_rules.version while a form has rules, and 0 while it has none. The statement that stores a submission
      -- compares it with the version that the submission was judged by.
      ADD COLUMN rules_version integer NOT NULL DEFAULT 0,
      ADD COLUMN retention_days integer; -- submissions are deleted when they are older; NULL: never
    -- How the submissions of a form are judged and answered. Not in deployments, because each submission writes that row.
    CREATE TABLE form_rules (
      deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
      version integer NOT NULL, -- rises with each change
      redirect_url text,
      allowed_origins text[] NOT NULL, -- empty: all
      blocklist text[] NOT NULL,
      captcha json -- {"provider","site_key","secret"}; NULL: none
    );
  `);
