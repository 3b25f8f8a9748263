/** In SQL, how many live deployments an owner has. `owner`: the owner's id in SQL. An index has all that is counted. */
export const liveDeployments = (owner: string): string =>
  `(SELECT count(*) FROM deployments WHERE owner_id = ${owner} AND deleted_at IS NULL)`;

/**
 * In SQL, the live deployments on a page of the owner :ownerId, in any order. Those before the page are read from the index
 * only.
 */
export const livePage = (columns: string): string => `
  (SELECT one.*
     FROM (
       SELECT id FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL ORDER BY id DESC LIMIT :limit OFFSET :offset
     ) AS listed
     -- One look-up each: a join that the planner chooses would read all of the owner's.
     CROSS JOIN LATERAL (SELECT ${columns} FROM deployments WHERE id = listed.id OFFSET 0) AS one)`;
