import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { execute, queryOne } from '../postgres/query.ts';

/** The SHA-256 of the Idempotency-Key of an owner's request, and of what it asks for. */
type RequestKey = { ownerId: number; hash: Buffer; requestHash: Buffer };

export const EXPIRED = `owner_idempotency_keys.created_at <= statement_timestamp() - interval '${SIZES.idempotencyKey.lifetimeHours} hours'`;

/**
 * Returns the answer of `make`, which runs once for each key, in a transaction. The same request under the key has the
 * first answer; while that is made, it waits for the row of the key. 'key-reused': another request has used the key.
 */
export const makeOnce = <Answer extends object>(
  db: Knex,
  key: RequestKey,
  make: (transaction: Knex) => Promise<Answer>,
): Promise<Answer | 'key-reused'> =>
  db.transaction(async (transaction) => {
    const { ownerId, hash, requestHash } = key;
    await forgetOldest(transaction, key);
    if (await storeKey(transaction, key)) {
      const answer = await make(transaction);
      await execute(
        transaction,
        'store-first-answer',
        'UPDATE owner_idempotency_keys SET answer = ? WHERE owner_id = ? AND key_hash = ?',
        [JSON.stringify(answer), ownerId, hash],
      );
      return answer;
    }
    const first = await queryOne<{ requestHash: Buffer; answer: string }>(
      transaction,
      'find-first-answer',
      'SELECT request_hash AS "requestHash", answer FROM owner_idempotency_keys WHERE owner_id = ? AND key_hash = ?',
      [ownerId, hash],
    );
    return first.requestHash.equals(requestHash) ? JSON.parse(first.answer) : 'key-reused';
  });

/** Makes room for a key. The transaction begins with it, and holds no lock yet that others wait for. */
const forgetOldest = (transaction: Knex, { ownerId, hash }: RequestKey): Promise<number> =>
  execute(
    transaction,
    'forget-oldest-keys',
    `DELETE FROM owner_idempotency_keys WHERE owner_id = :ownerId AND key_hash <> :hash AND created_at <= (
       SELECT created_at FROM owner_idempotency_keys WHERE owner_id = :ownerId
        ORDER BY created_at DESC OFFSET :others LIMIT 1)`,
    { ownerId, hash, others: SIZES.idempotencyKey.maxOfOwner - 1 },
  );

/** Stores a key; false when a request has used it. Waits for one that is using it. */
const storeKey = async (transaction: Knex, { ownerId, hash, requestHash }: RequestKey): Promise<boolean> =>
  (await execute(
    transaction,
    'store-owner-key',
    `INSERT INTO owner_idempotency_keys (owner_id, key_hash, request_hash, created_at)
     VALUES (?, ?, ?, statement_timestamp())
     ON CONFLICT (owner_id, key_hash) DO UPDATE
       SET request_hash = excluded.request_hash, answer = NULL, created_at = excluded.created_at
       WHERE ${EXPIRED}`,
    [ownerId, hash, requestHash],
  )) === 1;
