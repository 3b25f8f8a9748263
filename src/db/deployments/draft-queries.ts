import type { Knex } from 'knex';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage-queries.ts';
import { execute, query } from '../postgres/query.ts';

/*
 * Drafts: HTML that somebody works on and has not published. Each person has one of each file of a page: with one for all, two people who
 * edit at once would overwrite each other's work.
 */

/** Whose draft of which file: of the owner of the page where `guestId` is undefined; the page itself is `index.html`. */
export type DraftOf = { deploymentId: string; ownerId: number; guestId: string | undefined; path: string };

/** `etag`: of the HTML that was live when the work began, as the client has it; null: it has not said so. */
export type Draft = { html: Buffer; etag: string | null; updatedAt: Date };

/** How many other files of the page this person has drafts of. */
export async function countOtherDrafts(db: Knex, { deploymentId, guestId, path }: DraftOf): Promise<number> {
  const [row] = await query<{ others: number }>(
    db,
    'count-drafts',
    `SELECT count(*)::int AS others FROM page_drafts
      WHERE deployment_id = ? AND guest_id IS NOT DISTINCT FROM CAST(? AS text) AND path <> ?`,
    [deploymentId, guestId ?? null, path],
  );
  return row?.others ?? 0;
}

/** The paths of the files of a page of which this person has drafts. */
export async function findDraftedPaths(
  db: Knex,
  { deploymentId, guestId }: Omit<DraftOf, 'path'>,
): Promise<ReadonlySet<string>> {
  const rows = await query<{ path: string }>(
    db,
    'find-drafted-paths',
    'SELECT path FROM page_drafts WHERE deployment_id = ? AND guest_id IS NOT DISTINCT FROM CAST(? AS text)',
    [deploymentId, guestId ?? null],
  );
  return new Set(rows.map(({ path }) => path));
}

/** Stores a draft in place of the one before; undefined when there is no such live deployment. Throws StorageFull. */
export async function saveDraft(
  db: Knex,
  { deploymentId, ownerId, guestId, path }: DraftOf,
  { html, etag }: Pick<Draft, 'html' | 'etag'>,
  storageLimits: StorageLimits,
): Promise<Date | undefined> {
  await checkStorage(db, { ownerId }, html.length, storageLimits);
  return db.transaction(async (transaction) => {
    const [saved] = await query<{ updatedAt: Date }>(
      transaction,
      'save-draft',
      `INSERT INTO page_drafts (deployment_id, guest_id, path, html, etag, updated_at)
       SELECT id, CAST(:guestId AS text), CAST(:path AS text), CAST(:html AS bytea), CAST(:etag AS text), clock_timestamp()
         FROM deployments WHERE id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
       ON CONFLICT (deployment_id, guest_id, path) DO UPDATE
          SET html = excluded.html, etag = excluded.etag, updated_at = excluded.updated_at
       RETURNING updated_at AS "updatedAt"`,
      { deploymentId, ownerId, guestId: guestId ?? null, path, html, etag },
    );
    if (saved) await settleStorage(transaction, { ownerId }, storageLimits);
    return saved?.updatedAt;
  });
}

/** The draft of a person; undefined where there is none. */
export async function findDraft(db: Knex, { deploymentId, guestId, path }: DraftOf): Promise<Draft | undefined> {
  const [draft] = await query<Draft>(
    db,
    'find-draft',
    `SELECT html, etag, updated_at AS "updatedAt" FROM page_drafts
      WHERE deployment_id = ? AND guest_id IS NOT DISTINCT FROM CAST(? AS text) AND path = ?`,
    [deploymentId, guestId ?? null, path],
  );
  return draft;
}

/** Removes the draft of a person; false where there is none. */
export const deleteDraft = async (db: Knex, { deploymentId, guestId, path }: DraftOf): Promise<boolean> =>
  (await execute(
    db,
    'delete-draft',
    'DELETE FROM page_drafts WHERE deployment_id = ? AND guest_id IS NOT DISTINCT FROM CAST(? AS text) AND path = ?',
    [deploymentId, guestId ?? null, path],
  )) === 1;

/** In SQL, whether a person has a draft of a page. `deployment` and `guest`: their ids in SQL. */
export const hasDraft = (deployment: string, guest: string): string =>
  `EXISTS (SELECT FROM page_drafts WHERE deployment_id = ${deployment} AND page_drafts.guest_id IS NOT DISTINCT FROM ${guest})`;
