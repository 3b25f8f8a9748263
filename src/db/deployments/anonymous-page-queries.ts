import type { Knex } from 'knex';
import { ANONYMOUS } from '../account/anonymous-owner.ts';
import { record } from '../account/audit-queries.ts';
import { countTry, readTries } from '../account/session-queries.ts';
import { checkStorage, type StorageLimits } from '../account/storage-queries.ts';
import { execute, query, queryOne } from '../postgres/query.ts';
import { countLive, createDeployment, type Deployment } from './deployment-queries.ts';
import type { SiteFile } from './site-file-queries.ts';

/*
 * Pages that were published without a key. They belong to an owner of the service itself, which nobody can sign in as, until somebody
 * claims them; otherwise they are erased when they expire.
 */

/** The owner of all anonymous pages, who is made for the first one. */
export async function findAnonymousOwner(db: Knex): Promise<number> {
  const find = () =>
    query<{ id: number }>(db, 'find-anonymous-owner', 'SELECT id FROM owners WHERE email = ?', [ANONYMOUS]);
  const [known] = await find();
  if (known) return known.id;
  await execute(
    db,
    'make-anonymous-owner',
    'INSERT INTO owners (email, plan) VALUES (:name, :name) ON CONFLICT DO NOTHING',
    { name: ANONYMOUS },
  );
  const [made] = await find();
  if (!made) throw new Error('The owner of anonymous pages was not made.');
  return made.id;
}

/** Pages that a network may still publish are none. `retryAfterMs`: until there may be another. */
export class TooManyPages extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('Too many anonymous pages.');
    this.retryAfterMs = retryAfterMs;
  }
}

/** How many pages a network may publish in so many seconds, and how many there may be of all networks. */
export type AnonymousLimits = { limit: number; seconds: number; maxPages: number };

const nameOf = (network: string): string => `anonymous-pages ${network}`;

/** Throws TooManyPages where a network may publish no more now. Nothing is counted. */
export async function checkAnonymous(db: Knex, network: string, { limit, seconds }: AnonymousLimits): Promise<void> {
  const { tries, leftMs } = await readTries(db, nameOf(network), seconds);
  if (tries >= limit) throw new TooManyPages(leftMs);
}

type NewAnonymousPage = {
  id: string;
  ownerId: number;
  slugs: readonly string[];
  html: Buffer;
  files: readonly SiteFile[];
  /** Of the token that claims it. */
  hash: Buffer;
  hours: number;
};

/**
 * Makes a page that expires after some hours, and counts it for its network. It is rendered at its first visit, with a note. Throws
 * TooManyPages, and ContentsRemoved; nothing is counted then.
 */
export function createAnonymous(
  db: Knex,
  network: string,
  { id, ownerId, slugs, html, files, hash, hours }: NewAnonymousPage,
  { maxPages, ...limit }: AnonymousLimits,
): Promise<{ slug: string; expiresAt: Date } | 'slug-taken'> {
  return db.transaction(async (transaction) => {
    // First: it locks the row, so that the pages of a network are made one after the other.
    const { tries, leftMs } = await countTry(transaction, nameOf(network), limit);
    if (tries > limit.limit) throw new TooManyPages(leftMs);
    if ((await countLive(transaction, ownerId)) >= maxPages) throw new TooManyPages(hours * 3_600_000);
    const page = { html, rendered: undefined };
    const made = await createDeployment(transaction, {
      ...{ id, ownerId, slugs, page, files },
      ...{ limit: Number.POSITIVE_INFINITY, storageLimits: new Map() },
    });
    if (made === 'limit-reached' || made === 'slug-taken') return 'slug-taken';
    const { expiresAt } = await queryOne<{ expiresAt: Date }>(
      transaction,
      'make-anonymous',
      `WITH noted AS (INSERT INTO anonymous_pages (deployment_id, hash) VALUES (:id, :hash))
       UPDATE deployments SET expires_at = date_trunc('milliseconds', now() + CAST(:hours AS float8) * interval '1 hour')
        WHERE id = :id RETURNING expires_at AS "expiresAt"`,
      { id, hash, hours },
    );
    return { slug: made.slug, expiresAt };
  });
}

type Claimant = { id: number; limit: number; storageLimits: StorageLimits };

/**
 * Gives an anonymous page to an owner, once: it no longer expires. undefined where the token is not known, has been used, or has expired.
 * Throws StorageFull.
 */
export function claimPage(
  db: Knex,
  hash: Buffer,
  { id: ownerId, limit, storageLimits }: Claimant,
): Promise<Pick<Deployment, 'id' | 'slug'> | 'limit-reached' | undefined> {
  return db.transaction(async (transaction) => {
    const [page] = await query<{ id: string; slug: string; from: number; bytes: number }>(
      transaction,
      'find-claim',
      `SELECT deployments.id, slug, owner_id AS "from", octet_length(html) + coalesce((
                SELECT sum(CAST(file -> 'bytes' AS bigint)) FROM jsonb_array_elements(files) AS file), 0)::float8 AS bytes
         FROM anonymous_pages
         JOIN deployments ON deployments.id = anonymous_pages.deployment_id
         JOIN pages ON pages.deployment_id = deployments.id
        WHERE hash = ? AND deleted_at IS NULL AND expires_at > clock_timestamp() FOR UPDATE OF pages, deployments`,
      [hash],
    );
    if (!page) return undefined;
    // The lock lets one creation or claim of this owner in at a time.
    await execute(transaction, 'lock-claimant', 'SELECT FROM owners WHERE id = ? FOR UPDATE', [ownerId]);
    if ((await countLive(transaction, ownerId)) >= limit) return 'limit-reached';
    await checkStorage(transaction, { ownerId }, page.bytes, storageLimits);
    const values = { id: page.id, ownerId, from: page.from };
    await execute(
      transaction,
      'copy-claimed-contents',
      `INSERT INTO site_contents (owner_id, sha256, bytes, content)
       SELECT :ownerId, sha256, bytes, content FROM site_contents
        WHERE owner_id = :from AND sha256 IN (
                SELECT decode(file ->> 'sha256', 'hex') FROM pages CROSS JOIN LATERAL jsonb_array_elements(files) AS file
                 WHERE deployment_id = :id AND files IS NOT NULL)
           ON CONFLICT (owner_id, sha256) DO UPDATE SET checked_at = clock_timestamp()`,
      values,
    );
    await execute(
      transaction,
      'release-claimed-contents',
      `UPDATE site_contents SET checked_at = '-infinity'
        WHERE owner_id = :from AND sha256 IN (
                SELECT decode(file ->> 'sha256', 'hex') FROM pages CROSS JOIN LATERAL jsonb_array_elements(files) AS file
                 WHERE deployment_id = :id AND files IS NOT NULL)`,
      values,
    );
    await record(transaction, { target: page.id, deploymentId: page.id });
    await execute(transaction, 'forget-claim', 'DELETE FROM anonymous_pages WHERE deployment_id = :id', values);
    await execute(
      transaction,
      'claim-page',
      // An operator may have suspended the owner since the key was looked up.
      `UPDATE deployments SET owner_id = :ownerId, expires_at = NULL, updated_at = clock_timestamp(),
              suspended = (SELECT suspended_at IS NOT NULL FROM owners WHERE owners.id = :ownerId)
        WHERE id = :id`,
      values,
    );
    // What waits for the commit would be counted twice.
    await execute(transaction, 'count-storage', 'SET CONSTRAINTS count_storage IMMEDIATE');
    await execute(transaction, 'count-claimed-storage', 'SELECT recount_storage(:ownerId)', values);
    // All anonymous pages are counted anew by the next clean-up.
    await execute(
      transaction,
      'recount-anonymous-storage',
      "UPDATE storage SET counted_at = '-infinity' WHERE owner_id = :from",
      values,
    );
    return { id: page.id, slug: page.slug };
  });
}
