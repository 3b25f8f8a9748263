import type { Knex } from 'knex';
import type { CaptchaProvider } from '../../lib/captcha-fields.ts';
import { langOf } from '../../lib/languages.ts';
import { SIZES } from '../../sizes.ts';
import { execute, query } from '../postgres/query.ts';

/** A provider, with the public key and the secret that an owner has there. */
export type Captcha = { provider: CaptchaProvider; site_key?: string; secret?: string };

/** How the submissions of a form are judged, and where its visitors are sent. */
export type FormRules = {
  /** Where a visitor's browser is sent after a success. */
  redirectUrl: string | null;
  /** Origins that submissions may come from, besides the page's own; empty: all. */
  allowedOrigins: readonly string[];
  /** The text that visitors get while the form accepts nothing; null: a text of the service. */
  closedMessage: string | null;
  /** A submission that has one of these texts is spam. */
  blocklist: readonly string[];
  captcha: Captcha | null;
};

/** The form of a live deployment, as submissions and the pages for visitors need it. */
export type LiveForm = {
  deploymentId: string;
  slug: string;
  /** The setting of the deployment. */
  language: string | null;
  /** The primary subtag of the page's `<html lang>`, in lower case. */
  lang: string | undefined;
  rules: FormRules;
};

export const NO_RULES: FormRules = {
  redirectUrl: null,
  allowedOrigins: [],
  closedMessage: null,
  blocklist: [],
  captcha: null,
};

/** The columns of form_rules as FormRules, also where a deployment has no row. */
const RULES = `redirect_url AS "redirectUrl", coalesce(allowed_origins, '{}') AS "allowedOrigins",
            closed_message AS "closedMessage", coalesce(blocklist, '{}') AS blocklist, captcha`;
type Row = Omit<FormRules, 'captcha'> & { captcha: string | null };

const toRules = ({ captcha, ...rules }: Row): FormRules => ({
  ...rules,
  captcha: captcha === null ? null : JSON.parse(captcha),
});

export const hasAltcha = async (db: Knex, id: string): Promise<boolean> =>
  (await rulesOf(db, id)).captcha?.provider === 'altcha';

/** SQL: whether a row of form_rules, or none, switches ALTCHA on. */
export const HAS_ALTCHA = `coalesce(form_rules.captcha ->> 'provider' = 'altcha', false)`;

/** The form of each of these deployments, of any owner; undefined for those that are not live, or have been taken down. */
export async function findForms(db: Knex, ids: readonly string[]): Promise<(LiveForm | undefined)[]> {
  const rows = await query<Row & Pick<LiveForm, 'slug' | 'language'> & { id: string; start: Buffer | null }>(
    db,
    'find-forms',
    `SELECT id, slug, language, ${RULES}, substring(html FROM 1 FOR ${SIZES.page.startBytes}) AS start
       FROM deployments
       LEFT JOIN pages ON pages.deployment_id = id
       LEFT JOIN form_rules ON form_rules.deployment_id = id
      WHERE id = ANY (?::text[]) AND coalesce(deleted_at, taken_down_at) IS NULL`,
    [[...new Set(ids)]],
  );
  const forms = new Map<string, LiveForm>();
  for (const { id, slug, language, start, ...rules } of rows) {
    forms.set(id, { deploymentId: id, slug, language, lang: start ? langOf(start) : undefined, rules: toRules(rules) });
  }
  return ids.map((id) => forms.get(id));
}

/** The rules of a deployment, live or not. */
export async function rulesOf(db: Knex, id: string): Promise<FormRules> {
  const sql = `SELECT ${RULES} FROM form_rules WHERE deployment_id = ?`;
  const [row] = await query<Row>(db, 'rules-of-deployment', sql, [id]);
  return row ? toRules(row) : NO_RULES;
}

/** Replaces the rules of a deployment. It belongs in a transaction that has locked the deployment's row. */
export const storeRules = (transaction: Knex, id: string, rules: FormRules): Promise<number> =>
  execute(
    transaction,
    'store-rules',
    `INSERT INTO form_rules (deployment_id, redirect_url, allowed_origins, closed_message, blocklist, captcha)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (deployment_id) DO UPDATE
       SET redirect_url = excluded.redirect_url, allowed_origins = excluded.allowed_origins,
           closed_message = excluded.closed_message, blocklist = excluded.blocklist, captcha = excluded.captcha`,
    [
      id,
      rules.redirectUrl,
      [...rules.allowedOrigins],
      rules.closedMessage,
      [...rules.blocklist],
      rules.captcha === null ? null : JSON.stringify(rules.captcha),
    ],
  );
