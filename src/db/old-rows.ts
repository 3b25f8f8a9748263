import type { Knex } from 'knex';
import { firstDeliveryId } from '../lib/ids.ts';
import { SIZES } from '../sizes.ts';
import { EXPIRED as IS_OWNER_KEY_EXPIRED } from './account/idempotency-key-queries.ts';
import { execute, queryOne } from './postgres/query.ts';
import { DAILY_COUNTS, IS_OLD as IS_OLD_COUNT } from './submissions/daily-count-queries.ts';
import { EXPIRED as IS_KEY_EXPIRED } from './submissions/submission-key-queries.ts';

/*
 * Rows that are removed when their time is over, except submissions and spam, which have files.
 */

type OldRows = {
  /** The name of the statement. */
  name: string;
  table: string;
  /** The columns that tell the rows of the table apart. */
  key: string;
  /** Which rows are removed, in SQL. */
  isOld: string;
  order?: string;
};

/** Rows that one statement removes: it delays no other for long. */
export const BATCH = 500;
/** A used solution is known for so much longer than its challenge: clocks of processes may differ from the database's. */
const SOLUTION_MARGIN = '1 hour';

type Batches = { batch?: number | undefined; signal?: AbortSignal | undefined };

/** Removes rows, at most `batch` in each statement. Leaves those that others have locked. Throws when the signal fires. */
export async function deleteInBatches(
  db: Knex,
  { name, table, key, isOld, order = key }: OldRows,
  values: Knex.ValueDict,
  { batch = BATCH, signal }: Batches,
): Promise<void> {
  let removed: number;
  do {
    signal?.throwIfAborted();
    removed = await execute(
      db,
      name,
      `DELETE FROM ${table} WHERE (${key}) IN (
         SELECT ${key} FROM ${table} WHERE ${isOld} ORDER BY ${order} LIMIT :batch FOR UPDATE SKIP LOCKED)`,
      { ...values, batch },
    );
  } while (removed === batch);
}

/** Removes all rows of a deployment, of a table with the key (deployment_id, `key`). Waits for those that others have locked. */
export async function deleteOfDeployment(
  db: Knex,
  { table, key }: { table: string; key: string },
  deploymentId: string,
  { batch = BATCH, signal }: Batches,
): Promise<void> {
  // Each statement begins after the last key of the one before: from the start, it would read all that has been removed.
  for (let after: number | null = Number.MIN_SAFE_INTEGER; after !== null; ) {
    signal?.throwIfAborted();
    const removed: { last: number | null } = await queryOne(
      db,
      `remove-${table}`,
      `WITH removed AS (
         DELETE FROM ${table} WHERE deployment_id = :deploymentId AND ${key} = ANY (ARRAY(
           SELECT ${key} FROM ${table} WHERE deployment_id = :deploymentId AND ${key} > :after ORDER BY ${key} LIMIT :batch))
         RETURNING ${key} AS key
       )
       SELECT max(key) AS last FROM removed`,
      { deploymentId, after, batch },
    );
    after = removed.last;
  }
}

const OLD_ROWS: readonly OldRows[] = [
  {
    // Ids rise with time, so the primary key finds the old ones.
    ...{ name: 'remove-finished-deliveries', table: 'deliveries', key: 'id' },
    isOld: "id < :firstDeliveryId AND status <> 'pending' AND updated_at < :logStart",
  },
  {
    // Held for a webhook that has been deleted, alone or with its deployment.
    ...{ name: 'remove-orphaned-deliveries', table: 'deliveries', key: 'id', order: 'webhook_id' },
    isOld: `status = 'pending' AND next_attempt_at = 'infinity' AND webhook_id IS NOT NULL AND NOT EXISTS (
              SELECT FROM webhooks JOIN deployments ON deployments.id = webhooks.deployment_id
               WHERE webhooks.id = deliveries.webhook_id AND deleted_at IS NULL)`,
  },
  {
    ...{ name: 'remove-expired-keys', table: 'idempotency_keys', key: 'deployment_id, key_hash' },
    ...{ isOld: IS_KEY_EXPIRED, order: 'created_at' },
  },
  {
    ...{ name: 'remove-expired-owner-keys', table: 'owner_idempotency_keys', key: 'owner_id, key_hash' },
    ...{ isOld: IS_OWNER_KEY_EXPIRED, order: 'created_at' },
  },
  {
    // No process reads them any more.
    ...{ name: 'remove-old-deployment-changes', table: 'deployment_changes', key: 'id' },
    ...{ isOld: "at < clock_timestamp() - interval '1 hour'", order: 'at' },
  },
  {
    ...{ name: 'remove-ended-sessions', table: 'sessions', key: 'id', order: 'last_used_at' },
    isOld: `last_used_at <= now() - interval '${SIZES.session.lifetimeDays} days'`,
  },
  {
    ...{ name: 'remove-ended-grants', table: 'grants', key: 'id', order: 'last_used_at' },
    isOld: `last_used_at <= now() - interval '${SIZES.grant.lifetimeDays} days'`,
  },
  {
    ...{ name: 'remove-unredeemed-grants', table: 'grants', key: 'id', order: 'code_expires_at' },
    isOld: 'redeemed_at IS NULL AND code_expires_at <= now()',
  },
  { name: 'remove-expired-access-tokens', table: 'access_tokens', key: 'hash', isOld: 'expires_at <= now()' },
  {
    ...{ name: 'remove-unused-oauth-clients', table: 'oauth_clients', key: 'id', order: 'expires_at' },
    isOld: 'expires_at <= now() AND NOT EXISTS (SELECT FROM grants WHERE client_id = oauth_clients.id)',
  },
  ...DAILY_COUNTS.map((table) => {
    return { name: `remove-old-${table}`, table, key: 'deployment_id, day', isOld: IS_OLD_COUNT };
  }),
  {
    ...{ name: 'remove-expired-shares', table: 'shares', key: 'id', order: 'expires_at' },
    isOld: `expires_at <= now() - interval '${SIZES.share.endedDays} days'`,
  },
  { name: 'remove-former-slugs', table: 'former_slugs', key: 'slug', order: 'until', isOld: 'until <= now()' },
  { name: 'remove-expired-sign-in-links', table: 'sign_in_links', key: 'hash', isOld: 'expires_at <= now()' },
  { name: 'remove-expired-email-changes', table: 'email_changes', key: 'owner_id', isOld: 'expires_at <= now()' },
  { name: 'remove-ended-sign-in-tries', table: 'sign_in_tries', key: 'name', isOld: 'window_ends_at <= now()' },
  {
    ...{ name: 'remove-former-recipients', table: 'mail_recipients', key: 'id' },
    isOld: `removed_at < :logStart AND coalesce(asked_at <= now() - interval '${SIZES.recipient.askHours} hours', true)`,
  },
  {
    ...{
      name: 'remove-old-confirmations',
      table: 'visitor_confirmations',
      key: 'deployment_id, address_hash',
      order: 'day',
    },
    isOld: `day < CAST(now() AT TIME ZONE 'UTC' AS date) - CASE WHEN is_refused THEN ${SIZES.confirmation.refusedDays} ELSE 0 END`,
  },
  { name: 'remove-old-audit', table: 'audit_entries', key: 'id', order: 'at', isOld: 'at < :auditStart' },
  {
    ...{ name: 'remove-expired-altcha-solutions', table: 'altcha_solutions', key: 'hash', order: 'expires_at' },
    isOld: `expires_at < now() - interval '${SOLUTION_MARGIN}'`,
  },
];

/** Removes the rows whose time is over; deliveries, and recipients that owners have removed, from before `logStart`, entries of the audit from before `auditStart`. */
export async function removeOldRows(
  db: Knex,
  { logStart, auditStart = new Date(0), ...batches }: { logStart: Date; auditStart?: Date } & Batches,
): Promise<void> {
  const values = { logStart, auditStart, firstDeliveryId: firstDeliveryId(logStart) };
  for (const rows of OLD_ROWS) await deleteInBatches(db, rows, values, batches);
}
