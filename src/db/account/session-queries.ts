import type { Knex } from 'knex';
import { hashOfKey, newAuditEntryId, newSessionId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { IS_VALID } from './api-key-queries.ts';
import { audited } from './audit-queries.ts';
import { cancelEmailChange, endSessionsOf } from './email-change-queries.ts';
import { acceptedBy } from './guest-queries.ts';
import { isSuspended } from './operator-queries.ts';

/** A session that is not used for long has ended. In SQL, as IS_VALID. */
export const IS_IN_USE = `sessions.last_used_at > now() - interval '${SIZES.session.lifetimeDays} days'`;

/** A session stands for a key, and ends with it; or for an address, in lower case, whose mail somebody can read. */
export type SignedInWith = { keyId: string } | { email: string };

/*
 * The entry of the audit is about the owner, if the address is that of one. With the owner's row locked, a suspension either is seen here, or
 * waits and then sees the session.
 */
const BEGIN = `
  WITH owner AS (
    SELECT id, email, suspended_at FROM owners
     WHERE id = (SELECT owner_id FROM api_keys WHERE id = CAST(:keyId AS text)) OR email = CAST(:email AS text)
       FOR SHARE
  ), begun AS (
    INSERT INTO sessions (id, hash, key_id, email, user_agent)
    SELECT :id, :hash, CAST(:keyId AS text), CAST(:email AS text), :userAgent
     WHERE NOT EXISTS (SELECT FROM owner WHERE suspended_at IS NOT NULL)
    RETURNING id
  )
  INSERT INTO audit_entries (id, owner_id, actor, is_operator, via, action, target, ip_address)
  SELECT :entryId, owner.id, coalesce(owner.email, CAST(:email AS text)), false, :via, 'sign-in', begun.id, :ipAddress
    FROM begun LEFT JOIN owner ON true`;

/**
 * Begins a session; false when the owner is suspended. `hash`: of its cookie. `ipAddress`: of the browser. `via`: how the person has
 * signed in.
 */
export async function beginSession(
  db: Knex,
  standsFor: SignedInWith,
  {
    hash,
    userAgent,
    ipAddress,
    via,
  }: { hash: Buffer; userAgent: string | null; ipAddress: string | null; via: 'key' | 'session' },
): Promise<boolean> {
  const of = { keyId: null, email: null, ...standsFor };
  const begun = await execute(db, 'begin-session', BEGIN, {
    ...{ id: newSessionId(), entryId: newAuditEntryId(), hash, userAgent, ipAddress, via },
    ...of,
  });
  if (begun === 0) return false;
  // A comparison with NULL finds none.
  await execute(
    db,
    'end-oldest-sessions',
    `DELETE FROM sessions WHERE id IN (
       (SELECT id FROM sessions WHERE key_id = :keyId ORDER BY id DESC OFFSET ${SIZES.session.maxOfKey})
        UNION ALL
       (SELECT id FROM sessions WHERE email = :email ORDER BY id DESC OFFSET ${SIZES.session.maxOfKey}))`,
    of,
  );
  const ownEmail =
    'coalesce(:email, (SELECT owners.email FROM api_keys JOIN owners ON owners.id = owner_id WHERE api_keys.id = :keyId))';
  await execute(db, 'accept-invitations', acceptedBy(ownEmail), of);
  return true;
}

/** An owner whose sessions are meant: those of its keys, and those of its address. */
type Of = { id: number; email: string };

/** A browser that is signed in, as its owner sees it. `userAgent`: null where the browser has sent none. */
type OwnSession = { id: string; createdAt: Date; lastUsedAt: Date; userAgent: string | null };

const OWN_SESSIONS = `(
         SELECT sessions.* FROM sessions JOIN api_keys ON api_keys.id = key_id
          WHERE owner_id = :ownerId AND ${IS_VALID} AND ${IS_IN_USE}
          UNION ALL
         SELECT sessions.* FROM sessions WHERE email = :email AND ${IS_IN_USE}
       ) AS sessions`;

/** A page of an owner's sessions, newest first, and how many there are in all. */
export const listSessions = (db: Knex, { id: ownerId, email }: Of, paging: Paging): Promise<ListPage<OwnSession>> =>
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
    { ownerId, email },
    paging,
  );

export const ownSessionExists = async (db: Knex, { id: ownerId, email }: Of, id: string): Promise<boolean> =>
  (await execute(db, 'find-own-session', `SELECT FROM ${OWN_SESSIONS} WHERE id = :id`, { ownerId, email, id })) === 1;

/** Ends a session of an owner; whether there was one. */
export const endSession = (db: Knex, { id: ownerId, email }: Of, id: string): Promise<boolean> =>
  audited(
    db,
    async (connection) =>
      (await execute(
        connection,
        'end-session',
        `DELETE FROM sessions
          WHERE id = :id AND (email = :email OR EXISTS (SELECT FROM api_keys WHERE api_keys.id = key_id AND owner_id = :ownerId))`,
        { id, ownerId, email },
      )) === 1,
    (isEnded) => (isEnded ? { target: id } : undefined),
  );

/** Ends all sessions of an owner, the links that would begin another, and the wish for another e-mail. `target`: of the entry in the audit. */
export const endSessions = (db: Knex, { id: ownerId, email }: Of, target: string): Promise<number> =>
  audited(
    db,
    (connection) =>
      execute(
        connection,
        'end-sessions',
        `WITH own AS MATERIALIZED (SELECT id FROM api_keys WHERE owner_id = :ownerId), links AS (
           DELETE FROM sign_in_links USING own WHERE key_id = own.id
         ), canceled AS (${cancelEmailChange(':ownerId')}), ${endSessionsOf(':email')}
         DELETE FROM sessions USING own WHERE key_id = own.id`,
        { ownerId, email },
      ),
    () => ({ target }),
  );

/** The condition, in SQL, that an address is that of an owner: an expression for it. */
const hasAccount = (email: string): string => `EXISTS (SELECT FROM owners WHERE owners.email = ${email})`;

/**
 * The condition, in SQL, that an address may sign in: that of an owner who is not suspended, or of a guest, or any other where `:plan`, of
 * new owners, is not NULL.
 */
const maySignIn = (email: string): string => `(NOT ${isSuspended(email)} AND (
  CAST(:plan AS text) IS NOT NULL OR ${hasAccount(email)} OR EXISTS (SELECT FROM guests WHERE guests.email = ${email})))`;

/** Makes an owner on `:plan`, in a statement of more: a query for one address, or none. Makes none where the plan is NULL. */
const makeOwner = (email: string): string => `
  INSERT INTO owners (email, plan) SELECT email, CAST(:plan AS text) FROM ${email} AS signed_up
   WHERE CAST(:plan AS text) IS NOT NULL AND NOT ${hasAccount('signed_up.email')}
  ON CONFLICT (email) DO NOTHING`;

/** The condition for a row of sign_in_links that its link works. `:plan`: of new owners, NULL where nobody may become one. */
const WORKS = `(sign_in_links.hash = :hash AND sign_in_links.expires_at > now() AND (
  EXISTS (
    SELECT FROM api_keys JOIN owners ON owners.id = owner_id
     WHERE api_keys.id = sign_in_links.key_id AND ${IS_VALID} AND suspended_at IS NULL)
  OR sign_in_links.email IS NOT NULL AND ${maySignIn('sign_in_links.email')}))`;

/**
 * Stores a link that signs somebody in; false when the address is suspended, or has no account, gets none, and is not that of a guest. A
 * link of an owner signs in with the full key that lasts longest; without one that is valid, with the address: a key that may do less would
 * leave its owner no way to make another. `hash`: of the link's token. `plan`: of new owners; undefined where nobody may become one.
 */
export const makeSignInLink = async (
  db: Knex,
  email: string,
  { hash, plan }: { hash: Buffer; plan?: string | undefined },
): Promise<boolean> =>
  (await execute(
    db,
    'make-sign-in-link',
    `INSERT INTO sign_in_links (hash, key_id, email, expires_at)
     SELECT :hash, best.id, CASE WHEN best.id IS NULL THEN asked.email END,
            now() + interval '${SIZES.session.linkMinutes} minutes'
       FROM (SELECT CAST(:email AS text) AS email) AS asked LEFT JOIN LATERAL (
              SELECT api_keys.id FROM api_keys JOIN owners ON owners.id = owner_id
               WHERE owners.email = asked.email AND scope = 'full' AND pages IS NULL AND ${IS_VALID}
               ORDER BY expires_at DESC NULLS FIRST, api_keys.id LIMIT 1
            ) AS best ON true
      WHERE ${maySignIn('asked.email')}`,
    { hash, email, plan: plan ?? null },
  )) === 1;

/** The address that a link signs in, while it works. `isNew`: it becomes that of an owner. */
export async function findSignInLink(
  db: Knex,
  hash: Buffer,
  plan: string | undefined,
): Promise<{ email: string; isNew: boolean } | undefined> {
  const [row] = await query<{ email: string; isNew: boolean }>(
    db,
    'find-sign-in-link',
    `SELECT coalesce(sign_in_links.email, owners.email) AS email,
            key_id IS NULL AND CAST(:plan AS text) IS NOT NULL AND NOT ${hasAccount('sign_in_links.email')} AS "isNew"
       FROM sign_in_links LEFT JOIN api_keys ON api_keys.id = key_id LEFT JOIN owners ON owners.id = owner_id
      WHERE ${WORKS}`,
    { hash, plan: plan ?? null },
  );
  return row;
}

/**
 * Uses a link up, and makes its address an owner on `plan` if it is none. Returns the key or the address that the link signs in with,
 * undefined when it works no longer.
 */
export async function useSignInLink(
  db: Knex,
  hash: Buffer,
  plan: string | undefined,
): Promise<SignedInWith | undefined> {
  const [row] = await query<{ keyId: string; email: null } | { keyId: null; email: string }>(
    db,
    'use-sign-in-link',
    `WITH used AS (
       DELETE FROM sign_in_links WHERE ${WORKS} RETURNING key_id, email
     ), made AS (${makeOwner('(SELECT email FROM used WHERE email IS NOT NULL)')})
     SELECT key_id AS "keyId", email FROM used`,
    { hash, plan: plan ?? null },
  );
  if (!row) return undefined;
  return row.keyId === null ? { email: row.email } : { keyId: row.keyId };
}

/** Makes an address an owner on `plan`, if that is given and it is none. Returns whether the address may sign in. */
export async function openAccount(db: Knex, email: string, plan: string | undefined): Promise<boolean> {
  if (plan !== undefined) {
    await execute(db, 'open-account', makeOwner('(SELECT CAST(:email AS text) AS email)'), { email, plan });
  }
  return (
    (await execute(db, 'find-account', `SELECT WHERE ${maySignIn(':email')}`, { email, plan: plan ?? null })) === 1
  );
}

// A window that ends much later was made before the clock was set back: it would last for as long. Transactions that run at the same
// time differ by less than a minute.
const isOpenFor = (seconds: string): string =>
  `known.window_ends_at > now() AND known.window_ends_at < now() + (${seconds} + 60) * interval '1 s'`;

/**
 * Counts a try of all processes in a window of `seconds`. Returns the tries in the window, at most one over `limit`, and in how
 * many milliseconds it ends. The table has the name of its first use, signing in.
 */
export async function countTry(
  db: Knex,
  name: string,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<{ tries: number; leftMs: number }> {
  const isOpen = isOpenFor(':seconds');
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

/** Returns the tries in the window of what `countTry` counts, and in how many milliseconds it ends. Counts nothing. */
export async function readTries(db: Knex, name: string, seconds: number): Promise<{ tries: number; leftMs: number }> {
  const [known] = await query<{ tries: number; leftMs: number }>(
    db,
    'read-tries',
    `SELECT tries, (1000 * extract(epoch FROM window_ends_at - now()))::float8 AS "leftMs"
       FROM sign_in_tries AS known WHERE name = :name AND ${isOpenFor(':seconds')}`,
    { name: hashOfKey(name).toString('base64'), seconds },
  );
  return known ?? { tries: 0, leftMs: 0 };
}
