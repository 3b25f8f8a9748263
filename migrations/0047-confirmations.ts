import type { Knex } from 'knex';

export const config = { transaction: false };

/** The mails in the log of a deployment, newest first: those of deliveries_mail_log, and confirmations. */
const LOGGED = `(deployment_id, id)
  WHERE webhook_id IS NULL
    AND event IN ('submission', 'submission-mail', 'digest', 'test-mail', 'visitor-confirmation', 'confirmation-preview')`;

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  // One table at a time, each locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  for (const change of [
    `ALTER TABLE deployments
       ADD COLUMN IF NOT EXISTS confirmation jsonb -- {"field","subject","text"}: the mail to visitors; NULL: none`,
    `ALTER TABLE deliveries
       ADD COLUMN IF NOT EXISTS visitor_email text -- who gets a confirmation, once it was attempted`,
    `ALTER TABLE owners
       ADD COLUMN IF NOT EXISTS confirmations_day date, -- the last day (UTC) on which visitors got confirmations
       ADD COLUMN IF NOT EXISTS confirmations_count int NOT NULL DEFAULT 0 -- how many, on that day`,
    // No foreign key: the table is written while the owner is locked, which could be a deadlock.
    `CREATE TABLE IF NOT EXISTS visitor_confirmations (
       deployment_id text COLLATE "C" NOT NULL,
       address_hash bytea NOT NULL, -- SHA-256 of the address in lower case
       day date NOT NULL, -- of the last confirmation to it (UTC)
       delivery_id text COLLATE "C" NOT NULL, -- the delivery that may send on that day
       is_refused boolean NOT NULL DEFAULT false, -- the mail server has refused the address for good
       PRIMARY KEY (deployment_id, address_hash)
     );
     CREATE INDEX IF NOT EXISTS visitor_confirmations_day ON visitor_confirmations (day)`,
  ]) {
    await db.transaction((transaction) => transaction.raw(`SET LOCAL lock_timeout = '1s'; ${change}`));
  }
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    "SELECT CAST(CAST(inhrelid AS regclass) AS text) AS name FROM pg_inherits WHERE inhparent = CAST('deliveries' AS regclass)",
  );
  const partitions = rows.map(({ name }) => name);
  // With the indexes of its partitions.
  if (partitions.length > 0) await db.raw('DROP INDEX IF EXISTS deliveries_logged_mails');
  for (const table of partitions.length > 0 ? partitions : ['deliveries']) {
    await db.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${table}_logged_mails`);
    await db.raw(`CREATE INDEX CONCURRENTLY ${table}_logged_mails ON ${table} ${LOGGED}`);
  }
  // Postgres builds none of a partitioned table concurrently. This one takes those of the partitions, and builds nothing.
  if (partitions.length > 0) await db.raw(`CREATE INDEX deliveries_logged_mails ON deliveries ${LOGGED}`);
}
