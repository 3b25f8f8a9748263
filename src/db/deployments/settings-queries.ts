import type { Knex } from 'knex';
import type { Settings, SettingsChange } from '../../settings/settings.ts';
import { record } from '../account/audit-queries.ts';
import { changeDigests } from '../deliveries/digest-queries.ts';
import { listRecipients, type Recipient, replaceRecipients } from '../deliveries/mail-recipient-queries.ts';
import { query } from '../postgres/query.ts';
import { type Captcha, ruleSettingsOf, rulesOf, storeRules } from '../submissions/form-queries.ts';
import { recountPlaces } from '../submissions/place-counts.ts';
import { touch } from './deployment-queries.ts';
import { rename } from './former-slug-queries.ts';
import { etagOf, type NewPage, renewRendering } from './page-version-queries.ts';
import { changesIn, type SettingColumns, selectIn } from './setting-columns.ts';

/** `isMailRefused`: whether refused mails have switched mail off. */
type FoundSettings = { settings: Settings; etag: string; recipients: Recipient[]; isMailRefused: boolean };

const SELECT = `SELECT ${selectIn('deployments')}, mail_switched_off_at FROM deployments WHERE id = ?`;
type Row = SettingColumns<'deployments'> & { mail_switched_off_at: Date | null };

/** The settings of a live deployment of this owner. */
export async function findSettings(db: Knex, ownerId: number, id: string): Promise<FoundSettings | undefined> {
  const sql = `${SELECT} AND owner_id = ? AND deleted_at IS NULL`;
  const [row] = await query<Row>(db, 'find-settings', sql, [id, ownerId]);
  return row && withOthers(db, id, row);
}

/** The settings of a deployment of any owner, live or not. */
export async function findAnySettings(db: Knex, id: string): Promise<Settings | undefined> {
  const [row] = await query<Row>(db, 'find-any-settings', SELECT, [id]);
  return row && (await withOthers(db, id, row)).settings;
}

/** Adds the settings that are no columns of deployments. */
async function withOthers(
  db: Knex,
  id: string,
  { mail_switched_off_at: mailSwitchedOffAt, ...columns }: Row,
): Promise<FoundSettings> {
  const { spam, ...rules } = await ruleSettingsOf(db, id);
  const recipients = await listRecipients(db, id);
  const settings = {
    ...columns,
    recipients: recipients.map(({ email, isConfirmed }) => ({ email, confirmed: isConfirmed })),
    ...rules,
    spam: { ...spam, captcha: spam.captcha && withoutSecret(spam.captcha) },
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

type LockedRow = Pick<Settings, 'email_notifications' | 'notify_every' | 'places_field'> & { slug: string };

/** Locks the row of a deployment, so that no other change comes between; returns its slug, when mail comes, and what counts places, before the change. */
async function lockSettings(transaction: Knex, id: string): Promise<LockedRow | undefined> {
  const [row] = await query<LockedRow>(
    transaction,
    'lock-settings',
    'SELECT email_notifications, notify_every, places_field, slug FROM deployments WHERE id = ? FOR NO KEY UPDATE',
    [id],
  );
  return row;
}

/**
 * Changes the settings that are given, all or none, if the settings have one of the ETags `etags`, else 'changed'; undefined
 * when this owner has no such live deployment. `hasMail`: whether new recipients can be asked. `page`: the live page as these
 * settings have it rendered. `slug`: another one for it; `slugs`: the one that it had, and has now. Throws TooManyAsks, NoSecret,
 * NeverOpen, SlugInUse and TooManyRenames.
 */
export const changeSettings = (
  db: Knex,
  owner: { id: number; email: string },
  id: string,
  change: SettingsChange,
  {
    slug,
    hasMail,
    page,
    etags,
  }: {
    slug: string | undefined;
    hasMail: boolean;
    page: NewPage | undefined;
    etags: readonly string[] | undefined;
  },
): Promise<{ etag: string; slugs: readonly string[] } | 'changed' | undefined> =>
  db.transaction(async (transaction) => {
    const before = await lockSettings(transaction, id);
    const found = etags && (await findSettings(transaction, owner.id, id));
    if (found && !etags.includes(found.etag)) return 'changed';
    const deployment = await touch(transaction, owner.id, id, {
      ...changesIn('deployments', change),
      // The failures that have switched mail off are forgotten.
      ...((change.email_notifications || change.notify_owner) && { mail_failures: 0, mail_switched_off_at: null }),
    });
    if (!deployment || !before) return undefined;
    if (change.places_field !== undefined && change.places_field !== before.places_field) {
      await recountPlaces(transaction, id);
    }
    if (slug !== undefined) await rename(transaction, id, before.slug, slug);
    if (change.recipients) {
      const list = { ownerId: owner.id, own: owner.email, deploymentId: id, emails: change.recipients, hasMail };
      await replaceRecipients(transaction, list);
    }
    await changeDigests(transaction, id, before, change);
    await changeRules(transaction, id, change);
    if (page) await renewRendering(transaction, id, page);
    const changed = await findSettings(transaction, owner.id, id);
    const { opens_at = null, closes_at = null } = changed?.settings ?? {};
    if (opens_at !== null && closes_at !== null && opens_at >= closes_at) throw new NeverOpen();
    await record(transaction, { target: id, deploymentId: id });
    return changed && { etag: changed.etag, slugs: [...new Set([before.slug, slug ?? before.slug])] };
  });

async function changeRules(transaction: Knex, id: string, change: SettingsChange): Promise<void> {
  const { spam } = change;
  const before = spam && (await rulesOf(transaction, id));
  const rules = {
    ...changesIn('form_rules', change),
    ...(before && { blocklist: spam.blocklist, captcha: toStored(spam.captcha, before.captcha) }),
  };
  if (Object.keys(rules).length > 0) await storeRules(transaction, id, rules);
}
