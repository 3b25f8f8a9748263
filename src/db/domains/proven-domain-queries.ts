import type { Knex } from 'knex';
import { query } from '../postgres/query.ts';

/** A domain that was proven, and the deployment that has it. `slug`: the page that is served there; null where none is. */
export type ProvenDomain = { domain: string; deploymentId: string; slug: string | null };

/** The deployment that has a domain live comes before one whose proof is gone. */
const PROVEN = `
     SELECT DISTINCT ON (domain) domain, deployment_id AS "deploymentId",
            CASE WHEN status = 'live' AND deleted_at IS NULL THEN slug END AS slug
       FROM domains JOIN deployments ON deployments.id = deployment_id
      WHERE status <> 'pending'`;
const ORDER = "ORDER BY domain, status = 'live' DESC";

/** The proven domains after `after` in the order of their names. */
export const listProven = (db: Knex, after: string, limit: number): Promise<ProvenDomain[]> =>
  query(db, 'list-proven-domains', `${PROVEN} AND domain > ? ${ORDER} LIMIT ?`, [after, limit]);

/** The proven ones among `domains`, and among the domains of these deployments. */
export const findProven = (
  db: Knex,
  deploymentIds: readonly string[],
  domains: readonly string[],
): Promise<ProvenDomain[]> =>
  query(
    db,
    'find-proven-domains',
    `${PROVEN} AND domain IN (
       SELECT domain FROM domains WHERE deployment_id = ANY (CAST(:deploymentIds AS text[]))
        UNION
       SELECT unnest(CAST(:domains AS text[])))
     ${ORDER}`,
    { deploymentIds: [...deploymentIds], domains: [...domains] },
  );
