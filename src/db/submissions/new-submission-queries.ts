import type { Knex } from 'knex';
import { VALID_CREDENTIALS } from '../account/credential-queries.ts';
import { queryOne } from '../postgres/query.ts';

/**
 * The last number of each of these deployments that is live and whose owner is not suspended, and which of these keys and sessions are valid; one
 * statement.
 */
export async function lastNumbers(
  db: Knex,
  deploymentIds: readonly string[],
  credentialIds: readonly string[],
): Promise<{ numbers: ReadonlyMap<string, number>; validCredentials: ReadonlySet<string> }> {
  const { numbers, credentials } = await queryOne<{ numbers: string | null; credentials: string[] }>(
    db,
    'last-numbers',
    `SELECT (SELECT json_object_agg(id, last_submission_number) FROM deployments
              WHERE id = ANY (CAST(:deploymentIds AS text[])) AND deleted_at IS NULL AND NOT suspended) AS numbers,
            ARRAY(${VALID_CREDENTIALS}) AS credentials`,
    { deploymentIds: [...deploymentIds], credentialIds: [...credentialIds] },
  );
  const found: Record<string, number> = numbers === null ? {} : JSON.parse(numbers);
  return { numbers: new Map(Object.entries(found)), validCredentials: new Set(credentials) };
}
