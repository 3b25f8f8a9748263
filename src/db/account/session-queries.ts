import type { Knex } from 'knex';
import { hashOfKey, newSessionId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { IS_VALID } from './api-key-queries.ts';
import { cancelEmailChange } from './email-change-queries.ts';

/** A session that is not used for long has ended. In SQL, as IS_VALID. */
export const IS_IN_USE = `sessions.last_used_at > now() - interval '${SIZES.session.lifetimeDays} days'`;

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

/** A browser that is signed in, as its owner sees it. `userAgent`: null where the browser has sent none. */
type OwnSession = { id: string; createdAt: Date; lastUsedAt: Date; userAgent: string | null };

const OWN_SESSIONS = `sessions JOIN api_keys ON api_keys.id = key_id
         WHERE owner_id = :ownerId AND ${IS_VALID} AND ${IS_IN_USE}`;

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
      WHERE sign_in_links.hash = ? AND sign_in_links.expires_at > now() AND ${IS_VALID}`,
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
      WHERE sign_in_links.hash = ? AND sign_in_links.expires_at > now() AND api_keys.id = key_id AND ${IS_VALID}
     RETURNING key_id`,
    [hash],
  );
  return row?.key_id;
}

/**
 * Counts a try of all processes in a window of `seconds`. Returns the tries in the window, at most one over `limit`, and in how
 * many milliseconds it ends. The table has the name of its first use, signing in.
 */
export async function countTry(
  db: Knex,
  name: string,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<{ tries: number; leftMs: number }> {
  // A window that ends much later was made before the clock was set back: it would last for as long. Transactions that run at the same
  // time differ by less than a minute.
  const isOpen = "known.window_ends_at > now() AND known.window_ends_at < now() + (:seconds + 60) * interval '1 s'";
  return queryOne(
    db,
    'count-try',
    `INSERT INTO sign_in_tries AS known (name, tries, window_ends_at)
     VALUES (:name, 1, now() + :seconds * interval '1 s')
         ON CONFLICT (name) DO UPDATE
        SET tries = CASE WHEN ${isOpen} THEN least(known.tries, :limit) ELSE 0 END + 1,
            window_ends_at =
              CASE WHEN ${isOpen} THEN known.window_ends_at ELSE excluded.window_ends_at END
     RETURNING tries, (1000 * extract(epoch FROM window_ends_at - now()))::float8 AS "leftMs"`,
    { name: hashOfKey(name).toString('base64'), limit, seconds },
  );
}
