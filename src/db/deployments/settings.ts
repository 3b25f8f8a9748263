import type { Knex } from 'knex';
import { etagOf } from '../../lib/etag.ts';
import { changeDigests } from '../deliveries/digests.ts';
import { listRecipients, type Recipient, replaceRecipients } from '../deliveries/mail-recipients.ts';
import { query } from '../postgres/query.ts';
import { type Captcha, type FormRules, rulesOf, storeRules } from '../submissions/forms.ts';
import { type DeploymentRow, touch } from './deployments.ts';
import { type NewPage, renewRendering } from './page-versions.ts';

/** Settings that are columns of deployments, by the names that they have in the API too. */
const COLUMNS = [
  'email_notifications',
  'notify_every',
  'notify_owner',
  'language',
  'retention_days',
  'confirmation',
  'opens_at',
  'closes_at',
  'max_submissions',
  'submissions_per_minute',
] as const;

/** Times are ISO 8601. */
type ColumnSettings = Omit<Pick<DeploymentRow, (typeof COLUMNS)[number]>, 'opens_at' | 'closes_at'> & {
  opens_at: string | null;
  closes_at: string | null;
};

/** Settings that are in the rules of a deployment's form. */
type RuleSettings = {
  redirect_url: string | null;
  allowed_origins: string[];
  closed_message: string | null;
  /** The secret is stored, and not shown. */
  spam: { blocklist: string[]; captcha: Captcha | null };
};

/** Every setting of a deployment. Recipients have a table of their own. */
export type Settings = ColumnSettings & RuleSettings & { recipients: { email: string; confirmed: boolean }[] };

/** A setting that is left out stays as it is. `recipients`: addresses in lower case, each once. */
export type SettingsChange = Partial<ColumnSettings & RuleSettings & { recipients: string[] }>;

/** `isMailRefused`: whether refused mails have switched mail off. */
type FoundSettings = { settings: Settings; etag: string; recipients: Recipient[]; isMailRefused: boolean };

/** The settings of a live deployment of this owner. */
export const findSettings = (db: Knex, ownerId: number, id: string): Promise<FoundSettings | undefined> =>
  findWhere(db, id, { owner_id: ownerId, deleted_at: null });

/** The settings of a deployment of any owner, live or not. */
export const findAnySettings = async (db: Knex, id: string): Promise<Settings | undefined> =>
  (await findWhere(db, id, {}))?.settings;

async function findWhere(
  db: Knex,
  id: string,
  where: { owner_id?: number; deleted_at?: null },
): Promise<FoundSettings | undefined> {
  const row = await db<DeploymentRow>('deployments')
    .where({ id, ...where })
    .first(...COLUMNS, 'mail_switched_off_at');
  if (!row) return undefined;
  const { mail_switched_off_at: mailSwitchedOffAt, ...columns } = row;
  const { redirectUrl, allowedOrigins, closedMessage, blocklist, captcha } = await rulesOf(db, id);
  const recipients = await listRecipients(db, id);
  const settings = {
    ...columns,
    opens_at: columns.opens_at?.toISOString() ?? null,
    closes_at: columns.closes_at?.toISOString() ?? null,
    recipients: recipients.map(({ email, isConfirmed }) => ({ email, confirmed: isConfirmed })),
    redirect_url: redirectUrl,
    allowed_origins: [...allowedOrigins],
    closed_message: closedMessage,
    spam: { blocklist: [...blocklist], captcha: captcha && withoutSecret(captcha) },
  };
  return { settings, etag: etagOf(JSON.stringify(settings)), recipients, isMailRefused: mailSwitchedOffAt !== null };
}

const withoutSecret = ({ provider, site_key }: Captcha): Captcha => ({
  provider,
  ...(site_key !== undefined && { site_key }),
});

/** The provider of a captcha wants a secret, and none was given. */
export class NoSecret extends Error {}

/** The captcha that is stored: without a secret, that of the one `before` stays if its provider does. */
function toStored(captcha: Captcha | null, before: Captcha | null): Captcha | null {
  if (captcha === null || captcha.provider === 'altcha') return captcha && { provider: captcha.provider };
  const secret = captcha.secret ?? (before?.provider === captcha.provider ? before.secret : undefined);
  if (secret === undefined) throw new NoSecret(captcha.provider);
  return { ...captcha, secret };
}

/** The form would close before it opens. */
export class NeverOpen extends Error {}

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

const toRow = ({ opens_at, closes_at, ...columns }: Partial<ColumnSettings>): Partial<DeploymentRow> => ({
  ...columns,
  ...(opens_at !== undefined && { opens_at: timeOf(opens_at) }),
  ...(closes_at !== undefined && { closes_at: timeOf(closes_at) }),
});

type MailRow = Pick<DeploymentRow, 'email_notifications' | 'notify_every'>;

/** Locks the row of a deployment, so that no other change comes between; returns when mail comes, before the change. */
async function lockSettings(transaction: Knex, id: string): Promise<MailRow | undefined> {
  const [row] = await query<MailRow>(
    transaction,
    'lock-settings',
    'SELECT email_notifications, notify_every FROM deployments WHERE id = ? FOR NO KEY UPDATE',
    [id],
  );
  return row;
}

/**
 * Changes the settings that are given, all or none, if the settings have one of the ETags `etags`, else 'changed'; undefined
 * when this owner has no such live deployment. `hasMail`: whether new recipients can be asked. `page`: the live page as these
 * settings have it rendered. Throws TooManyAsks, NoSecret and NeverOpen.
 */
export const changeSettings = (
  db: Knex,
  owner: { id: number; email: string },
  id: string,
  {
    redirect_url: redirectUrl,
    allowed_origins: allowedOrigins,
    closed_message: closedMessage,
    spam,
    recipients,
    ...columns
  }: SettingsChange,
  { hasMail, page, etags }: { hasMail: boolean; page: NewPage | undefined; etags: readonly string[] | undefined },
): Promise<{ etag: string } | 'changed' | undefined> =>
  db.transaction(async (transaction) => {
    const { email_notifications, notify_every, notify_owner } = columns;
    const before = await lockSettings(transaction, id);
    const found = etags && (await findSettings(transaction, owner.id, id));
    if (found && !etags.includes(found.etag)) return 'changed';
    const deployment = await touch(transaction, owner.id, id, {
      ...toRow(columns),
      // The failures that have switched mail off are forgotten.
      ...((email_notifications || notify_owner) && { mail_failures: 0, mail_switched_off_at: null }),
    });
    if (!deployment || !before) return undefined;
    if (recipients) {
      const list = { ownerId: owner.id, own: owner.email, deploymentId: id, emails: recipients, hasMail };
      await replaceRecipients(transaction, list);
    }
    await changeDigests(transaction, id, before, { email_notifications, notify_every });
    const rules: Partial<FormRules> = {
      ...(redirectUrl !== undefined && { redirectUrl }),
      ...(allowedOrigins !== undefined && { allowedOrigins }),
      ...(closedMessage !== undefined && { closedMessage }),
      ...spam,
    };
    if (Object.keys(rules).length > 0) {
      const before = await rulesOf(transaction, id);
      const after = { ...before, ...rules };
      await storeRules(transaction, id, { ...after, captcha: toStored(after.captcha, before.captcha) });
    }
    if (page) await renewRendering(transaction, id, page);
    const changed = await findSettings(transaction, owner.id, id);
    const { opens_at = null, closes_at = null } = changed?.settings ?? {};
    if (opens_at !== null && closes_at !== null && opens_at >= closes_at) throw new NeverOpen();
    return changed;
  });
