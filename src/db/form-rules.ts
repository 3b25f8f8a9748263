import type { Knex } from 'knex';
import type { CaptchaProvider } from '../captcha-fields.ts';
import { execute, query, queryOne } from './postgres/query.ts';

/** A provider, with the public key and the secret that an owner has there. */
export type Captcha = { provider: CaptchaProvider; site_key?: string; secret?: string };

/** How the submissions of a form are judged, and where its visitors are sent. */
export type FormRules = {
  /** Where a visitor's browser is sent after a success. */
  redirectUrl: string | null;
  /** Origins that submissions may come from, besides the page's own; empty: all. */
  allowedOrigins: readonly string[];
  /** A submission that has one of these texts is spam. */
  blocklist: readonly string[];
  captcha: Captcha | null;
};

/** The rules of a live deployment. `version` changes with them; 0: there are none. */
export type VersionedRules = { slug: string; version: number; rules: FormRules };

export const NO_RULES: FormRules = { redirectUrl: null, allowedOrigins: [], blocklist: [], captcha: null };

type Row = {
  redirect_url: string | null;
  allowed_origins: string[] | null;
  blocklist: string[] | null;
  captcha: string | null;
};

const toRules = (row: Row): FormRules => ({
  redirectUrl: row.redirect_url,
  allowedOrigins: row.allowed_origins ?? [],
  blocklist: row.blocklist ?? [],
  captcha: row.captcha === null ? null : JSON.parse(row.captcha),
});

const isEmpty = ({ redirectUrl, allowedOrigins, blocklist, captcha }: FormRules): boolean =>
  redirectUrl === null && allowedOrigins.length === 0 && blocklist.length === 0 && captcha === null;

/** The rules of the live deployment with this id, of any owner; undefined also when it has been taken down. */
export async function findRules(db: Knex, id: string): Promise<VersionedRules | undefined> {
  const [row] = await query<Row & { slug: string; rules_version: number }>(
    db,
    'find-rules',
    `SELECT slug, rules_version, redirect_url, allowed_origins, blocklist, captcha
       FROM deployments LEFT JOIN form_rules ON deployment_id = id
      WHERE id = ? AND coalesce(deleted_at, taken_down_at) IS NULL`,
    [id],
  );
  return row && { slug: row.slug, version: row.rules_version, rules: toRules(row) };
}

/** The versions of the rules of these deployments; without those that are not live. */
export async function findRulesVersions(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ id: string; rules_version: number }>(
    db,
    'find-rules-versions',
    `SELECT id, rules_version FROM deployments
      WHERE id = ANY (?::text[]) AND coalesce(deleted_at, taken_down_at) IS NULL`,
    [[...ids]],
  );
  return new Map(rows.map((row) => [row.id, row.rules_version]));
}

/** The rules of a deployment, live or not. */
export async function rulesOf(db: Knex, id: string): Promise<FormRules> {
  const [row] = await query<Row>(
    db,
    'rules-of-deployment',
    'SELECT redirect_url, allowed_origins, blocklist, captcha FROM form_rules WHERE deployment_id = ?',
    [id],
  );
  return row ? toRules(row) : NO_RULES;
}

/**
 * Replaces the rules of a deployment. It belongs in a transaction that has locked the deployment's row: a submission that
 * was judged by other rules is judged again.
 */
export async function storeRules(transaction: Knex, id: string, rules: FormRules): Promise<void> {
  const { redirectUrl, allowedOrigins, blocklist, captcha } = rules;
  // The row stays when there are no rules any more: a version is never used again.
  const { version } = await queryOne<{ version: number }>(
    transaction,
    'store-rules',
    `INSERT INTO form_rules (deployment_id, version, redirect_url, allowed_origins, blocklist, captcha)
     VALUES (?, 1, ?, ?, ?, ?)
     ON CONFLICT (deployment_id) DO UPDATE
       SET version = form_rules.version + 1, redirect_url = excluded.redirect_url,
           allowed_origins = excluded.allowed_origins, blocklist = excluded.blocklist, captcha = excluded.captcha
     RETURNING version`,
    [id, redirectUrl, [...allowedOrigins], [...blocklist], captcha === null ? null : JSON.stringify(captcha)],
  );
  await execute(transaction, 'store-rules-version', 'UPDATE deployments SET rules_version = ? WHERE id = ?', [
    isEmpty(rules) ? 0 : version,
    id,
  ]);
}
