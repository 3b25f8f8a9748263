import type { Knex } from 'knex';
import { hashOfKey, newApiKey, newKeyId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage, readAll } from '../postgres/query.ts';
import { audited, record } from './audit-queries.ts';
import { cancelEmailChange } from './email-change-queries.ts';

/** Keys that one statement reads. */
export const KEYS_BATCH = 1_000;

export const SCOPES = ['full', 'read', 'publish'] as const;
/** The rights of a key: everything; only reading, without secrets and keys; or only publishing, without submissions. */
export type Scope = (typeof SCOPES)[number];

/** Returns whether a text can be stored as a key's name (Postgres has no NUL), and shown in one line of a list. */
export const isOneLine = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** The condition for a row of api_keys whose key works, in SQL. */
export const IS_VALID = '(api_keys.revoked_at IS NULL AND coalesce(api_keys.expires_at > now(), true))';

/** A new key, and what is stored of it. */
export function generateKey(): { key: string; id: string; hash: Buffer; prefix: string } {
  const key = newApiKey();
  return { key, id: newKeyId(), hash: hashOfKey(key), prefix: key.slice(0, SIZES.apiKey.prefixChars) };
}

/** A key as its owner sees it; `name` is null for one that the operator has made without a name. */
export type OwnKey = {
  id: string;
  name: string | null;
  prefix: string;
  scope: Scope;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** The ids of the pages that it is for, newest first; null: all. */
  pages: string[] | null;
};

const COLUMNS = `id, name, prefix, scope, pages, created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"`;

/** A key as the operator sees it, with its owner. */
type ListedKey = OwnKey & { email: string; plan: string; revokedAt: Date | null };

/** All keys of all owners, oldest first, with revoked ones; a bounded number at a time. */
export const listKeys = (db: Knex): AsyncGenerator<ListedKey> =>
  readAll((last) =>
    query(
      db,
      'list-keys',
      `SELECT own.*, email, plan
         FROM (SELECT ${COLUMNS}, revoked_at AS "revokedAt", owner_id FROM api_keys) AS own JOIN owners ON owners.id = owner_id
        WHERE own.id > ? ORDER BY own.id LIMIT ?`,
      [last?.id ?? '', KEYS_BATCH],
    ),
  );

/*
 * Revokes a key. The owner's wish for another e-mail is forgotten: whoever had the key may have asked for it. A key that was
 * revoked before keeps the time of that.
 */
const REVOKE = `
  WITH revoked AS (
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = ? RETURNING owner_id
  ), canceled AS (${cancelEmailChange('(SELECT owner_id FROM revoked)')})
  SELECT owner_id AS "ownerId" FROM revoked`;

/** Revokes a key of any owner; whether there is such a key. */
export async function revokeKey(db: Knex, id: string): Promise<boolean> {
  const revoke = (connection: Knex): Promise<{ ownerId: number }[]> => query(connection, 'revoke-key', REVOKE, [id]);
  const [revoked] = await audited(db, revoke, ([first]) => first && { target: id, ownerId: first.ownerId });
  return revoked !== undefined;
}

/** A page of an owner's keys that are not revoked, newest first, and how many there are in all. */
export const listOwnKeys = (db: Knex, ownerId: number, paging: Paging): Promise<ListPage<OwnKey>> =>
  queryPage(
    db,
    'list-own-keys',
    {
      total: 'SELECT count(*) AS total FROM api_keys WHERE owner_id = :ownerId AND revoked_at IS NULL',
      rows: `
        SELECT ${COLUMNS} FROM api_keys
         WHERE owner_id = :ownerId AND revoked_at IS NULL ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    },
    { ownerId },
    paging,
  );

/** Makes other changes of an owner's keys wait for this transaction, so that a count stays true until the commit. */
export const lockOwner = (transaction: Knex, ownerId: number): Promise<unknown> =>
  execute(transaction, 'lock-owner-of-keys', 'SELECT FROM owners WHERE id = ? FOR NO KEY UPDATE', [ownerId]);

/** Makes a key for an owner; only its hash and its first characters are stored. */
export function makeOwnKey(
  db: Knex,
  ownerId: number,
  {
    name,
    scope,
    expiresAt,
    pages,
  }: { name: string; scope: Scope; expiresAt: Date | undefined; pages: readonly string[] | undefined },
): Promise<{ key: string; made: OwnKey } | 'too-many'> {
  const { key, id, hash, prefix } = generateKey();
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, ownerId);
    const { keys } = await queryOne<{ keys: number }>(
      transaction,
      'count-own-keys',
      'SELECT count(*) AS keys FROM api_keys WHERE owner_id = ? AND revoked_at IS NULL',
      [ownerId],
    );
    if (keys >= SIZES.apiKey.maxOfOwner) return 'too-many';
    const made = await queryOne<OwnKey>(
      transaction,
      'make-own-key',
      `INSERT INTO api_keys (id, owner_id, hash, prefix, name, scope, expires_at, pages)
       VALUES (?, ?, ?, ?, ?, ?, ?, CAST(? AS text[]))
       RETURNING ${COLUMNS}`,
      [id, ownerId, hash, prefix, name, scope, expiresAt ?? null, pages ? [...pages] : null],
    );
    await record(transaction, { target: id });
    return { key, made };
  });
}

/** Returns whether an owner has a key with this id that is not revoked. */
export const ownKeyExists = async (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  (await execute(db, 'find-own-key', 'SELECT FROM api_keys WHERE id = ? AND owner_id = ? AND revoked_at IS NULL', [
    id,
    ownerId,
  ])) === 1;

/**
 * Revokes a key of an owner, unless the owner would have no valid full key for all pages left. `credentialId`: of the request; a session of an address
 * needs no key.
 */
export function revokeOwnKey(
  db: Knex,
  { id: ownerId, credentialId }: { id: number; credentialId: string },
  id: string,
): Promise<'revoked' | 'no-key' | 'last'> {
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, ownerId);
    const [row] = await query<{ is_last: boolean }>(
      transaction,
      'find-key-to-revoke',
      `SELECT scope = 'full' AND pages IS NULL AND NOT EXISTS (
                SELECT FROM api_keys
                 WHERE owner_id = own.owner_id AND id <> own.id AND scope = 'full' AND pages IS NULL AND ${IS_VALID}
              ) AND NOT EXISTS (SELECT FROM sessions WHERE id = :credentialId AND email IS NOT NULL) AS is_last
         FROM api_keys AS own WHERE id = :id AND owner_id = :ownerId AND revoked_at IS NULL`,
      { id, ownerId, credentialId },
    );
    if (!row) return 'no-key';
    if (row.is_last) return 'last';
    await revokeKey(transaction, id);
    return 'revoked';
  });
}
