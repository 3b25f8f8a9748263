import { findClient } from '../../../db/account/oauth-client-queries.ts';
import { OAUTH_CLIENT_ID } from '../../../lib/ids.ts';
import type { App } from '../../app.ts';

/** A program, as it has introduced itself. `host`: that of its metadata document; undefined for one that has registered. */
type OAuthClient = { name: string; redirectUris: readonly string[]; host: string | undefined };

/** Finds the program with a client id; undefined when there is none. */
export async function findOAuthClient({ db }: App, id: string): Promise<OAuthClient | undefined> {
  const client = OAUTH_CLIENT_ID.test(id) ? await findClient(db, id) : undefined;
  return client && { ...client, host: undefined };
}
