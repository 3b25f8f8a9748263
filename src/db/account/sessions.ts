import type { Knex } from 'knex';
import { newSessionId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { IS_VALID } from './api-keys.ts';
import { cancelEmailChange } from './email-changes.ts';
import type { Owner } from './owners.ts';

/** How old the stored time of the last use may be. */
const USE_IS_DUE = "(sessions.last_used_at < now() - interval '1 hour')";

/** IS_VALID beside links, which expire too. */
const IS_KEY_VALID = '(revoked_at IS NULL AND coalesce(api_keys.expires_at > now(), true))';

/** A session that is not used for long has ended. */
const IS_IN_USE = `sessions.last_used_at > now() - interval '${SIZES.session.lifetimeDays} days'`;

type OwnerRow = Owner & { hash: Buffer; use_is_due: boolean };

/**
 * The owners of the sessions with these hashes, by the hashes in base64; without sessions that have ended, or whose key is
 * revoked or expired. `isRenewed`: the time of the session's use was stored, which happens at most once an hour.
 */
export async function findOwnersBySessions(
  db: Knex,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, Owner & { isRenewed: boolean }>> {
  const rows = await query<OwnerRow>(
    db,
    'find-owners-by-sessions',
    `SELECT owners.id, owners.email, owners.plan, scope, sessions.id AS "credentialId", sessions.hash, ${USE_IS_DUE} AS use_is_due
       FROM sessions JOIN api_keys ON api_keys.id = key_id JOIN owners ON owners.id = api_keys.owner_id
      WHERE sessions.hash = ANY (CAST(? AS bytea[])) AND ${IS_VALID}
        AND ${IS_IN_USE}`,
    [[...hashes]],
  );
  const due = rows.filter((row) => row.use_is_due).map(({ credentialId }) => credentialId);
  const isStored = due.length > 0 && (await storeUses(db, due));
  return new Map(
    rows.map(({ hash, use_is_due: isDue, id, email, plan, scope, credentialId }) => [
      hash.toString('base64'),
      { id, email, plan, scope, credentialId, isRenewed: isDue && isStored },
    ]),
  );
}

/** Whether they were stored. Never fails: a session is valid also while the database is read-only. */
async function storeUses(db: Knex, ids: readonly string[]): Promise<boolean> {
  const stored = await execute(
    db,
    'store-session-uses',
    `WITH used AS (
       UPDATE sessions SET last_used_at = now() WHERE id = ANY (CAST(:ids AS text[])) AND ${USE_IS_DUE} RETURNING key_id
     )
     UPDATE api_keys SET last_used_at = now() FROM used WHERE api_keys.id = key_id`,
    { ids: [...ids] },
  ).catch(() => 0);
  return stored > 0;
}

/** Begins a session that stands for a key. `hash`: of its cookie. */
export async function beginSession(
  db: Knex,
  keyId: string,
  { hash, userAgent }: { hash: Buffer; userAgent: string | null },
): Promise<void> {
  await execute(db, 'begin-session', 'INSERT INTO sessions (id, hash, key_id, user_agent) VALUES (?, ?, ?, ?)', [
    newSessionId(),
    hash,
    keyId,
    userAgent,
  ]);
  await execute(
    db,
    'end-oldest-sessions',
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE key_id = ? ORDER BY id DESC OFFSET ${SIZES.session.maxOfKey})`,
    [keyId],
  );
}

/** A browser that is signed in, as its owner sees it. `userAgent`: null for one that an older version has signed in. */
type OwnSession = { id: string; createdAt: Date; lastUsedAt: Date; userAgent: string | null };

const OWN_SESSIONS = `sessions JOIN api_keys ON api_keys.id = key_id
         WHERE owner_id = :ownerId AND ${IS_KEY_VALID} AND ${IS_IN_USE}`;

/** A page of an owner's sessions, newest first, and how many there are in all. */
export const listSessions = (db: Knex, ownerId: number, paging: Paging): Promise<ListPage<OwnSession>> =>
  queryPage(
    db,
    'list-sessions',
    {
      total: `SELECT count(*) AS total FROM ${OWN_SESSIONS}`,
      rows: `
        SELECT sessions.id, sessions.created_at AS "createdAt", sessions.last_used_at AS "lastUsedAt",
               user_agent AS "userAgent"
          FROM ${OWN_SESSIONS} ORDER BY sessions.id DESC LIMIT :limit OFFSET :offset`,
    },
    { ownerId },
    paging,
  );

export const ownSessionExists = async (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  (await execute(db, 'find-own-session', `SELECT FROM ${OWN_SESSIONS} AND sessions.id = :id`, { ownerId, id })) === 1;

/** Ends a session of an owner; whether there was one. */
export const endSession = async (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  (await execute(
    db,
    'end-session',
    'DELETE FROM sessions USING api_keys WHERE sessions.id = ? AND api_keys.id = key_id AND owner_id = ?',
    [id, ownerId],
  )) === 1;

/** Ends all sessions of an owner, the links that would begin another, and the wish for another e-mail. */
export const endSessions = (db: Knex, ownerId: number): Promise<number> =>
  execute(
    db,
    'end-sessions',
    `WITH own AS MATERIALIZED (SELECT id FROM api_keys WHERE owner_id = :ownerId), links AS (
       DELETE FROM sign_in_links USING own WHERE key_id = own.id
     ), canceled AS (${cancelEmailChange(':ownerId')})
     DELETE FROM sessions USING own WHERE key_id = own.id`,
    { ownerId },
  );

/**
 * Stores a link that signs an owner in, with the valid key that may do most and lasts longest; false when there is no
 * such owner, or none of its keys is valid. `hash`: of the link's token.
 */
export const makeSignInLink = async (db: Knex, email: string, hash: Buffer): Promise<boolean> =>
  (await execute(
    db,
    'make-sign-in-link',
    `INSERT INTO sign_in_links (hash, key_id, expires_at)
     SELECT ?, api_keys.id, now() + interval '${SIZES.session.linkMinutes} minutes'
       FROM owners JOIN api_keys ON owner_id = owners.id
      WHERE email = ? AND ${IS_VALID}
      ORDER BY scope = 'full' DESC, expires_at DESC NULLS FIRST, api_keys.id LIMIT 1`,
    [hash, email],
  )) === 1;

/** The address of the owner whom a link signs in, while it works. */
export async function findSignInLink(db: Knex, hash: Buffer): Promise<string | undefined> {
  const [row] = await query<{ email: string }>(
    db,
    'find-sign-in-link',
    `SELECT email FROM sign_in_links JOIN api_keys ON api_keys.id = key_id JOIN owners ON owners.id = owner_id
      WHERE sign_in_links.hash = ? AND sign_in_links.expires_at > now() AND ${IS_KEY_VALID}`,
    [hash],
  );
  return row?.email;
}

/** Uses a link up; the key that it signs in with, undefined when it works no longer. */
export async function useSignInLink(db: Knex, hash: Buffer): Promise<string | undefined> {
  const [row] = await query<{ key_id: string }>(
    db,
    'use-sign-in-link',
    `DELETE FROM sign_in_links USING api_keys
      WHERE sign_in_links.hash = ? AND sign_in_links.expires_at > now() AND api_keys.id = key_id AND ${IS_KEY_VALID}
     RETURNING key_id`,
    [hash],
  );
  return row?.key_id;
}

/** Counts a try in a window of `seconds`; in how many milliseconds there may be another when this one is over `limit`. */
export async function countSignInTry(
  db: Knex,
  name: string,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<number | undefined> {
  const { tries, left_ms: leftMs } = await queryOne<{ tries: number; left_ms: number }>(
    db,
    'count-sign-in-try',
    `INSERT INTO sign_in_tries AS known (name, tries, window_ends_at)
     VALUES (:name, 1, now() + :seconds * interval '1 s')
         ON CONFLICT (name) DO UPDATE
        SET tries = CASE WHEN known.window_ends_at > now() THEN least(known.tries, :limit) ELSE 0 END + 1,
            window_ends_at =
              CASE WHEN known.window_ends_at > now() THEN known.window_ends_at ELSE excluded.window_ends_at END
     RETURNING tries, (1000 * extract(epoch FROM window_ends_at - now()))::float8 AS left_ms`,
    { name, limit, seconds },
  );
  return tries > limit ? leftMs : undefined;
}
