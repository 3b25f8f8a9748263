import type { Knex } from 'knex';

export const config = { transaction: false };

// While an older version runs during an update, it mails each submission to the owner. It leaves alone what is mailed
// to recipients, because it doesn't know these events.
export async function up(db: Knex): Promise<void> {
  // One table at a time, each locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  for (const change of [
    `ALTER TABLE deployments
       ADD COLUMN IF NOT EXISTS notify_every text NOT NULL DEFAULT 'submission', -- or 'hour' or 'day'
       ADD COLUMN IF NOT EXISTS mail_failures int NOT NULL DEFAULT 0, -- as in mail_recipients, of the owner's address
       ADD COLUMN IF NOT EXISTS mail_switched_off_at timestamptz -- when failures switched email_notifications off`,
    `ALTER TABLE deliveries
       ADD COLUMN IF NOT EXISTS recipient_id text COLLATE "C" -- who gets the mail; NULL: the owner, or no mail`,
    `ALTER TABLE owners
       ADD COLUMN IF NOT EXISTS recent_confirmations timestamptz[] NOT NULL DEFAULT '{}' -- the window of the limit on mails that ask recipients`,
    // The foreign keys lock deployments for a moment.
    `CREATE TABLE IF NOT EXISTS mail_recipients (
       id text COLLATE "C" PRIMARY KEY,
       deployment_id text COLLATE "C" NOT NULL REFERENCES deployments ON DELETE CASCADE,
       email text NOT NULL, -- in lower case
       position int NOT NULL, -- in the owner's list
       asked_at timestamptz, -- when the last mail that asks for a confirmation was made
       confirmed_at timestamptz, -- NULL: gets no mail
       failures int NOT NULL DEFAULT 0, -- mails in a row that the mail server has refused for good
       switched_off_at timestamptz, -- when failures switched it off
       last_error text, -- the last of these failures
       created_at timestamptz NOT NULL DEFAULT now(),
       removed_at timestamptz, -- from the owner's list; kept so that it is not asked too often, and for the log
       UNIQUE (deployment_id, email)
     )`,
    `CREATE TABLE IF NOT EXISTS digests ( -- of each deployment whose notify_every is not 'submission'
       deployment_id text COLLATE "C" PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
       next_at timestamptz NOT NULL, -- the end of the open window
       last_number bigint NOT NULL -- submissions up to it are in earlier digests, or are in none
     );
     CREATE INDEX IF NOT EXISTS digests_next ON digests (next_at)`,
  ]) {
    await db.transaction((transaction) => transaction.raw(`SET LOCAL lock_timeout = '1s'; ${change}`));
  }
}
