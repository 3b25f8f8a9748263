import type { Knex } from 'knex';

/** How many deliveries one statement looks at. */
const BATCH = 10_000;

// Not in one transaction, because the index is built while the service works. If it is interrupted, it runs again from
// the start.
export async function up(db: Knex): Promise<void> {
  // One table at a time, each locked for a moment. As in 0003, the migration does not wait for a long lock of others.
  for (const change of [
    `ALTER TABLE deliveries
       ADD COLUMN IF NOT EXISTS owner_id bigint NOT NULL DEFAULT 0 -- the deployment's; 0: made by a version before this`,
    `ALTER TABLE owners
       ADD COLUMN IF NOT EXISTS recent_tests timestamptz[] NOT NULL DEFAULT '{}' -- the window of the limit on tests of webhooks`,
    `ALTER TABLE webhooks
       ADD COLUMN IF NOT EXISTS noticed_at timestamptz -- when the owner last got a mail that it was switched off`,
  ]) {
    await db.transaction((transaction) => transaction.raw(`SET LOCAL lock_timeout = '1s'; ${change}`));
  }

  for (let after: string | null = ''; after !== null; ) {
    const { rows }: { rows: { last: string | null }[] } = await db.raw(
      `WITH batch AS MATERIALIZED (
         SELECT id, deployment_id, status, owner_id FROM deliveries WHERE id > ? ORDER BY id LIMIT ${BATCH}
       ), owned AS (
         UPDATE deliveries SET owner_id = deployments.owner_id
           FROM batch JOIN deployments ON deployments.id = batch.deployment_id
          WHERE deliveries.id = batch.id AND batch.status = 'pending' AND batch.owner_id = 0
       )
       SELECT max(id) AS last FROM batch`,
      [after],
    );
    after = rows[0]?.last ?? null;
  }

  // Due deliveries by receiver and owner, so that a backlog of one owner does not delay another. The version before finds
  // its deliveries by this one as well, in time proportional to a receiver's backlog. The old index is dropped now, and
  // not a release later: with both, Postgres might look for an owner's deliveries among all of a receiver's.
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deliveries_due_by_owner');
  await db.raw(
    `CREATE INDEX CONCURRENTLY deliveries_due_by_owner ON deliveries (receiver, owner_id, next_attempt_at)
      WHERE status = 'pending' AND next_attempt_at < 'infinity'`,
  );
  await db.raw('DROP INDEX CONCURRENTLY IF EXISTS deliveries_due');
}

export const config = { transaction: false };
