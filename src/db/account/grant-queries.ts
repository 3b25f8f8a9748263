import type { Knex } from 'knex';
import { newGrantId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { IS_VALID, lockOwner, type Scope } from './api-key-queries.ts';
import { record, recordAs } from './audit-queries.ts';

/** Grants with what they depend on, in SQL. In parentheses, so that it can be joined. */
export const GRANTS =
  '(grants JOIN owners AS granting ON granting.id = grants.owner_id LEFT JOIN api_keys ON api_keys.id = grants.key_id)';

/**
 * The condition for a row of GRANTS that is in force: it was used, and its key works, or its owner still has the address. In SQL, as
 * IS_VALID.
 */
export const IS_GRANTED = `(grants.last_used_at > now() - interval '${SIZES.grant.lifetimeDays} days'
  AND coalesce(grants.email = granting.email, true) AND ${IS_VALID})`;

/** A program that an owner allows. `challenge`: of PKCE; `codeHash`: of the code that is sent to `redirectUri`. */
type NewGrant = {
  clientId: string;
  clientName: string;
  host: string;
  scope: Scope;
  pages: readonly string[] | null;
  codeHash: Buffer;
  redirectUri: string;
  challenge: string;
};

/** Allows a program what a session may do. A client that has registered itself is known for longer. */
export function makeGrant(
  db: Knex,
  { ownerId, sessionId }: { ownerId: number; sessionId: string },
  grant: NewGrant,
): Promise<'made' | 'too-many' | 'signed-out'> {
  return db.transaction(async (transaction) => {
    await lockOwner(transaction, ownerId);
    const { grants } = await queryOne<{ grants: number }>(
      transaction,
      'count-own-grants',
      `SELECT count(*) AS grants FROM ${OWN_GRANTS}`,
      { ownerId },
    );
    if (grants >= SIZES.grant.maxOfOwner) return 'too-many';
    const id = newGrantId();
    const made = await execute(
      transaction,
      'make-grant',
      `WITH kept AS (
         UPDATE oauth_clients SET expires_at = now() + interval '${SIZES.oauthClient.usedDays} days' WHERE id = :clientId
       )
       INSERT INTO grants (id, owner_id, key_id, email, client_id, client_name, host, scope, pages, code_hash, code_expires_at, redirect_uri, code_challenge)
       SELECT :id, :ownerId, key_id, email, :clientId, :clientName, :host, :scope, CAST(:pages AS text[]), :codeHash,
              now() + interval '${SIZES.grant.codeSeconds} seconds', :redirectUri, :challenge
         FROM sessions LEFT JOIN api_keys ON api_keys.id = key_id
        WHERE sessions.id = :sessionId AND ${IS_VALID}`,
      { id, ownerId, sessionId, ...grant, pages: grant.pages && [...grant.pages] },
    );
    if (made !== 1) return 'signed-out';
    await record(transaction, { target: id });
    return 'made';
  });
}

/** Hashes of new tokens: of the refresh token as a whole, and of its part that stays. */
type NewTokens = { access: Buffer; family: Buffer; refresh: Buffer };

const MAKE_ACCESS_TOKEN = (scope: string, from: string): string => `
  INSERT INTO access_tokens (hash, grant_id, scope, expires_at)
  SELECT :access, id, ${scope}, now() + interval '${SIZES.grant.accessTokenSeconds} seconds' FROM ${from}`;

/** Ends grants by what programs send who have them, or who have no right to them. Returns how many. `ipAddress`: where it came from. */
const endGrants = (
  db: Knex,
  { name, condition, ipAddress }: { name: string; condition: string; ipAddress: string },
  values: Record<string, Buffer | string>,
): Promise<number> =>
  db.transaction(async (transaction) => {
    const ended = await query<{ id: string; ownerId: number; email: string }>(
      transaction,
      name,
      `DELETE FROM grants USING owners WHERE owners.id = owner_id AND ${condition}
       RETURNING grants.id, owner_id AS "ownerId", owners.email`,
      values,
    );
    for (const { id, ownerId, email } of ended) {
      const actor = {
        action: 'grant.revoke',
        name: email,
        via: 'grant',
        ipAddress,
        ownerId,
        isOperator: false,
      } as const;
      await recordAs(transaction, actor, { target: id });
    }
    return ended.length;
  });

/**
 * Exchanges a code for tokens, once. Returns the scope of the grant, undefined for a code that does not work. Whatever is wrong, the code works
 * no longer: it may be in the wrong hands. With a code that was exchanged before, all that it gave ends.
 */
export async function redeemCode(
  db: Knex,
  code: { codeHash: Buffer; clientId: string; redirectUri: string | undefined; challenge: string },
  tokens: NewTokens,
  ipAddress: string,
): Promise<Scope | undefined> {
  const [redeemed] = await query<{ scope: Scope }>(
    db,
    'redeem-code',
    `WITH redeemed AS (
       UPDATE grants SET redeemed_at = now(), last_used_at = now(), family_hash = :family, refresh_hash = :refresh
        WHERE code_hash = :codeHash AND client_id = :clientId AND code_challenge = :challenge
          AND redirect_uri = coalesce(CAST(:redirectUri AS text), redirect_uri)
          AND redeemed_at IS NULL AND code_expires_at > now()
          AND id IN (SELECT grants.id FROM ${GRANTS} WHERE code_hash = :codeHash AND ${IS_GRANTED})
       RETURNING grants.id, grants.scope
     ), made AS (${MAKE_ACCESS_TOKEN('scope', 'redeemed')})
     SELECT scope FROM redeemed`,
    { ...code, redirectUri: code.redirectUri ?? null, ...tokens },
  );
  if (redeemed) return redeemed.scope;
  const ofCode = { name: 'end-grant-of-code', condition: 'code_hash = :codeHash', ipAddress };
  await endGrants(db, ofCode, { codeHash: code.codeHash });
  return undefined;
}

type Refresh = { family: Buffer; refresh: Buffer; clientId: string; scope: Scope | undefined };

/**
 * Exchanges a refresh token for the next one, and an access token with `scope`, or that of the grant. 'wider': the grant has a smaller
 * scope; 'refused': the token does not work. One that was exchanged before ends the grant: one of two programs that have it
 * has no right to it.
 */
export async function renewTokens(
  db: Knex,
  { family, refresh, clientId, scope }: Refresh,
  { access, refresh: next }: Omit<NewTokens, 'family'>,
  ipAddress: string,
): Promise<Scope | 'wider' | 'refused'> {
  const [renewed] = await query<{ granted: Scope; given: Scope | null }>(
    db,
    'renew-tokens',
    `WITH found AS (
       SELECT grants.id, grants.scope AS granted,
              CASE WHEN CAST(:scope AS text) IS NULL THEN grants.scope
                   WHEN grants.scope IN ('full', :scope) THEN :scope END AS given
         FROM ${GRANTS}
        WHERE family_hash = :family AND refresh_hash = :refresh AND client_id = :clientId AND ${IS_GRANTED}
     ), renewed AS (
       UPDATE grants SET refresh_hash = :next, last_used_at = now() FROM found
        WHERE grants.id = found.id AND refresh_hash = :refresh AND given IS NOT NULL
       RETURNING grants.id, given
     ), made AS (${MAKE_ACCESS_TOKEN('given', 'renewed')}
     ), ended AS (
       DELETE FROM access_tokens WHERE hash IN (
         SELECT hash FROM access_tokens WHERE grant_id = (SELECT id FROM renewed)
          ORDER BY expires_at DESC OFFSET ${SIZES.grant.maxAccessTokens - 1})
     )
     SELECT granted, given FROM found WHERE given IS NULL UNION ALL SELECT NULL, given FROM renewed`,
    { family, refresh, clientId, scope: scope ?? null, access, next },
  );
  if (renewed) return renewed.given ?? 'wider';
  const condition = 'family_hash = :family AND refresh_hash <> :refresh';
  await endGrants(db, { name: 'end-grant-of-family', condition, ipAddress }, { family, refresh });
  return 'refused';
}

/** Ends an access token of a client. */
export const endAccessToken = (db: Knex, hash: Buffer, clientId: string): Promise<number> =>
  execute(
    db,
    'end-access-token',
    'DELETE FROM access_tokens USING grants WHERE hash = ? AND grants.id = grant_id AND client_id = ?',
    [hash, clientId],
  );

/** Ends the grant of a refresh token of a client, with all its tokens. */
export const endGrantOfFamily = (db: Knex, family: Buffer, clientId: string, ipAddress: string): Promise<number> => {
  const condition = 'family_hash = :family AND client_id = :clientId';
  return endGrants(db, { name: 'revoke-family', condition, ipAddress }, { family, clientId });
};

/** A grant as its owner sees it. */
type OwnGrant = {
  id: string;
  client: string;
  host: string;
  scope: Scope;
  /** The ids of the pages that it is for; null: all. */
  pages: string[] | null;
  createdAt: Date;
  lastUsedAt: Date;
};

/** All of an owner: also those whose code waits to be exchanged. */
const OWN_GRANTS = `${GRANTS}
         WHERE grants.owner_id = :ownerId AND ${IS_GRANTED}
           AND (redeemed_at IS NOT NULL OR code_expires_at > now())`;

/** A page of an owner's grants, newest first, and how many there are in all. */
export const listGrants = (db: Knex, ownerId: number, paging: Paging): Promise<ListPage<OwnGrant>> =>
  queryPage(
    db,
    'list-grants',
    {
      total: `SELECT count(*) AS total FROM ${OWN_GRANTS}`,
      rows: `
        SELECT grants.id, client_name AS client, host, grants.scope, grants.pages, grants.created_at AS "createdAt",
               grants.last_used_at AS "lastUsedAt"
          FROM ${OWN_GRANTS} ORDER BY grants.id DESC LIMIT :limit OFFSET :offset`,
    },
    { ownerId },
    paging,
  );

export const ownGrantExists = async (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  (await execute(db, 'find-own-grant', `SELECT FROM ${OWN_GRANTS} AND grants.id = :id`, { ownerId, id })) === 1;

/** Ends a grant of an owner, with its tokens; whether there was one. */
export const endGrant = (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  db.transaction(async (transaction) => {
    const ended = await execute(transaction, 'end-grant', 'DELETE FROM grants WHERE id = ? AND owner_id = ?', [
      id,
      ownerId,
    ]);
    if (ended === 1) await record(transaction, { target: id });
    return ended === 1;
  });
