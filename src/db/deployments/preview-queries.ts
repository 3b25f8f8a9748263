import type { Knex } from 'knex';
import { lookOf, shownLook } from '../../sites/page-look.ts';
import { record } from '../account/audit-queries.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage-queries.ts';
import { execute, query, queryOne } from '../postgres/query.ts';
import type { Page, PageHead, StoredPage } from './deployment-queries.ts';
import { ContentsRemoved, lockPage } from './page-version-queries.ts';
import { byPath, lockContents, releasing, type SiteFile, toColumn } from './site-file-queries.ts';

/*
 * Previews: versions of a page that were never live, each at a host of its own.
 */

/** `files`: those of the site, made of those that the live page has. */
type NewPreview = {
  deploymentId: string;
  ownerId: number;
  label: string;
  html: Buffer;
  files(now: readonly SiteFile[], htmlBytes: number): readonly SiteFile[];
};

/**
 * Adds a preview to the versions of a live deployment of this owner, if its HTML has one of the ETags `etags`, else 'changed'; undefined
 * when there is no such deployment. The last `pageVersions` previews are kept, beside the versions. Throws StorageFull, and
 * ContentsRemoved.
 */
export async function addPreview(
  db: Knex,
  { deploymentId, ownerId, label, html, files }: NewPreview,
  { pageVersions, storageLimits }: { pageVersions: number; storageLimits: StorageLimits },
  etags?: readonly string[],
): Promise<number | 'changed' | undefined> {
  await checkStorage(db, { ownerId }, html.length, storageLimits);
  return db.transaction(async (transaction) => {
    if (etags && !(await lockPage(transaction, deploymentId, etags))) return 'changed';
    const [live] = await query<{ files: SiteFile[] | null }>(
      transaction,
      'lock-page-to-preview',
      `SELECT files FROM pages JOIN deployments ON id = deployment_id
        WHERE deployment_id = ? AND owner_id = ? AND deleted_at IS NULL FOR UPDATE OF pages`,
      [deploymentId, ownerId],
    );
    if (!live) return undefined;
    const given = byPath(files(live.files ?? [], html.length));
    if (given.length > 0 && !(await lockContents(transaction, ownerId, given))) throw new ContentsRemoved();
    const { version } = await queryOne<{ version: number }>(
      transaction,
      'add-preview',
      `INSERT INTO page_versions (deployment_id, version, preview, after_number, created_at, html, files)
       SELECT CAST(:deploymentId AS text), 1 + max(version), CAST(:label AS text), 0, clock_timestamp(), CAST(:html AS bytea),
              CAST(:files AS jsonb)
         FROM (SELECT version FROM pages WHERE deployment_id = :deploymentId
               UNION ALL
               SELECT version FROM page_versions WHERE deployment_id = :deploymentId) AS known
       RETURNING version`,
      { deploymentId, label, html, files: toColumn(given) },
    );
    await execute(
      transaction,
      'prune-previews',
      `WITH old AS MATERIALIZED (
         SELECT version, files FROM page_versions
          WHERE deployment_id = :deploymentId AND preview IS NOT NULL ORDER BY version DESC OFFSET :pageVersions
       ), released AS (${releasing(`
         SELECT owner_id, files FROM old JOIN deployments ON id = :deploymentId WHERE files IS NOT NULL`)}
       )
       DELETE FROM page_versions USING old WHERE deployment_id = :deploymentId AND page_versions.version = old.version`,
      { deploymentId, pageVersions },
    );
    await record(transaction, { action: 'page.preview', target: deploymentId, deploymentId });
    await settleStorage(transaction, { ownerId }, storageLimits);
    return version;
  });
}

type Row = Pick<PageHead, 'deploymentId' | 'version' | 'ownerId' | 'expiresAt'> & {
  preview: string;
  slug: string;
  files: SiteFile[] | null;
  isTakenDown: boolean;
  isSuspended: boolean;
  hasFormTools: boolean;
  html: Buffer | null;
};

/** The previews with several labels, as `findPages` returns pages. They are few, and rendered at each visit. */
export async function findPreviews(
  db: Knex,
  labels: readonly string[],
  maxBytes: number,
): Promise<[label: string, page: StoredPage | 'taken-down' | 'suspended'][]> {
  if (labels.length === 0) return [];
  const rows = await query<Row>(
    db,
    'find-previews',
    `SELECT preview, slug, deployment_id AS "deploymentId", version, owner_id AS "ownerId", files,
            taken_down_at IS NOT NULL AS "isTakenDown", suspended AS "isSuspended", form_tools AS "hasFormTools",
            CAST(extract(epoch FROM expires_at) * 1000 AS float8) AS "expiresAt",
            CASE WHEN octet_length(html) <= CAST(:maxBytes AS double precision) THEN html END AS html
       FROM page_versions JOIN deployments ON id = deployment_id
      WHERE preview = ANY (CAST(:labels AS text[])) AND deleted_at IS NULL`,
    { labels: [...labels], maxBytes },
  );
  return rows.map(({ preview, isTakenDown, isSuspended, html, files, slug, ...row }) => {
    if (isSuspended) return [preview, 'suspended'];
    if (isTakenDown) return [preview, 'taken-down'];
    const look = shownLook(html ? lookOf(html) : { title: null, color: null, darkColor: null }, slug);
    const head: PageHead = {
      ...{ ...row, look, files: files ?? undefined, opening: undefined },
      // A test needs no captcha.
      ...{ hasAltcha: false, isUnlisted: true },
    };
    const page: Page | PageHead = html ? { ...head, html } : head;
    return [preview, page];
  });
}

/** The version that a preview shows, and the live deployment whose it is. */
export type PreviewedForm = { deploymentId: string; ownerId: number; version: number };

/** Finds what the previews with these labels show, in their order; undefined where there is none. */
export async function findPreviewedForms(db: Knex, labels: readonly string[]): Promise<(PreviewedForm | undefined)[]> {
  const rows = await query<PreviewedForm & { preview: string }>(
    db,
    'find-previewed-forms',
    `SELECT preview, deployment_id AS "deploymentId", owner_id AS "ownerId", version
       FROM page_versions JOIN deployments ON id = deployment_id
      WHERE preview = ANY (CAST(? AS text[])) AND deleted_at IS NULL`,
    [[...labels]],
  );
  const forms = new Map(rows.map(({ preview, ...form }) => [preview, form]));
  return labels.map((label) => forms.get(label));
}
