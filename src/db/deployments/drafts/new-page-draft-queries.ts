import type { Knex } from 'knex';
import { lookOf } from '../../../sites/page-look.ts';
import { SIZES } from '../../../sizes.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../../account/storage-queries.ts';
import { execute, query } from '../../postgres/query.ts';
import { comparedTags, type DraftTags } from './draft-queries.ts';

/*
 * Drafts of pages that have never been published: an owner has some, each by its name.
 */

/** A draft of an owner, by the name that the client has given it. */
export type NewPageDraftOf = { ownerId: number; name: string };

export type NewPageDraft = { html: Buffer; updatedAt: Date };
export type ListedDraft = { name: string; title: string | null; updatedAt: Date };

/** In SQL, whether a draft has one of the entity tags, each that of the HTML (`etagOf`). */
const MAY_CHANGE = `(CAST(:tags AS text[]) IS NULL
  OR '"' || encode(sha256(new_page_drafts.html), 'hex') || '"' = ANY (CAST(:tags AS text[])))`;

/**
 * Stores a draft in place of the one before; `changed` where that is none that `tags` allow; `too-many` where the owner has as many others
 * as there may be. Throws StorageFull.
 */
export async function saveNewPageDraft(
  db: Knex,
  { ownerId, name }: NewPageDraftOf,
  { html, tags }: { html: Buffer; tags: DraftTags },
  storageLimits: StorageLimits,
): Promise<Date | 'changed' | 'too-many'> {
  await checkStorage(db, { ownerId }, html.length, storageLimits);
  return db.transaction(async (transaction) => {
    // The lock lets one change of this owner in at a time, so that both are still true when the row is written.
    const lock = 'SELECT FROM owners WHERE id = ? FOR NO KEY UPDATE';
    await execute(transaction, 'lock-owner-of-drafts', lock, [ownerId]);
    const drafts = await listNewPageDrafts(transaction, ownerId);
    const isThere = drafts.some((draft) => draft.name === name);
    if (!isThere && drafts.length >= SIZES.draft.maxNewPages) return 'too-many';
    if (!isThere && tags && tags.length > 0) return 'changed';
    const [saved] = await query<{ updatedAt: Date }>(
      transaction,
      'save-new-page-draft',
      `INSERT INTO new_page_drafts (owner_id, name, html, title, updated_at)
       VALUES (:ownerId, :name, :html, :title, clock_timestamp())
       ON CONFLICT (owner_id, name) DO UPDATE
          SET html = excluded.html, title = excluded.title, updated_at = excluded.updated_at
        WHERE ${MAY_CHANGE}
       RETURNING updated_at AS "updatedAt"`,
      { ownerId, name, html, title: lookOf(html).title, tags: comparedTags(tags) },
    );
    if (!saved) return 'changed';
    await settleStorage(transaction, { ownerId }, storageLimits);
    return saved.updatedAt;
  });
}

/** The drafts of an owner, the newest first. There are few. */
export const listNewPageDrafts = (db: Knex, ownerId: number): Promise<ListedDraft[]> =>
  query<ListedDraft>(
    db,
    'list-new-page-drafts',
    `SELECT name, title, updated_at AS "updatedAt" FROM new_page_drafts
      WHERE owner_id = ? ORDER BY updated_at DESC, name`,
    [ownerId],
  );

/** A draft of an owner; undefined where there is none. */
export async function findNewPageDraft(db: Knex, of: NewPageDraftOf): Promise<NewPageDraft | undefined> {
  const [draft] = await query<NewPageDraft>(
    db,
    'find-new-page-draft',
    'SELECT html, updated_at AS "updatedAt" FROM new_page_drafts WHERE owner_id = :ownerId AND name = :name',
    of,
  );
  return draft;
}

/** Removes a draft of an owner; `changed` where it is none that `tags` allow; false where there is none. */
export async function deleteNewPageDraft(db: Knex, of: NewPageDraftOf, tags: DraftTags): Promise<boolean | 'changed'> {
  const sql = `DELETE FROM new_page_drafts WHERE owner_id = :ownerId AND name = :name AND ${MAY_CHANGE}`;
  const removed = await execute(db, 'delete-new-page-draft', sql, { ...of, tags: comparedTags(tags) });
  if (removed === 1) return true;
  return tags && (await findNewPageDraft(db, of)) ? 'changed' : false;
}
