import type { Knex } from 'knex';
import type { Language } from '../languages.ts';
import { type Deployment, type DeploymentRow, touch } from './deployments.ts';
import { type Captcha, type FormRules, rulesOf, storeRules } from './form-rules.ts';
import { announcePageChange } from './page-changes.ts';

/** Settings of a deployment, by the names that they have in the API too. */
export type Settings = {
  email_notifications: boolean;
  redirect_url: string | null;
  allowed_origins: string[];
  language: Language | null;
  retention_days: number | null;
  /** The secret is stored, and not shown. */
  spam: { blocklist: string[]; captcha: Captcha | null };
};

/** What is left out stays as it is. */
export type SettingsChange = { [Name in keyof Settings]?: Settings[Name] | undefined };

const COLUMNS = ['email_notifications', 'language', 'retention_days'] as const;

/** The settings of a live deployment of this owner. */
export async function findSettings(db: Knex, ownerId: number, id: string): Promise<Settings | undefined> {
  const row = await db<DeploymentRow>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .first(...COLUMNS);
  if (!row) return undefined;
  const { redirectUrl, allowedOrigins, blocklist, captcha } = await rulesOf(db, id);
  return {
    email_notifications: row.email_notifications,
    redirect_url: redirectUrl,
    allowed_origins: [...allowedOrigins],
    language: row.language,
    retention_days: row.retention_days,
    spam: { blocklist: [...blocklist], captcha: captcha && withoutSecret(captcha) },
  };
}

const withoutSecret = ({ provider, site_key }: Captcha): Captcha => ({
  provider,
  ...(site_key !== undefined && { site_key }),
});

/** What is stored of a captcha: without a secret, that of the one `before` stays if its provider does. */
function toStored(captcha: Captcha | null, before: Captcha | null): Captcha | null {
  if (captcha === null || captcha.provider === 'altcha') return captcha && { provider: captcha.provider };
  const secret = captcha.secret ?? (before?.provider === captcha.provider ? before.secret : undefined);
  if (secret === undefined) throw new NoSecret(captcha.provider);
  return { ...captcha, secret };
}

/** The provider of a captcha wants a secret, and none was given. */
export class NoSecret extends Error {}

/** The changes of rules among changes of settings; undefined when there are none. */
function toRulesChange({ redirect_url, allowed_origins, spam }: SettingsChange): Partial<FormRules> | undefined {
  const change = {
    ...(redirect_url !== undefined && { redirectUrl: redirect_url }),
    ...(allowed_origins !== undefined && { allowedOrigins: allowed_origins }),
    ...(spam !== undefined && spam),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

/**
 * Changes the settings that are given, all or none; undefined when this owner has no such live deployment. Throws
 * NoSecret.
 */
export const changeSettings = (
  db: Knex,
  ownerId: number,
  id: string,
  changes: SettingsChange,
): Promise<Deployment | undefined> =>
  db.transaction(async (transaction) => {
    const { email_notifications, language, retention_days } = changes;
    const columns = {
      ...(email_notifications !== undefined && { email_notifications }),
      ...(language !== undefined && { language }),
      ...(retention_days !== undefined && { retention_days }),
    };
    const deployment = await touch(transaction, ownerId, id, columns);
    if (!deployment) return undefined;
    const rulesChange = toRulesChange(changes);
    if (rulesChange) {
      const before = await rulesOf(transaction, id);
      const rules = { ...before, ...rulesChange };
      await storeRules(transaction, id, { ...rules, captcha: toStored(rules.captcha, before.captcha) });
    }
    // Pages for visitors depend on all of these.
    if (language !== undefined || rulesChange) await announcePageChange(transaction, deployment.slug);
    return deployment;
  });
