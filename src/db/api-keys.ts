import type { Knex } from 'knex';
import { hashOfKey, newApiKey, newKeyId } from '../ids.ts';
import { execute, query, queryOne } from './postgres/query.ts';

export const SCOPES = ['full', 'read'] as const;
/** What a key may do: everything, or only read, without secrets and keys. */
export type Scope = (typeof SCOPES)[number];

/** How much of a key is stored and shown, so that its owner knows it again. The rest is secret. */
export const PREFIX_CHARS = 8;
/** Keys of an owner that are not revoked. */
export const MAX_KEYS = 1_000;

/** A key as its owner sees it; `name` and `prefix` are null for one that an older version made. */
export type OwnKey = {
  id: string;
  name: string | null;
  prefix: string | null;
  scope: Scope;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
};

type OwnKeyRow = {
  id: string;
  name: string | null;
  prefix: string | null;
  scope: Scope;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
};

const toOwnKey = (row: OwnKeyRow): OwnKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scope: row.scope,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
});

const COLUMNS = 'id, name, prefix, scope, created_at, last_used_at, expires_at';

/** A page of an owner's keys that are not revoked, newest first, and how many there are in all. */
export async function listOwnKeys(
  db: Knex,
  ownerId: number,
  { page, limit }: { page: number; limit: number },
): Promise<{ keys: OwnKey[]; total: number }> {
  const rows = await query<{ total: number } & (OwnKeyRow | { id: null })>(
    db,
    'list-own-keys',
    `SELECT counted.total, own.*
       FROM (SELECT count(*) AS total FROM api_keys WHERE owner_id = :ownerId AND revoked_at IS NULL) AS counted
       LEFT JOIN LATERAL (
         SELECT ${COLUMNS} FROM api_keys
          WHERE owner_id = :ownerId AND revoked_at IS NULL ORDER BY id DESC LIMIT :limit OFFSET :offset
       ) AS own ON true`,
    { ownerId, limit, offset: (page - 1) * limit },
  );
  return {
    total: rows[0]?.total ?? 0,
    keys: rows.flatMap((row) => (row.id === null ? [] : [toOwnKey(row)])),
  };
}

/** Lets one change of an owner's keys in at a time, so that what was counted is still true when it is changed. */
const lockOwner = (transaction: Knex, ownerId: number): Promise<unknown> =>
  execute(transaction, 'lock-owner-of-keys', 'SELECT FROM owners WHERE id = ? FOR NO KEY UPDATE', [ownerId]);

/** Makes a key for an owner; only its hash and its first characters are stored. */
export function makeOwnKey(
  db: Knex,
  ownerId: number,
  { name, scope, expiresAt }: { name: string; scope: Scope; expiresAt: Date | undefined },
): Promise<{ key: string; made: OwnKey } | 'too-many'> {
  const key = newApiKey();
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, ownerId);
    const { keys } = await queryOne<{ keys: number }>(
      transaction,
      'count-own-keys',
      'SELECT count(*) AS keys FROM api_keys WHERE owner_id = ? AND revoked_at IS NULL',
      [ownerId],
    );
    if (keys >= MAX_KEYS) return 'too-many';
    const row = await queryOne<OwnKeyRow>(
      transaction,
      'make-own-key',
      `INSERT INTO api_keys (id, owner_id, hash, prefix, name, scope, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       RETURNING ${COLUMNS}`,
      [newKeyId(), ownerId, hashOfKey(key), key.slice(0, PREFIX_CHARS), name, scope, expiresAt ?? null],
    );
    return { key, made: toOwnKey(row) };
  });
}

/** Whether an owner has a key with this id that is not revoked. */
export const ownKeyExists = async (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  (await execute(db, 'find-own-key', 'SELECT FROM api_keys WHERE id = ? AND owner_id = ? AND revoked_at IS NULL', [
    id,
    ownerId,
  ])) === 1;

/** Whether a key is neither revoked nor expired. */
export const isKeyValid = async (db: Knex, id: string): Promise<boolean> =>
  (await execute(
    db,
    'is-key-valid',
    'SELECT FROM api_keys WHERE id = ? AND revoked_at IS NULL AND coalesce(expires_at > now(), true)',
    [id],
  )) === 1;

/** Revokes a key of an owner, unless the owner would have no valid full key left. */
export function revokeOwnKey(db: Knex, ownerId: number, id: string): Promise<'revoked' | 'no-key' | 'last'> {
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, ownerId);
    const [row] = await query<{ is_last: boolean }>(
      transaction,
      'find-key-to-revoke',
      `SELECT scope = 'full' AND NOT EXISTS (
                SELECT FROM api_keys AS other
                 WHERE other.owner_id = api_keys.owner_id AND other.id <> api_keys.id AND other.scope = 'full'
                   AND other.revoked_at IS NULL AND coalesce(other.expires_at > now(), true)
              ) AS is_last
         FROM api_keys WHERE id = ? AND owner_id = ? AND revoked_at IS NULL`,
      [id, ownerId],
    );
    if (!row) return 'no-key';
    if (row.is_last) return 'last';
    await execute(transaction, 'revoke-own-key', 'UPDATE api_keys SET revoked_at = now() WHERE id = ?', [id]);
    return 'revoked';
  });
}
