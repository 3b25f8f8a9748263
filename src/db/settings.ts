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
  /** The secret is stored, and not shown. */
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
    spam: { blocklist: [...blocklist], captcha: captcha && withoutSecret(captcha) },
  };
}

const withoutSecret = ({ provider, site_key }: Captcha): Captcha => ({
  provider,
  ...(site_key !== undefined && { site_key }),
});

/** The provider of a captcha wants a secret, and none was given. */
export class NoSecret extends Error {}

/** What is stored of a captcha: without a secret, that of the one `before` stays if its provider does. */
function toStored(captcha: Captcha | null, before: Captcha | null): Captcha | null {
  if (captcha === null || captcha.provider === 'altcha') return captcha && { provider: captcha.provider };
  const secret = captcha.secret ?? (before?.provider === captcha.provider ? before.secret : undefined);
  if (secret === undefined) throw new NoSecret(captcha.provider);
  return { ...captcha, secret };
}

/**
 * Changes the settings that are given, all or none; undefined when this owner has no such live deployment. Throws
 * NoSecret.
 */
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
    if (hasRules) {
      const before = await rulesOf(transaction, id);
      const after = { ...before, ...rules };
      await storeRules(transaction, id, { ...after, captcha: toStored(after.captcha, before.captcha) });
    }
    // Pages for visitors depend on all of these.
    if (hasRules || columns.language !== undefined) await announcePageChange(transaction, deployment.slug);
    return deployment;
  });
