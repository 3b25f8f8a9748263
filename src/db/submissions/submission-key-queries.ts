import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { execute, query } from '../postgres/query.ts';

/** The SHA-256 of a submission's Idempotency-Key, and of its content. */
export type IdempotencyKey = { hash: Buffer; bodyHash: Buffer };

export const EXPIRED = `idempotency_keys.created_at <= statement_timestamp() - interval '${SIZES.idempotencyKey.lifetimeHours} hours'`;

/** The submission that was accepted under a key for a deployment; it may have been deleted since. */
export async function findByKey(
  db: Knex,
  deploymentId: string,
  keyHash: Buffer,
): Promise<{ id: string; bodyHash: Buffer } | undefined> {
  const [row] = await query<{ id: string; bodyHash: Buffer }>(
    db,
    'find-idempotency-key',
    `SELECT submission_id AS id, body_hash AS "bodyHash" FROM idempotency_keys
      WHERE deployment_id = ? AND key_hash = ? AND NOT (${EXPIRED})`,
    [deploymentId, keyHash],
  );
  return row;
}

/**
 * Stores the key of a submission; false when another has been stored under it. It belongs in the transaction that
 * stores the submission: that has the lock on the deployment's row, so any transaction that used the key before has
 * ended, and nothing is waited for.
 */
export async function storeKey(
  transaction: Knex,
  { deploymentId, id }: { deploymentId: string; id: string },
  { hash, bodyHash }: IdempotencyKey,
): Promise<boolean> {
  const stored = await execute(
    transaction,
    'store-idempotency-key',
    `INSERT INTO idempotency_keys (deployment_id, key_hash, body_hash, submission_id, created_at)
     VALUES (?, ?, ?, ?, statement_timestamp())
     ON CONFLICT (deployment_id, key_hash) DO UPDATE
       SET body_hash = excluded.body_hash, submission_id = excluded.submission_id, created_at = excluded.created_at
       WHERE ${EXPIRED}`,
    [deploymentId, hash, bodyHash, id],
  );
  return stored === 1;
}
