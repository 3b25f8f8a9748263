import type { Knex } from 'knex';
import { newShareId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { audited, record } from '../account/audit-queries.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';

/** `expiresAt`: null: never. Its secret is stored as a hash. */
export type Share = { id: string; createdAt: Date; expiresAt: Date | null };

/**
 * Adds a share to a deployment unless it has as many that work as it may have; its id. One that has expired makes room. `hash`: of the secret
 * in its address.
 */
export function createShare(
  db: Knex,
  deploymentId: string,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date | null },
): Promise<string | undefined | 'limit-reached'> {
  return db.transaction(async (transaction) => {
    // One creation at a time, so that the count is still true when the row is inserted.
    const locked = await execute(
      transaction,
      'lock-deployment-of-shares',
      'SELECT FROM deployments WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
      [deploymentId],
    );
    if (locked === 0) return undefined;
    const { count, working } = await queryOne<{ count: number; working: number }>(
      transaction,
      'count-shares',
      'SELECT count(*), count(*) FILTER (WHERE coalesce(expires_at > now(), true)) AS working FROM shares WHERE deployment_id = ?',
      [deploymentId],
    );
    if (working >= SIZES.share.maxPerDeployment) return 'limit-reached';
    if (count >= SIZES.share.maxPerDeployment) await removeExpired(transaction, deploymentId);
    const { id } = await queryOne<{ id: string }>(
      transaction,
      'create-share',
      `INSERT INTO shares (id, deployment_id, hash, created_at, expires_at) VALUES (?, ?, ?, clock_timestamp(), ?)
       RETURNING id`,
      [newShareId(), deploymentId, hash, expiresAt],
    );
    await record(transaction, { target: id, deploymentId });
    return id;
  });
}

const removeExpired = (transaction: Knex, deploymentId: string): Promise<number> =>
  execute(
    transaction,
    'remove-expired-shares-of-deployment',
    'DELETE FROM shares WHERE deployment_id = ? AND expires_at <= now()',
    [deploymentId],
  );

/** A page of a deployment's shares, newest first, those included that have expired. */
export const listShares = (db: Knex, deploymentId: string, paging: Paging): Promise<ListPage<Share>> =>
  queryPage(
    db,
    'list-shares',
    {
      total: 'SELECT count(*) AS total FROM shares WHERE deployment_id = :deploymentId',
      rows: `
        SELECT id, created_at AS "createdAt", expires_at AS "expiresAt" FROM shares
         WHERE deployment_id = :deploymentId ORDER BY id DESC LIMIT :limit OFFSET :offset`,
    },
    { deploymentId },
    paging,
  );

/** Returns whether a deployment has a share with this id. */
export const shareExists = async (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  (await execute(db, 'find-share', 'SELECT FROM shares WHERE id = ? AND deployment_id = ?', [id, deploymentId])) === 1;

/** Removes a share; whether it was still there. */
export const deleteShare = (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  audited(
    db,
    async (connection) => (await execute(connection, 'delete-share', 'DELETE FROM shares WHERE id = ?', [id])) === 1,
    (isDeleted) => (isDeleted ? { target: id, deploymentId } : undefined),
  );

/** A share that is read. */
export type ReadShare = {
  id: string;
  deploymentId: string;
  ownerId: number;
  slug: string;
  title: string | null;
  submissionCount: number;
  /** IANA, of the owner. */
  timeZone: string;
};

/** The share with the secret of this hash, while it works, of a live deployment that is not taken down. */
export async function findShareByHash(db: Knex, hash: Buffer): Promise<ReadShare | undefined> {
  const [share] = await query<ReadShare>(
    db,
    'find-share-by-hash',
    `SELECT shares.id, shares.deployment_id AS "deploymentId", owner_id AS "ownerId", slug, title,
            submission_count AS "submissionCount", coalesce(time_zone, 'UTC') AS "timeZone"
       FROM shares JOIN deployments ON deployments.id = shares.deployment_id JOIN owners ON owners.id = owner_id
            JOIN pages ON pages.deployment_id = shares.deployment_id
      WHERE hash = ? AND coalesce(shares.expires_at > now(), true) AND deleted_at IS NULL AND taken_down_at IS NULL AND NOT suspended
        AND coalesce(deployments.expires_at > now(), true)`,
    [hash],
  );
  return share;
}
