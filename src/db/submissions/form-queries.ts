import type { Knex } from 'knex';
import type { PageForm } from '../../forms/forms-of-page.ts';
import { type InCamelCase, inCamelCase } from '../../lib/camel-case.ts';
import { langOf } from '../../lib/languages.ts';
import { SETTINGS, type Settings } from '../../settings/settings.ts';
import { type PageLook, shownLook } from '../../sites/page-look.ts';
import { SIZES } from '../../sizes.ts';
import { formerSlugsOf } from '../deployments/former-slug-queries.ts';
import { type Additions, LOOK } from '../deployments/page-version-queries.ts';
import { firstIn, type SettingColumns, selectIn } from '../deployments/setting-columns.ts';
import { query } from '../postgres/query.ts';

/** A provider, with the public key and the secret that an owner has there. */
export type Captcha = NonNullable<Settings['spam']['captcha']>;

/** How the submissions of a form are judged, and where its visitors are sent: settings, in the spelling of the code. */
export type FormRules = InCamelCase<SettingColumns<'form_rules'>> & Settings['spam'];

/** The form of a live deployment, as submissions and the pages for visitors need it. */
export type LiveForm = {
  deploymentId: string;
  slug: string;
  /** Its owner is: it accepts no submissions. */
  isSuspended: boolean;
  /** Those that it had not long ago, whose addresses lead to it. */
  formerSlugs: readonly string[];
  /** The setting of the deployment. */
  language: string | null;
  /** The primary subtag of the page's `<html lang>`, in lower case. */
  lang: string | undefined;
  look: PageLook;
  /** The field that says how many places a submission takes. */
  placesField: string | null;
  rules: FormRules;
  /** True if submissions are matched with the page's forms. */
  tellsFormsApart: boolean;
  /** The forms of the page and of its HTML files; undefined: they have not been read. */
  forms: readonly PageForm[] | undefined;
};

/** The settings in form_rules, with the secret of a captcha. */
type RuleSettings = SettingColumns<'form_rules'> & Pick<Settings, 'spam'>;

/** The columns of form_rules, also where a deployment has no row. */
const RULES = `${selectIn('form_rules')}, coalesce(blocklist, '{}') AS blocklist, captcha`;
type Row = SettingColumns<'form_rules'> & { blocklist: string[]; captcha: string | null };

const FIRST: RuleSettings = { ...firstIn('form_rules'), spam: SETTINGS.spam.first };

const toSettings = ({ blocklist, captcha, ...columns }: Row): RuleSettings => ({
  ...columns,
  spam: { blocklist, captcha: captcha === null ? null : JSON.parse(captcha) },
});

const toRules = ({ spam, ...columns }: RuleSettings): FormRules => ({ ...inCamelCase(columns), ...spam });

export const NO_RULES = toRules(FIRST);

/** SQL: whether a row of form_rules, or none, switches ALTCHA on. */
export const HAS_ALTCHA = `coalesce(form_rules.captcha ->> 'provider' = 'altcha', false)`;

/** What the settings of a deployment add to its forms; nothing where there is none. */
export async function findAdditions(db: Knex, id: string): Promise<Additions> {
  const [found] = await query<Additions>(
    db,
    'find-additions',
    `SELECT ${HAS_ALTCHA} AS "hasAltcha", form_tools AS "hasFormTools"
       FROM deployments LEFT JOIN form_rules ON form_rules.deployment_id = deployments.id WHERE deployments.id = ?`,
    [id],
  );
  return found ?? { hasAltcha: false, hasFormTools: false };
}

/** The form of each of these deployments, of any owner; undefined for those that are not live, or have been taken down. */
export async function findForms(db: Knex, ids: readonly string[]): Promise<(LiveForm | undefined)[]> {
  const rows = await query<
    Row &
      Pick<LiveForm, 'slug' | 'isSuspended' | 'formerSlugs' | 'language' | 'placesField'> &
      PageLook & { id: string; start: Buffer | null; tellsFormsApart: boolean; forms: string | null }
  >(
    db,
    'find-forms',
    `SELECT id, slug, suspended AS "isSuspended", ${formerSlugsOf('deployments.id')} AS "formerSlugs", language, ${LOOK}, places_field AS "placesField", ${RULES}, substring(html FROM 1 FOR ${SIZES.page.startBytes}) AS start,
            coalesce(tells_forms_apart, false) AS "tellsFormsApart", CASE WHEN forms_version = version THEN forms END AS forms
       FROM deployments
       LEFT JOIN pages ON pages.deployment_id = id
       LEFT JOIN form_rules ON form_rules.deployment_id = id
      WHERE id = ANY (?::text[]) AND coalesce(deleted_at, taken_down_at) IS NULL`,
    [[...new Set(ids)]],
  );
  const forms = new Map<string, LiveForm>();
  for (const {
    id,
    slug,
    isSuspended,
    formerSlugs,
    language,
    title,
    color,
    darkColor,
    placesField,
    start,
    tellsFormsApart,
    forms: read,
    ...rules
  } of rows) {
    forms.set(id, {
      deploymentId: id,
      slug,
      isSuspended,
      formerSlugs,
      language,
      lang: start ? langOf(start) : undefined,
      look: shownLook({ title, color, darkColor }, slug),
      placesField,
      rules: toRules(toSettings(rules)),
      tellsFormsApart,
      forms: read === null ? undefined : JSON.parse(read),
    });
  }
  return ids.map((id) => forms.get(id));
}

/** The settings in form_rules of a deployment, live or not. */
export async function ruleSettingsOf(db: Knex, id: string): Promise<RuleSettings> {
  const sql = `SELECT ${RULES} FROM form_rules WHERE deployment_id = ?`;
  const [row] = await query<Row>(db, 'rules-of-deployment', sql, [id]);
  return row ? toSettings(row) : FIRST;
}

/** The rules of a deployment, live or not. */
export const rulesOf = async (db: Knex, id: string): Promise<FormRules> => toRules(await ruleSettingsOf(db, id));

/** Changes some of the rules of a deployment. It belongs in a transaction that has locked the deployment's row. */
export const storeRules = (
  transaction: Knex,
  id: string,
  rules: Partial<SettingColumns<'form_rules'> & Settings['spam']>,
): Promise<unknown> =>
  transaction('form_rules')
    .insert({ deployment_id: id, ...rules })
    .onConflict('deployment_id')
    .merge(rules);
