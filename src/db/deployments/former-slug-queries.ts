import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { isDeadlock, isDuplicate } from '../postgres/out-of-reach.ts';
import { execute, query, queryOne } from '../postgres/query.ts';
import { keepRules } from './page-form-queries.ts';

/*
 * Slugs that deployments had before: their addresses lead to the deployment, and no other deployment gets them, for `keptDays`.
 */

const { keptDays, maxOfDeployment } = SIZES.formerSlug;

/** Another deployment has the slug, or had it not long ago. */
export class SlugInUse extends Error {}

/** The deployment has so many former slugs that it keeps no more. `retryAfterMs`: until the oldest is forgotten. */
export class TooManyRenames extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('Too many former slugs.');
    this.retryAfterMs = retryAfterMs;
  }
}

/** In SQL, the former slugs of a deployment. `id`: an expression for its id. */
export const formerSlugsOf = (id: string): string => `ARRAY(
  SELECT slug FROM former_slugs WHERE deployment_id = ${id} AND until > now() ORDER BY slug)`;

/**
 * Claims a slug that was just given to a deployment in this transaction; false where another one had it not long ago. The row with
 * the slug comes first: it waits for a deployment that gives the slug up, and this statement then sees that.
 */
export async function claimSlug(transaction: Knex, id: string, slug: string): Promise<boolean> {
  await execute(
    transaction,
    'forget-former-slug',
    'DELETE FROM former_slugs WHERE slug = ? AND (deployment_id = ? OR until <= now())',
    [slug, id],
  );
  return (await execute(transaction, 'find-former-slug', 'SELECT FROM former_slugs WHERE slug = ?', [slug])) === 0;
}

/** Gives another slug to a deployment whose row is locked. Throws SlugInUse and TooManyRenames. */
export async function rename(transaction: Knex, id: string, from: string, to: string): Promise<void> {
  if (from === to) return;
  try {
    await execute(transaction, 'rename-deployment', 'UPDATE deployments SET slug = ? WHERE id = ?', [to, id]);
  } catch (error) {
    // This statement waits for another deployment that may give the slug up; each waits when two want each other's.
    throw isDuplicate(error) || isDeadlock(error) ? new SlugInUse() : error;
  }
  if (!(await claimSlug(transaction, id, to))) throw new SlugInUse();
  await execute(
    transaction,
    'keep-former-slug',
    `INSERT INTO former_slugs (slug, deployment_id, until) VALUES (?, ?, now() + interval '${keptDays} days')
     ON CONFLICT (slug) DO UPDATE SET deployment_id = excluded.deployment_id, until = excluded.until`,
    [from, id],
  );
  // A form without rules is not read before a submission is stored: this one has origins of its own.
  await keepRules(transaction, id);
  const { count, ms } = await queryOne<{ count: number; ms: number }>(
    transaction,
    'count-former-slugs',
    `SELECT count(*) AS count, CAST(coalesce(extract(epoch FROM min(until) - now()) * 1000, 0) AS float8) AS ms
       FROM former_slugs WHERE deployment_id = ? AND until > now()`,
    [id],
  );
  if (count > maxOfDeployment) throw new TooManyRenames(ms);
}

/** The slugs that live deployments have now, by slugs that they had before; 'suspended' where the owner is. */
export async function findMoved(
  db: Knex,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, { movedTo: string } | 'suspended'>> {
  const rows = await query<{ former: string; movedTo: string; isSuspended: boolean }>(
    db,
    'find-moved',
    `SELECT former_slugs.slug AS former, deployments.slug AS "movedTo", suspended AS "isSuspended"
       FROM former_slugs JOIN deployments ON deployments.id = deployment_id
      WHERE former_slugs.slug = ANY (CAST(? AS text[])) AND until > now() AND deleted_at IS NULL`,
    [[...slugs]],
  );
  return new Map(rows.map(({ former, movedTo, isSuspended }) => [former, isSuspended ? 'suspended' : { movedTo }]));
}
