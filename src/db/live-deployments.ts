/**
 * In SQL, how many live deployments an owner has, as of the statement's snapshot. `owner`: the owner's id in SQL. It is
 * counted where the migration that made `live_deployments` has not come to it.
 */
export const liveDeployments = (owner: string): string => `
  coalesce(
    (SELECT live FROM live_deployments WHERE owner_id = ${owner}),
    (SELECT count(*) FROM deployments WHERE owner_id = ${owner} AND deleted_at IS NULL))`;
