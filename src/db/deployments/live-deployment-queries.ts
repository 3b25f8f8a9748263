/** In SQL, how many live deployments an owner has. `owner`: the owner's id in SQL. An index has all that is counted. */
export const liveDeployments = (owner: string): string =>
  `(SELECT count(*) FROM deployments WHERE owner_id = ${owner} AND deleted_at IS NULL)`;

/** In SQL, the live deployments on a page of the owner :ownerId, newest first. */
export const livePage = (columns: string): string => `
  SELECT ${columns} FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL
   ORDER BY id DESC LIMIT :limit OFFSET :offset`;

/** In SQL, the title of the page of `deployments`, which may be deleted. */
export const TITLE = '(SELECT title FROM pages WHERE pages.deployment_id = deployments.id) AS title';
