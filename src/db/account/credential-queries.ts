import type { Knex } from 'knex';
import { query } from '../postgres/query.ts';
import { IS_VALID } from './api-key-queries.ts';
import { GRANTS, IS_GRANTED } from './grant-queries.ts';

/** Selects those of `:credentialIds`, ids of keys, of sessions, of guests and of grants, that are valid. A session of an address has no key that could end. */
export const VALID_CREDENTIALS = `
  SELECT api_keys.id FROM api_keys JOIN owners ON owners.id = owner_id
   WHERE api_keys.id = ANY (CAST(:credentialIds AS text[])) AND ${IS_VALID} AND suspended_at IS NULL
   UNION ALL
  SELECT sessions.id FROM sessions LEFT JOIN api_keys ON api_keys.id = key_id
   WHERE sessions.id = ANY (CAST(:credentialIds AS text[])) AND ${IS_VALID}
     AND NOT EXISTS (SELECT FROM owners WHERE (owners.id = api_keys.owner_id OR owners.email = sessions.email) AND suspended_at IS NOT NULL)
   UNION ALL
  SELECT id FROM guests WHERE id = ANY (CAST(:credentialIds AS text[]))
   UNION ALL
  SELECT grants.id FROM ${GRANTS} WHERE grants.id = ANY (CAST(:credentialIds AS text[])) AND ${IS_GRANTED} AND granting.suspended_at IS NULL`;

/** Returns whether a key is neither revoked nor expired, or whether neither a session or a grant nor its key has ended. */
export const isCredentialValid = async (db: Knex, id: string): Promise<boolean> =>
  (await query(db, 'is-credential-valid', VALID_CREDENTIALS, { credentialIds: [id] })).length === 1;
