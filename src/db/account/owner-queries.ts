import type { Knex } from 'knex';
import { ownerWireId } from '../../lib/ids.ts';
import {
  IS_REACHED,
  liveDeployments,
  REACHED_DEPLOYMENTS,
  type Reach,
  reachOf,
} from '../deployments/live-deployment-queries.ts';
import { isDuplicate } from '../postgres/out-of-reach.ts';
import { execute, query, queryOne, readAll } from '../postgres/query.ts';
import { ANONYMOUS } from './anonymous-owner.ts';
import { generateKey, IS_VALID, type Scope } from './api-key-queries.ts';
import { audited } from './audit-queries.ts';
import { cancelEmailChange, endSessionsOf } from './email-change-queries.ts';
import { GRANTS, IS_GRANTED } from './grant-queries.ts';
import type { Role } from './guest-queries.ts';
import { IS_IN_USE } from './session-queries.ts';
import { usedStorage } from './storage-queries.ts';

/** Owners that one statement reads. */
const OWNERS_BATCH = 500;

/** A guest who acts on the page of an owner. */
type ActingGuest = { id: string; email: string; role: Role };

/**
 * `credentialId`: of the key, the session or the grant by which the owner was found, as `via` says; `scope`: of the key, or of the
 * grant's token, `full` for a session of an address; `pages`: the ids of the pages that these credentials are for, null for all;
 * `guest`: who acts on a page of the owner, if it is not the owner.
 */
export type Owner = {
  id: number;
  email: string;
  plan: string;
  credentialId: string;
  scope: Scope;
  pages: readonly string[] | null;
  via: 'key' | 'session' | 'grant';
  guest?: ActingGuest;
};

/** The id of somebody who has no account: a guest who has signed in by mail. No owner has it. */
export const NO_ACCOUNT = 0;

const FIND = `
  SELECT coalesce(owners.id, ${NO_ACCOUNT}) AS id, coalesce(owners.email, found.email) AS email, coalesce(owners.plan, '') AS plan,
         coalesce("grantedScope", scope, 'full') AS scope, coalesce("grantedPages", pages) AS pages, via, found.hash, "credentialId", "keyId", "isDue"
    FROM (
      SELECT hash, id AS "credentialId", 'key' AS via, id AS "keyId", NULL AS email, NULL AS "grantedScope",
             CAST(NULL AS text[]) AS "grantedPages", coalesce(last_used_at < now() - interval '1 minute', true) AS "isDue"
        FROM api_keys WHERE hash = ANY (CAST(:hashes AS bytea[]))
       UNION ALL
      SELECT hash, id, 'session', key_id, email, NULL, NULL, last_used_at < now() - interval '1 hour'
        FROM sessions WHERE hash = ANY (CAST(:hashes AS bytea[])) AND ${IS_IN_USE}
       UNION ALL
      SELECT access_tokens.hash, grants.id, 'grant', key_id, grants.email, access_tokens.scope, grants.pages,
             grants.last_used_at < now() - interval '1 minute'
        FROM access_tokens JOIN ${GRANTS} ON grants.id = grant_id
       WHERE access_tokens.hash = ANY (CAST(:hashes AS bytea[])) AND access_tokens.expires_at > now() AND ${IS_GRANTED}
    ) AS found
    LEFT JOIN api_keys ON api_keys.id = "keyId"
    LEFT JOIN owners AS of_address ON of_address.email = found.email
    LEFT JOIN owners ON owners.id = coalesce(api_keys.owner_id, of_address.id)
   WHERE ${IS_VALID} AND owners.suspended_at IS NULL`;

type Row = Owner & { hash: Buffer; keyId: string | null; isDue: boolean };

/**
 * The owners of the keys, sessions and access tokens with these hashes, in their order; undefined for one that is unknown or has ended.
 * Stores the time of their use: of a key and a grant once a minute, of a session once an hour. `isRenewed`: it was stored.
 */
export async function findOwners(
  db: Knex,
  hashes: readonly Buffer[],
): Promise<((Owner & { isRenewed: boolean }) | undefined)[]> {
  const rows = await query<Row>(db, 'find-owners', FIND, { hashes: [...hashes] });
  const due = rows.filter(({ isDue }) => isDue);
  const isStored = due.length > 0 && (await storeUses(db, due));
  const found = new Map(
    rows.map(({ hash, keyId: _, isDue, ...owner }) => [
      hash.toString('base64'),
      { ...owner, isRenewed: isDue && isStored },
    ]),
  );
  return hashes.map((hash) => found.get(hash.toString('base64')));
}

/** Returns whether the times of use were stored. Never fails, because a key is valid also while the database is read-only. */
const storeUses = (db: Knex, due: readonly Row[]): Promise<boolean> =>
  execute(
    db,
    'store-uses',
    `WITH used AS (UPDATE sessions SET last_used_at = now() WHERE id = ANY (CAST(:ids AS text[]))),
          used_grants AS (UPDATE grants SET last_used_at = now() WHERE id = ANY (CAST(:ids AS text[])))
     UPDATE api_keys SET last_used_at = now() WHERE id = ANY (CAST(:keyIds AS text[]))`,
    { ids: due.map(({ credentialId }) => credentialId), keyIds: due.flatMap(({ keyId }) => keyId ?? []) },
  ).then(
    () => true,
    () => false,
  );

/** `plan`, if given, becomes the owner's; `defaultPlan` is that of a new owner. */
type KeyRequest = {
  email: string;
  plan?: string | undefined;
  defaultPlan: string;
  name?: string | undefined;
  scope?: Scope;
  expiresAt?: Date | undefined;
};

/** `before`: the owner's plan and its number of valid keys before; undefined for a new owner. */
type NewKey = {
  key: string;
  id: string;
  prefix: string;
  createdAt: Date;
  plan: string;
  before: { plan: string; keys: number } | undefined;
};

/** Makes a key, and its owner where there is none. Only the key's hash and its first characters are stored. */
export async function makeKey(
  db: Knex,
  { email, plan, defaultPlan, name, scope = 'full', expiresAt }: KeyRequest,
): Promise<NewKey> {
  const { key, ...stored } = generateKey();
  type Row = Pick<NewKey, 'createdAt' | 'plan'> & { ownerId: number; planBefore: string | null; keysBefore: number };
  const make = (connection: Knex): Promise<Row> =>
    queryOne(
      connection,
      'make-key',
      `WITH before AS (
       SELECT id, plan FROM owners WHERE email = :email
     ), owner AS (
       INSERT INTO owners (email, plan) VALUES (:email, coalesce(:plan, :defaultPlan))
       ON CONFLICT (email) DO UPDATE SET plan = coalesce(:plan, owners.plan)
       RETURNING id, plan
     ), made AS (
       INSERT INTO api_keys (id, owner_id, hash, prefix, name, scope, expires_at)
       SELECT :id, id, :hash, :prefix, :name, :scope, :expiresAt FROM owner
       RETURNING created_at
     )
     SELECT owner.id AS "ownerId", made.created_at AS "createdAt", owner.plan, before.plan AS "planBefore",
            (SELECT count(*) FROM api_keys WHERE owner_id = before.id AND ${IS_VALID}) AS "keysBefore"
       FROM owner CROSS JOIN made LEFT JOIN before ON true`,
      {
        ...stored,
        email: email.toLowerCase(),
        plan: plan ?? null,
        defaultPlan,
        name: name ?? null,
        scope,
        expiresAt: expiresAt ?? null,
      },
    );
  const {
    ownerId: _,
    planBefore,
    keysBefore,
    ...made
  } = await audited(db, make, ({ ownerId }) => ({
    target: stored.id,
    ownerId,
  }));
  const before = planBefore === null ? undefined : { plan: planBefore, keys: keysBefore };
  return { ...made, key, id: stored.id, prefix: stored.prefix, before };
}

/** An owner as the operator sees it. */
type ListedOwner = { id: number; email: string; plan: string; createdAt: Date; deployments: number };

/** All owners with the number of their live deployments, oldest first; a bounded number at a time. */
export const listOwners = (db: Knex): AsyncGenerator<ListedOwner> =>
  readAll((last) =>
    query(
      db,
      'list-owners',
      `SELECT id, email, plan, created_at AS "createdAt", ${liveDeployments('owners.id')} AS deployments
         FROM owners WHERE id > ? AND email <> '${ANONYMOUS}' AND NOT deleting ORDER BY id LIMIT ?`,
      [last?.id ?? 0, OWNERS_BATCH],
    ),
  );

type Usage = { live: number; storageUsed: number; timeZone: string | null };

/**
 * Finds an owner's time zone, the live deployments in reach, those of them that are taken down (with the ids of `limit` of these), and
 * the bytes that are stored of all.
 */
export async function findUsage(
  db: Knex,
  reach: Reach,
  limit: number,
): Promise<Usage & { takenDown: { total: number; ids: string[] } }> {
  const { total, ids, ...usage } = await queryOne<Usage & { total: number; ids: string[] }>(
    db,
    'find-usage',
    `WITH taken_down AS MATERIALIZED (
       SELECT id FROM deployments
        WHERE owner_id = :ownerId AND deleted_at IS NULL AND taken_down_at IS NOT NULL AND ${IS_REACHED}
     )
     SELECT ${REACHED_DEPLOYMENTS} AS live, ${usedStorage(':ownerId')} AS "storageUsed",
            (SELECT time_zone FROM owners WHERE id = :ownerId) AS "timeZone",
            (SELECT count(*) FROM taken_down) AS total,
            ARRAY(SELECT id FROM taken_down ORDER BY id DESC LIMIT :limit) AS ids`,
    { ...reachOf(reach), limit },
  );
  return { ...usage, takenDown: { total, ids } };
}

export async function ownerExists(db: Knex, email: string): Promise<boolean> {
  return (await execute(db, 'find-owner', 'SELECT FROM owners WHERE email = ?', [email])) === 1;
}

/** Puts an owner on a plan; whether there is such an owner. */
export async function changePlan(db: Knex, email: string, plan: string): Promise<boolean> {
  const change = (connection: Knex): Promise<{ id: number }[]> =>
    query(connection, 'change-plan', 'UPDATE owners SET plan = ? WHERE email = ? RETURNING id', [plan, email]);
  return (await audited(db, change, changedOwner)).length === 1;
}

const changedOwner = ([owner]: readonly { id: number }[]) =>
  owner && { target: ownerWireId(owner.id), ownerId: owner.id };

/** The time zone of an owner (IANA), and the time of the database. */
export const findClock = (db: Knex, ownerId: number): Promise<{ timeZone: string; now: Date }> =>
  queryOne(
    db,
    'find-clock',
    `SELECT coalesce((SELECT time_zone FROM owners WHERE id = ?), 'UTC') AS "timeZone", clock_timestamp() AS now`,
    [ownerId],
  );

/** Stores the time zone of an owner (IANA); null: UTC. */
export const storeTimeZone = (db: Knex, ownerId: number, timeZone: string | null): Promise<number> =>
  audited(
    db,
    (connection) =>
      execute(connection, 'store-time-zone', 'UPDATE owners SET time_zone = ? WHERE id = ?', [timeZone, ownerId]),
    () => ({ target: ownerWireId(ownerId) }),
  );

/** Gives an owner another e-mail, both in lower case; 'taken' when another owner has it. */
export async function changeEmail(
  db: Knex,
  email: string,
  newEmail: string,
): Promise<'changed' | 'taken' | 'no-owner'> {
  try {
    const change = (connection: Knex): Promise<{ id: number }[]> =>
      query(
        connection,
        'change-email',
        `WITH changed AS (UPDATE owners SET email = :newEmail WHERE email = :email RETURNING id),
            canceled AS (${cancelEmailChange('(SELECT id FROM changed)')}),
            ${endSessionsOf('(SELECT :email FROM changed)')}
       SELECT id FROM changed`,
        { email, newEmail },
      );
    const changed = await audited(db, change, changedOwner);
    return changed.length === 1 ? 'changed' : 'no-owner';
  } catch (error) {
    if (isDuplicate(error)) return 'taken';
    throw error;
  }
}
