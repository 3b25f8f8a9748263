import type { Knex } from 'knex';
import { execute, query } from '../postgres/query.ts';

/** The labels of a page's fields, by the names of the fields. A field without a label is not there. */
export type Labels = ReadonlyMap<string, string>;

/** `labels`: undefined where they have not been read from this version of the page. */
type LabelledPage = { version: number; slug: string; ownerId: number; labels: Labels | undefined };

/** The page of a deployment, with its labels. */
export async function findLabels(db: Knex, deploymentId: string): Promise<LabelledPage | undefined> {
  const [row] = await query<Omit<LabelledPage, 'labels'> & { labels: string | null }>(
    db,
    'find-labels',
    `SELECT version, slug, owner_id AS "ownerId", CASE WHEN labels_version = version THEN labels END AS labels
       FROM deployments JOIN pages ON pages.deployment_id = deployments.id WHERE deployments.id = ?`,
    [deploymentId],
  );
  return row && { ...row, labels: row.labels === null ? undefined : new Map(JSON.parse(row.labels)) };
}

/** Keeps the labels that were read from a version of a page, if that is still the live one. */
export const saveLabels = (db: Knex, deploymentId: string, version: number, labels: Labels): Promise<unknown> =>
  execute(
    db,
    'save-labels',
    `UPDATE pages SET labels = :labels, labels_version = :version
      WHERE deployment_id = :deploymentId AND version = :version AND labels_version IS DISTINCT FROM :version`,
    { deploymentId, version, labels: JSON.stringify([...labels]) },
  );
