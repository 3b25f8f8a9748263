import type { Knex } from 'knex';
import { type Deployment, type DeploymentRow, touch } from './deployments.ts';
import { type Captcha, type FormRules, rulesOf, storeRules } from './form-rules.ts';
import { announcePageChange } from './page-changes.ts';

/** Settings that are columns of deployments, by the names that they have in the API too. */
const COLUMNS = ['email_notifications', 'language', 'retention_days'] as const;

/** Every setting of a deployment. Those that are not columns are in the rules of its form. */
export type Settings = Pick<DeploymentRow, (typeof COLUMNS)[number]> & {
  redirect_url: string | null;
  allowed_origins: string[];
  spam: { blocklist: string[]; captcha: Captcha | null };
};

/** The settings of a live deployment of this owner. */
export async function findSettings(db: Knex, ownerId: number, id: string): Promise<Settings | undefined> {
  const columns = await db<DeploymentRow>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .first(...COLUMNS);
  if (!columns) return undefined;
  const { redirectUrl, allowedOrigins, blocklist, captcha } = await rulesOf(db, id);
  return {
    ...columns,
    redirect_url: redirectUrl,
    allowed_origins: [...allowedOrigins],
    spam: { blocklist: [...blocklist], captcha },
  };
}

/** Changes the settings that are given, all or none; undefined when this owner has no such live deployment. */
export const changeSettings = (
  db: Knex,
  ownerId: number,
  id: string,
  { redirect_url: redirectUrl, allowed_origins: allowedOrigins, spam, ...columns }: Partial<Settings>,
): Promise<Deployment | undefined> =>
  db.transaction(async (transaction) => {
    const deployment = await touch(transaction, ownerId, id, columns);
    if (!deployment) return undefined;
    const rules: Partial<FormRules> = {
      ...(redirectUrl !== undefined && { redirectUrl }),
      ...(allowedOrigins !== undefined && { allowedOrigins }),
      ...spam,
    };
    const hasRules = Object.keys(rules).length > 0;
    if (hasRules) await storeRules(transaction, id, { ...(await rulesOf(transaction, id)), ...rules });
    // Pages for visitors depend on all of these.
    if (hasRules || columns.language !== undefined) await announcePageChange(transaction, deployment.slug);
    return deployment;
  });
