/**
 * In SQL, how many live deployments an owner has, as of the statement's snapshot. `owner`: the owner's id in SQL. It is
 * counted where the migration that made `live_deployments` has not come to it.
 */
export const liveDeployments = (owner: string): string => `
  coalesce(
    (SELECT live FROM live_deployments WHERE owner_id = ${owner}),
    (SELECT count(*) FROM deployments WHERE owner_id = ${owner} AND deleted_at IS NULL))`;

const LIVE_IDS = 'SELECT id FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL';

const ON_PAGE = `
  (${LIVE_IDS} ORDER BY id DESC
     LIMIT CASE WHEN :offset <= counted.total / 2 THEN CAST(:limit AS bigint) ELSE 0 END OFFSET :offset)
  UNION ALL
  (${LIVE_IDS} ORDER BY id
     LIMIT CASE WHEN :offset > counted.total / 2 THEN greatest(0, least(:limit, counted.total - :offset)) ELSE 0 END
     OFFSET greatest(0, counted.total - :offset - :limit))`;

/**
 * In SQL, for `queryPage` with the total of `liveDeployments`: the live deployments on a page of the owner :ownerId, in
 * any order. What is between the page and the nearer end is read from the index only.
 */
export const livePage = (columns: string): string => `
  (SELECT one.* FROM (${ON_PAGE}) AS listed
    -- One look-up each: a join that the planner chooses would read all of the owner's.
    CROSS JOIN LATERAL (SELECT ${columns} FROM deployments WHERE id = listed.id OFFSET 0) AS one)`;
