import type { Knex } from 'knex';
import { query } from '../postgres/query.ts';

/** Names that are listed: anybody can send a submission with another one. */
const MAX_NAMES = 100;

/*
 * Each name leads to the next one in the index, so that the number of submissions does not matter.
 */
const NAMES = `
  WITH RECURSIVE names AS (
    (SELECT form FROM submissions WHERE deployment_id = :deploymentId AND form IS NOT NULL ORDER BY form LIMIT 1)
    UNION ALL
    SELECT (
             SELECT form FROM submissions
              WHERE deployment_id = :deploymentId AND form > names.form ORDER BY form LIMIT 1)
      FROM names WHERE names.form IS NOT NULL
  )
  SELECT form FROM names WHERE form IS NOT NULL LIMIT ${MAX_NAMES}`;

/** The names of the forms of which a deployment has submissions, at most 100, in their order. */
export async function findFormNames(db: Knex, deploymentId: string): Promise<string[]> {
  const rows = await query<{ form: string }>(db, 'find-form-names', NAMES, { deploymentId });
  return rows.map(({ form }) => form);
}
