import type { Knex } from 'knex';
import { checkStorage, type StorageLimits, settleStorage } from '../../account/storage-queries.ts';
import { execute, query } from '../../postgres/query.ts';
import { etagOf } from '../page-version-queries.ts';

/*
 * Drafts: HTML that somebody works on and has not published. Each person has one of each file of a page: with one for all, two people who
 * edit at once would overwrite each other's work.
 */

/** Whose draft of which file: of the owner of the page where `guestId` is undefined; the page itself is `index.html`. */
export type DraftOf = { deploymentId: string; ownerId: number; guestId: string | undefined; path: string };

/** `etag`: of the HTML that was live when the work began, as the client has it; null: it has not said so. */
export type Draft = { html: Buffer; etag: string | null; updatedAt: Date };

/**
 * The condition of a change: the draft that is stored has one of these entity tags. An empty list: no draft is stored; `any`: one is.
 * Undefined: there is no condition.
 */
export type DraftTags = readonly string[] | 'any' | undefined;

/** Returns the tags that a statement compares; null: it compares none. */
export const comparedTags = (tags: DraftTags): string[] | null =>
  tags === undefined || tags === 'any' ? null : [...tags];

/** The entity tag of a draft: of all that is stored with it. */
export const draftTag = ({ html, etag }: Pick<Draft, 'html' | 'etag'>): string =>
  etagOf(Buffer.concat([html, Buffer.from(etag ?? '')]));

/** In SQL, the entity tag of a draft. */
const TAG = `'"' || encode(sha256(page_drafts.html || convert_to(coalesce(page_drafts.etag, ''), 'UTF8')), 'hex') || '"'`;
const OF_PERSON = 'page_drafts.guest_id IS NOT DISTINCT FROM CAST(:guestId AS text)';
const THIS_DRAFT = `page_drafts.deployment_id = :deploymentId AND ${OF_PERSON} AND page_drafts.path = :path`;
const MAY_CHANGE = `(CAST(:tags AS text[]) IS NULL OR ${TAG} = ANY (CAST(:tags AS text[])))`;

const toValues = ({ deploymentId, guestId, path }: DraftOf) => ({ deploymentId, guestId: guestId ?? null, path });

/** How many other files of the page this person has drafts of. */
export async function countOtherDrafts(db: Knex, of: DraftOf): Promise<number> {
  const [row] = await query<{ others: number }>(
    db,
    'count-drafts',
    `SELECT CAST(count(*) AS int) AS others FROM page_drafts
      WHERE deployment_id = :deploymentId AND ${OF_PERSON} AND path <> :path`,
    toValues(of),
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

/**
 * Stores a draft in place of the one before; `changed` where that is none that `tags` allow; undefined when there is no such live
 * deployment. Throws StorageFull.
 */
export async function saveDraft(
  db: Knex,
  of: DraftOf,
  { html, etag, tags }: Pick<Draft, 'html' | 'etag'> & { tags: DraftTags },
  storageLimits: StorageLimits,
): Promise<Date | 'changed' | undefined> {
  const { ownerId } = of;
  await checkStorage(db, { ownerId }, html.length, storageLimits);
  return db.transaction(async (transaction) => {
    const [saved] = await query<{ updatedAt: Date }>(
      transaction,
      'save-draft',
      `INSERT INTO page_drafts (deployment_id, guest_id, path, html, etag, updated_at)
       SELECT id, CAST(:guestId AS text), CAST(:path AS text), CAST(:html AS bytea), CAST(:etag AS text), clock_timestamp()
         FROM deployments WHERE id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
          AND (NOT CAST(:mustExist AS boolean) OR EXISTS (SELECT FROM page_drafts WHERE ${THIS_DRAFT}))
       ON CONFLICT (deployment_id, guest_id, path) DO UPDATE
          SET html = excluded.html, etag = excluded.etag, updated_at = excluded.updated_at
        WHERE ${MAY_CHANGE}
       RETURNING updated_at AS "updatedAt"`,
      {
        ...toValues(of),
        ownerId,
        html,
        etag,
        tags: comparedTags(tags),
        mustExist: tags !== undefined && tags.length > 0,
      },
    );
    if (!saved) return tags && 'changed';
    await settleStorage(transaction, { ownerId }, storageLimits);
    return saved.updatedAt;
  });
}

/** The draft of a person; undefined where there is none. */
export async function findDraft(db: Knex, of: DraftOf): Promise<Draft | undefined> {
  const [draft] = await query<Draft>(
    db,
    'find-draft',
    `SELECT html, etag, updated_at AS "updatedAt" FROM page_drafts WHERE ${THIS_DRAFT}`,
    toValues(of),
  );
  return draft;
}

/** Removes the draft of a person; `changed` where it is none that `tags` allow; false where there is none. */
export async function deleteDraft(db: Knex, of: DraftOf, tags: DraftTags): Promise<boolean | 'changed'> {
  const sql = `DELETE FROM page_drafts WHERE ${THIS_DRAFT} AND ${MAY_CHANGE}`;
  const removed = await execute(db, 'delete-draft', sql, { ...toValues(of), tags: comparedTags(tags) });
  if (removed === 1) return true;
  return tags && (await findDraft(db, of)) ? 'changed' : false;
}

/** In SQL, whether a person has a draft of a page. `deployment` and `guest`: their ids in SQL. */
export const hasDraft = (deployment: string, guest: string): string =>
  `EXISTS (SELECT FROM page_drafts WHERE deployment_id = ${deployment} AND page_drafts.guest_id IS NOT DISTINCT FROM ${guest})`;
