import type { Knex } from 'knex';
import { query, queryOne } from '../postgres/query.ts';

/** A domain that is still served, and whose proof DNS no longer has. It ends after the time of grace. */
const ENDING = `
  FROM domains JOIN deployments ON deployments.id = deployment_id
 WHERE status = 'live' AND proof_gone_at IS NOT NULL AND deleted_at IS NULL`;

/** Returns how many domains are about to end. */
export async function countEndingDomains(db: Knex): Promise<number> {
  const sql = `SELECT count(*) ${ENDING}`;
  return (await queryOne<{ count: number }>(db, 'count-ending-domains', sql)).count;
}

/** Returns the names of domains that are about to end, the first to end first. */
export async function listEndingDomains(db: Knex, limit: number): Promise<string[]> {
  const sql = `SELECT domain ${ENDING} ORDER BY proof_gone_at, domain LIMIT ?`;
  return (await query<{ domain: string }>(db, 'list-ending-domains', sql, [limit])).map(({ domain }) => domain);
}

/** Returns up to `limit` domains at which pages are served, those that were looked up last first. */
export const listServedDomains = (db: Knex, limit: number): Promise<{ domain: string; slug: string }[]> =>
  query(
    db,
    'list-served-domains',
    `SELECT domain, slug FROM domains JOIN deployments ON deployments.id = deployment_id
      WHERE status = 'live' AND deleted_at IS NULL AND taken_down_at IS NULL
      ORDER BY checked_at DESC NULLS LAST, domain LIMIT ?`,
    [limit],
  );
