import type { Knex } from 'knex';
import type { Language } from '../languages.ts';
import { type Deployment, type DeploymentRow, touch } from './deployments.ts';
import { changeDigests, type NotifyEvery } from './digests.ts';
import { type Captcha, type FormRules, rulesOf, storeRules } from './form-rules.ts';
import { listRecipients, type Recipient, replaceRecipients } from './mail-recipients.ts';
import { announcePageChange } from './page-changes.ts';
import { query } from './postgres/query.ts';

/** Settings of a deployment, by the names that they have in the API too. */
export type Settings = {
  email_notifications: boolean;
  notify_every: NotifyEvery;
  recipients: { email: string; confirmed: boolean }[];
  redirect_url: string | null;
  allowed_origins: string[];
  language: Language | null;
  retention_days: number | null;
  spam: { blocklist: string[]; captcha: Captcha | null };
};

/** What is left out stays as it is. `recipients`: addresses in lower case, each once. */
export type SettingsChange = { [Name in Exclude<keyof Settings, 'recipients'>]?: Settings[Name] | undefined } & {
  recipients?: string[] | undefined;
};

const COLUMNS = [
  'email_notifications',
  'notify_every',
  'language',
  'retention_days',
  // Failures have switched email_notifications off.
  'mail_switched_off_at',
] as const;

/** The settings of a live deployment of this owner, and which mail failures have switched off. */
export async function findSettings(
  db: Knex,
  ownerId: number,
  id: string,
): Promise<{ settings: Settings; recipients: Recipient[]; isMailRefused: boolean } | undefined> {
  const row = await db<DeploymentRow>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .first(...COLUMNS);
  if (!row) return undefined;
  const { redirectUrl, allowedOrigins, blocklist, captcha } = await rulesOf(db, id);
  const recipients = await listRecipients(db, id);
  const settings = {
    email_notifications: row.email_notifications,
    notify_every: row.notify_every,
    recipients: recipients.map(({ email, isConfirmed }) => ({ email, confirmed: isConfirmed })),
    redirect_url: redirectUrl,
    allowed_origins: [...allowedOrigins],
    language: row.language,
    retention_days: row.retention_days,
    spam: { blocklist: [...blocklist], captcha },
  };
  return { settings, recipients, isMailRefused: row.mail_switched_off_at !== null };
}

/** The changes of rules among changes of settings; undefined when there are none. */
function toRulesChange({ redirect_url, allowed_origins, spam }: SettingsChange): Partial<FormRules> | undefined {
  const change = {
    ...(redirect_url !== undefined && { redirectUrl: redirect_url }),
    ...(allowed_origins !== undefined && { allowedOrigins: allowed_origins }),
    ...(spam !== undefined && spam),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

type MailRow = Pick<DeploymentRow, 'email_notifications' | 'notify_every'>;

/** What decides when mail comes, before a change of it; locks the row, so that no other change comes between. */
async function lockMail(transaction: Knex, id: string): Promise<MailRow | undefined> {
  const [row] = await query<MailRow>(
    transaction,
    'lock-mail-settings',
    'SELECT email_notifications, notify_every FROM deployments WHERE id = ? FOR NO KEY UPDATE',
    [id],
  );
  return row;
}

/**
 * Changes the settings that are given, all or none; undefined when this owner has no such live deployment. `hasMail`:
 * whether new recipients can be asked. Throws TooManyAsks.
 */
export const changeSettings = (
  db: Knex,
  owner: { id: number; email: string },
  id: string,
  changes: SettingsChange,
  hasMail: boolean,
): Promise<Deployment | undefined> =>
  db.transaction(async (transaction) => {
    const { email_notifications, notify_every, recipients, language, retention_days } = changes;
    const columns = {
      ...(email_notifications !== undefined && { email_notifications }),
      // What failures have switched off is forgotten.
      ...(email_notifications && { mail_failures: 0, mail_switched_off_at: null }),
      ...(notify_every !== undefined && { notify_every }),
      ...(language !== undefined && { language }),
      ...(retention_days !== undefined && { retention_days }),
    };
    const changesMail = email_notifications !== undefined || notify_every !== undefined;
    const before = changesMail ? await lockMail(transaction, id) : undefined;
    const deployment = await touch(transaction, owner.id, id, columns);
    if (!deployment) return undefined;
    if (recipients) {
      const list = { ownerId: owner.id, own: owner.email, deploymentId: id, emails: recipients, hasMail };
      await replaceRecipients(transaction, list);
    }
    if (before) await changeDigests(transaction, id, before, { email_notifications, notify_every });
    const rulesChange = toRulesChange(changes);
    if (rulesChange) await storeRules(transaction, id, { ...(await rulesOf(transaction, id)), ...rulesChange });
    // Pages for visitors depend on all of these.
    if (language !== undefined || rulesChange) await announcePageChange(transaction, deployment.slug);
    return deployment;
  });
