import type { Knex } from 'knex';
import type { PageForm } from '../../forms/forms-of-page.ts';
import { execute, query } from '../postgres/query.ts';

/** `forms`: undefined where they have not been read from this version of the page. */
type PageWithForms = {
  version: number;
  slug: string;
  ownerId: number;
  /** True if submissions are matched with them. */
  tellsFormsApart: boolean;
  forms: readonly PageForm[] | undefined;
};

/** The page of a deployment, with its forms. */
export async function findPageForms(db: Knex, deploymentId: string): Promise<PageWithForms | undefined> {
  const [row] = await query<Omit<PageWithForms, 'forms'> & { forms: string | null }>(
    db,
    'find-page-forms',
    `SELECT version, slug, owner_id AS "ownerId", tells_forms_apart AS "tellsFormsApart",
            CASE WHEN forms_version = version THEN forms END AS forms
       FROM deployments JOIN pages ON pages.deployment_id = deployments.id WHERE deployments.id = ?`,
    [deploymentId],
  );
  return row && { ...row, forms: row.forms === null ? undefined : JSON.parse(row.forms) };
}

/** Keeps the forms that were read from a version of a page, if that is still the live one. */
export const savePageForms = (
  db: Knex,
  deploymentId: string,
  version: number,
  forms: readonly PageForm[],
): Promise<unknown> =>
  execute(
    db,
    'save-page-forms',
    `UPDATE pages SET forms = :forms, forms_version = :version
      WHERE deployment_id = :deploymentId AND version = :version AND forms_version IS DISTINCT FROM :version`,
    { deploymentId, version, forms: JSON.stringify(forms) },
  );

/** Has each submission to a form judged before it is stored, whether the form has rules or not. */
export const keepRules = (transaction: Knex, deploymentId: string): Promise<unknown> =>
  execute(transaction, 'keep-rules', 'INSERT INTO form_rules (deployment_id) VALUES (?) ON CONFLICT DO NOTHING', [
    deploymentId,
  ]);
