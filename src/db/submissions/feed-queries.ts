import type { Knex } from 'knex';
import { newFeedId, newToken } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { audited, record } from '../account/audit-queries.ts';
import { execute, query, queryOne } from '../postgres/query.ts';

/** `token`: the secret in its address. `lastReadAt`: null while nobody has read it at this address. */
export type Feed = { id: string; name: string; token: string; createdAt: Date; lastReadAt: Date | null };

const COLUMNS = 'id, name, token, created_at AS "createdAt", last_read_at AS "lastReadAt"';

/** Adds a feed to a deployment unless it has as many as it may have. */
export function createFeed(
  db: Knex,
  deploymentId: string,
  name: string,
): Promise<Feed | 'no-deployment' | 'limit-reached'> {
  return db.transaction(async (transaction) => {
    // One creation at a time, so that the count is still true when the row is inserted.
    const locked = await execute(
      transaction,
      'lock-deployment-of-feeds',
      'SELECT FROM deployments WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
      [deploymentId],
    );
    if (locked === 0) return 'no-deployment';
    const { count } = await queryOne<{ count: number }>(
      transaction,
      'count-feeds',
      'SELECT count(*) FROM feeds WHERE deployment_id = ?',
      [deploymentId],
    );
    if (count >= SIZES.feed.maxPerDeployment) return 'limit-reached';
    const id = newFeedId();
    await record(transaction, { target: id, deploymentId });
    return queryOne<Feed>(
      transaction,
      'create-feed',
      `INSERT INTO feeds (id, deployment_id, name, token, created_at) VALUES (?, ?, ?, ?, clock_timestamp())
       RETURNING ${COLUMNS}`,
      [id, deploymentId, name, newToken()],
    );
  });
}

/** A deployment's feeds, oldest first. */
export const listFeeds = (db: Knex, deploymentId: string): Promise<Feed[]> =>
  query(db, 'list-feeds', `SELECT ${COLUMNS} FROM feeds WHERE deployment_id = ? ORDER BY created_at, id`, [
    deploymentId,
  ]);

/** Returns whether a deployment has a feed with this id. */
export const feedExists = async (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  (await execute(db, 'find-feed', 'SELECT FROM feeds WHERE id = ? AND deployment_id = ?', [id, deploymentId])) === 1;

/** Gives a feed a new address in place of the one before; undefined when it has been deleted. */
export async function rotateFeed(db: Knex, deploymentId: string, id: string): Promise<Feed | undefined> {
  const rotate = (connection: Knex): Promise<Feed[]> =>
    query(
      connection,
      'rotate-feed',
      `UPDATE feeds SET token = ?, last_read_at = NULL WHERE id = ? RETURNING ${COLUMNS}`,
      [newToken(), id],
    );
  const [feed] = await audited(db, rotate, ({ length }) => (length > 0 ? { target: id, deploymentId } : undefined));
  return feed;
}

/** Removes a feed; whether it was still there. */
export const deleteFeed = (db: Knex, deploymentId: string, id: string): Promise<boolean> =>
  audited(
    db,
    async (connection) => (await execute(connection, 'delete-feed', 'DELETE FROM feeds WHERE id = ?', [id])) === 1,
    (isDeleted) => (isDeleted ? { target: id, deploymentId } : undefined),
  );

/** A feed that is read. `isReadNoted`: its time of reading is of the last minute. */
export type ReadFeed = { id: string; deploymentId: string; ownerId: number; slug: string; isReadNoted: boolean };

/** The feed with this secret, of a live deployment that is not taken down. */
export async function findFeedByToken(db: Knex, token: string): Promise<ReadFeed | undefined> {
  const [feed] = await query<ReadFeed>(
    db,
    'find-feed-by-token',
    `SELECT feeds.id, deployment_id AS "deploymentId", owner_id AS "ownerId", slug,
            coalesce(last_read_at > now() - interval '1 minute', false) AS "isReadNoted"
       FROM feeds JOIN deployments ON deployments.id = deployment_id
      WHERE token = ? AND deleted_at IS NULL AND taken_down_at IS NULL AND NOT suspended`,
    [token],
  );
  return feed;
}

/** Notes that a feed is read at an address, once a minute: spreadsheets of several people may read it. */
export const noteFeedRead = (db: Knex, token: string): Promise<unknown> =>
  execute(
    db,
    'note-feed-read',
    `UPDATE feeds SET last_read_at = now()
      WHERE token = ? AND coalesce(last_read_at <= now() - interval '1 minute', true)`,
    [token],
  );

/** The submissions of a feed: the numbers of the oldest and the newest (0: none), and the SHA-256 of all their numbers. */
export type FeedContent = { first: number; last: number; hash: string };

/**
 * Returns which submissions a feed has, the newest `rows`. Numbers are never used again, and a submission never changes: the same hash stands for
 * the same rows, whatever was deleted, restored or released meanwhile.
 */
export const findFeedContent = (db: Knex, deploymentId: string, rows: number): Promise<FeedContent> =>
  queryOne(
    db,
    'find-feed-content',
    `SELECT coalesce(min(number), 0) AS first, coalesce(max(number), 0) AS last,
            encode(sha256(convert_to(coalesce(string_agg(CAST(number AS text), ',' ORDER BY number), ''), 'UTF8')), 'hex') AS hash
       FROM (
         SELECT number FROM submissions WHERE deployment_id = ? ORDER BY number DESC LIMIT ?
       ) AS newest`,
    [deploymentId, rows],
  );
