import type { Knex } from 'knex';
import { newOAuthClientId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { query, queryOne } from '../postgres/query.ts';

type NewClient = { name: string; redirectUris: readonly string[] };

/** Registers a client. It is forgotten unless an owner allows it. */
export const registerClient = (db: Knex, { name, redirectUris }: NewClient): Promise<{ id: string; createdAt: Date }> =>
  queryOne(
    db,
    'register-client',
    `INSERT INTO oauth_clients (id, name, redirect_uris, expires_at)
     VALUES (?, ?, ?, now() + interval '${SIZES.oauthClient.unusedDays} days')
     RETURNING id, created_at AS "createdAt"`,
    [newOAuthClientId(), name, [...redirectUris]],
  );

/** A client that has registered itself; undefined when it is unknown, or was forgotten. */
export async function findClient(db: Knex, id: string): Promise<NewClient | undefined> {
  const [client] = await query<NewClient>(
    db,
    'find-client',
    'SELECT name, redirect_uris AS "redirectUris" FROM oauth_clients WHERE id = ?',
    [id],
  );
  return client;
}
