/** The pages that credentials of an owner reach. `pages`: their ids, null for all. */
export type Reach = { id: number; pages: readonly string[] | null };

/** The parameters of IS_REACHED, and the owner's id as :ownerId. */
export const reachOf = ({ id, pages }: Reach): { ownerId: number; pages: string[] | null } => ({
  ownerId: id,
  pages: pages && [...pages],
});

/** In SQL, the condition for a row of deployments that is among :pages. */
export const IS_REACHED = '(CAST(:pages AS text[]) IS NULL OR deployments.id = ANY (CAST(:pages AS text[])))';

/** In SQL, how many live deployments an owner has. `owner`: the owner's id in SQL. An index has all that is counted. */
export const liveDeployments = (owner: string, condition = 'true'): string =>
  `(SELECT count(*) FROM deployments WHERE owner_id = ${owner} AND deleted_at IS NULL AND ${condition})`;

/** In SQL, how many live deployments of the owner :ownerId are among :pages. */
export const REACHED_DEPLOYMENTS = liveDeployments(':ownerId', IS_REACHED);

/** In SQL, the live deployments among :pages on a page of a list of the owner :ownerId, newest first. */
export const livePage = (columns: string): string => `
  SELECT ${columns} FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL AND ${IS_REACHED}
   ORDER BY id DESC LIMIT :limit OFFSET :offset`;

/** In SQL, the title of the page of `deployments`, which may be deleted. */
export const TITLE = '(SELECT title FROM pages WHERE pages.deployment_id = deployments.id) AS title';
