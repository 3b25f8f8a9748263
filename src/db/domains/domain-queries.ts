import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { audited, record } from '../account/audit-queries.ts';
import { execute, query, queryOne } from '../postgres/query.ts';

/** A deployment's claim to a domain. */
export type Domain = {
  domain: string;
  /** `broken`: it was live, and its proof has gone. */
  status: 'pending' | 'live' | 'broken';
  /** A sentence about the records in DNS; null: all are right, or nobody has looked. */
  problem: string | null;
  checkedAt: Date | null;
  createdAt: Date;
};

const COLUMNS = 'domain, status, problem, checked_at AS "checkedAt", domains.created_at AS "createdAt"';

/** A deployment's domains, oldest first. */
export const listDomains = (db: Knex, deploymentId: string): Promise<Domain[]> =>
  query(db, 'list-domains', `SELECT ${COLUMNS} FROM domains WHERE deployment_id = ? ORDER BY created_at, domain`, [
    deploymentId,
  ]);

export async function findDomain(db: Knex, deploymentId: string, domain: string): Promise<Domain | undefined> {
  const sql = `SELECT ${COLUMNS} FROM domains WHERE deployment_id = ? AND domain = ?`;
  const [row] = await query<Domain>(db, 'find-domain', sql, [deploymentId, domain]);
  return row;
}

/** Adds a domain to a deployment, which may have it already. It is due for its first look-up. */
export async function addDomain(
  db: Knex,
  deploymentId: string,
  domain: string,
): Promise<Domain | 'no-deployment' | 'live-elsewhere' | 'limit-reached'> {
  return db.transaction(async (transaction) => {
    // The lock lets one addition to a deployment in at a time, so that the count is still true when the row is inserted.
    const lock = 'SELECT FROM deployments WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE';
    if ((await execute(transaction, 'lock-deployment-of-domain', lock, [deploymentId])) === 0) return 'no-deployment';
    const existing = await findDomain(transaction, deploymentId, domain);
    if (existing) return existing;
    const isLive = `
      SELECT FROM domains JOIN deployments ON deployments.id = deployment_id
       WHERE domain = ? AND status = 'live' AND deleted_at IS NULL`;
    if ((await execute(transaction, 'is-domain-live', isLive, [domain])) > 0) return 'live-elsewhere';
    const { count } = await queryOne<{ count: number }>(
      transaction,
      'count-domains',
      'SELECT count(*) FROM domains WHERE deployment_id = ?',
      [deploymentId],
    );
    if (count >= SIZES.domain.maxOfDeployment) return 'limit-reached';
    await record(transaction, { target: domain, deploymentId });
    return queryOne<Domain>(
      transaction,
      'add-domain',
      `INSERT INTO domains (deployment_id, domain) VALUES (?, ?) RETURNING ${COLUMNS}`,
      [deploymentId, domain],
    );
  });
}

/** Removes a domain; whether it was still there. */
export const removeDomain = (db: Knex, deploymentId: string, domain: string): Promise<boolean> =>
  audited(
    db,
    async (connection) =>
      (await execute(connection, 'remove-domain', 'DELETE FROM domains WHERE deployment_id = ? AND domain = ?', [
        deploymentId,
        domain,
      ])) === 1,
    (isRemoved) => (isRemoved ? { target: domain, deploymentId } : undefined),
  );
