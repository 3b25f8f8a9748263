import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { mayTellFormsApart } from '../../forms/forms-of-page.ts';
import { lookOf } from '../../sites/page-look.ts';
import { isHtmlPath } from '../../sites/site-paths.ts';
import { execute, type ListPage, type Paging, query, queryPage } from '../postgres/query.ts';
import { keepRules } from './page-form-queries.ts';
import { areSame, byPath, lockContents, releasing, type SiteFile, toColumn } from './site-file-queries.ts';

/** A page as visitors get it. `hash` and `bytes`, its length, are those of the page without an encoding. */
export type Rendering = { hash: string; bytes: number; br: Buffer };

/**
 * A page to be stored. `rendered` is undefined when it is rendered at the first visit; `action`: what it was rendered for,
 * by `renderedFor`.
 */
export type NewPage = { html: Buffer; rendered: (Rendering & { action: string }) | undefined };

/** A change of a page; undefined parts stay as they are. `files`: those of the site, made of those that it has. */
export type PageChange = {
  page: NewPage | undefined;
  files: ((now: readonly SiteFile[], htmlBytes: number) => readonly SiteFile[]) | undefined;
};

/** What the settings of a page add to its forms: ALTCHA's widget, and the attributes of tools for agents in browsers. */
export type Additions = { hasAltcha: boolean; hasFormTools: boolean };

const [ALTCHA_MARK, TOOLS_MARK] = ['#altcha', '#tools'];

/**
 * A rendering depends, besides the HTML, on the beginning of the addresses that forms post to, and on what is added to forms. All
 * are in one text, so that they are compared as one.
 */
export const renderedFor = (submitUrl: string, { hasAltcha, hasFormTools }: Additions): string =>
  submitUrl + (hasAltcha ? ALTCHA_MARK : '') + (hasFormTools ? TOOLS_MARK : '');

/** In SQL, what `renderedFor` returns for the value `:submitUrl` and columns with the additions. */
export const RENDERED_FOR = `CAST(:submitUrl AS text) || CASE WHEN has_altcha THEN '${ALTCHA_MARK}' ELSE '' END || CASE WHEN form_tools THEN '${TOOLS_MARK}' ELSE '' END`;

const renderingColumns = ({ action, hash, bytes, br }: Rendering & { action: string }) => ({
  rendered_action: action,
  rendered_hash: hash,
  rendered_bytes: bytes,
  rendered_br: br,
});
const NOT_RENDERED = { rendered_action: null, rendered_hash: null, rendered_bytes: null, rendered_br: null };

/** A number, or what is one in SQL. */
type Version = number | Knex.Raw;

/** The column of a page whose site has these files: each HTML file may have a form besides those of the page. */
const ofFiles = (files: readonly SiteFile[]) =>
  files.some(({ path }) => isHtmlPath(path)) ? { tells_forms_apart: true } : {};

/** The columns of a page that follow from its HTML, and from its other files. */
export function pageColumns({ html, rendered }: NewPage, files: readonly SiteFile[], version: Version) {
  const { title, color, darkColor } = lookOf(html);
  const look = { title, color, dark_color: darkColor };
  const forms = { tells_forms_apart: mayTellFormsApart(html), ...ofFiles(files) };
  return { html, version, ...look, ...forms, ...(rendered ? renderingColumns(rendered) : NOT_RENDERED) };
}

/** In SQL, the columns of a page that are its look. */
export const LOOK = 'title, color, dark_color AS "darkColor"';

/** Stores how the page is rendered if it is live and this is not stored, or for something else. */
export async function renewRendering(
  transaction: Knex,
  deploymentId: string,
  { html, rendered }: NewPage,
): Promise<void> {
  if (!rendered) return;
  await transaction('pages')
    .where({ deployment_id: deploymentId, html })
    .whereRaw('rendered_action IS DISTINCT FROM ?', [rendered.action])
    .update(renderingColumns(rendered));
}

/** A version of a page whose HTML is there; `bytes`: of all its files. `id`: of the deployment. `isPreview`: it was never live. */
type KeptVersion = { id: string; version: number; createdAt: Date; bytes: number; isLive: boolean; isPreview: boolean };

/** The versions of a deployment whose HTML is there: the live one and those before it. */
const KEPT = `
  SELECT deployment_id, version, created_at, html, files, true AS is_live, false AS is_preview FROM pages WHERE deployment_id = :deploymentId
  UNION ALL
  SELECT deployment_id, version, created_at, html, files, false, preview IS NOT NULL FROM page_versions
   WHERE deployment_id = :deploymentId AND html IS NOT NULL`;

/** A page of a deployment's versions, newest first, and how many there are in all. */
export const listVersions = (db: Knex, deploymentId: string, paging: Paging): Promise<ListPage<KeptVersion>> =>
  queryPage(
    db,
    'list-versions',
    {
      total: `SELECT count(*) AS total FROM (${KEPT}) AS version`,
      rows: `
        SELECT deployment_id AS id, version, created_at AS "createdAt", is_live AS "isLive", is_preview AS "isPreview",
               octet_length(html) + CAST(coalesce((
                 SELECT sum(CAST(file -> 'bytes' AS bigint)) FROM jsonb_array_elements(files) AS file), 0) AS bigint) AS bytes
          FROM (${KEPT}) AS version ORDER BY version DESC LIMIT :limit OFFSET :offset`,
    },
    { deploymentId },
    paging,
  );

/** A version of a deployment; `files`: of a site. */
export async function findVersion(
  db: Knex,
  deploymentId: string,
  version: number,
): Promise<{ html: Buffer; files: readonly SiteFile[] } | undefined> {
  const [row] = await query<{ html: Buffer; files: SiteFile[] | null }>(
    db,
    'find-version',
    `SELECT html, files FROM (${KEPT}) AS version WHERE version = :version`,
    { deploymentId, version },
  );
  return row && { html: row.html, files: row.files ?? [] };
}

/** Locks the page of a deployment until the transaction ends, if its HTML has one of these ETags; whether it has. */
export const lockPage = async (transaction: Knex, deploymentId: string, etags: readonly string[]): Promise<boolean> =>
  (await execute(
    transaction,
    'lock-page-with-etag',
    `SELECT FROM pages
      WHERE deployment_id = ? AND '"' || encode(sha256(html), 'hex') || '"' = ANY (CAST(? AS text[])) FOR UPDATE`,
    [deploymentId, [...etags]],
  )) === 1;

/** The contents of a site were removed before it was published: they are to be stored again. */
export class ContentsRemoved extends Error {}

/** The files that a page gets by a change; undefined: those that it has. Throws ContentsRemoved. */
async function changedFiles(
  transaction: Knex,
  ownerId: number,
  { now, htmlBytes }: { now: readonly SiteFile[]; htmlBytes: number },
  { files }: PageChange,
): Promise<readonly SiteFile[] | undefined> {
  const changed = files && byPath(files(now, htmlBytes));
  if (!changed || areSame(changed, now)) return undefined;
  if (!(await lockContents(transaction, ownerId, changed))) throw new ContentsRemoved();
  return changed;
}

/**
 * Makes this page the live version, unless it is that already, and keeps what was live. The HTML and the files of the last
 * `pageVersions` stay, the live one included. The page is locked until the transaction ends. To be followed by
 * `startVersion` once the deployment is locked. Throws ContentsRemoved.
 */
export async function addVersion(
  transaction: Knex,
  { ownerId, deploymentId }: { ownerId: number; deploymentId: string },
  change: PageChange,
  pageVersions: number,
): Promise<'added' | 'same'> {
  const { page } = change;
  const [before] = await query<{ hasHtml: boolean; htmlBytes: number; files: SiteFile[] | null }>(
    transaction,
    'lock-page-to-change',
    `SELECT html = coalesce(CAST(:html AS bytea), html) AS "hasHtml", files,
            octet_length(coalesce(CAST(:html AS bytea), html)) AS "htmlBytes"
       FROM pages WHERE deployment_id = :deploymentId FOR UPDATE`,
    { html: page?.html ?? null, deploymentId },
  );
  const { files: now, htmlBytes = 0, hasHtml = true } = before ?? {};
  const files = before && (await changedFiles(transaction, ownerId, { now: now ?? [], htmlBytes }, change));
  if (hasHtml && !files) {
    if (page) await renewRendering(transaction, deploymentId, page);
    return 'same';
  }
  await execute(
    transaction,
    'keep-version',
    `INSERT INTO page_versions (deployment_id, version, after_number, created_at, html, files)
     SELECT deployment_id, version, after_number, created_at, html, files FROM pages WHERE deployment_id = ?`,
    [deploymentId],
  );
  // Previews have numbers too.
  const version = transaction.raw(
    '1 + (SELECT max(version) FROM page_versions WHERE page_versions.deployment_id = pages.deployment_id)',
  );
  const allFiles = files ?? now ?? [];
  const columns = page ? pageColumns(page, allFiles, version) : { version, ...ofFiles(allFiles) };
  await transaction('pages')
    .where({ deployment_id: deploymentId })
    .update({ ...columns, ...(files && { files: toColumn(files) }) });
  await pruneVersions(transaction, deploymentId, pageVersions);
  return 'added';
}

/** Versions from which nothing was sent leave no trace; of the others only the HTML and the files go. */
const pruneVersions = (transaction: Knex, deploymentId: string, pageVersions: number): Promise<unknown> =>
  execute(
    transaction,
    'prune-versions',
    `WITH past AS MATERIALIZED (
       SELECT version, files, row_number() OVER (ORDER BY version DESC) AS age,
              lead(after_number) OVER (ORDER BY version) > after_number AS has_submissions
         FROM page_versions WHERE deployment_id = :deploymentId AND html IS NOT NULL AND preview IS NULL
     ), removed AS (
       DELETE FROM page_versions USING past
        WHERE deployment_id = :deploymentId AND page_versions.version = past.version AND age >= :pageVersions
          AND NOT has_submissions
     ), released AS (${releasing(`
       SELECT owner_id, files FROM past JOIN deployments ON id = :deploymentId
        WHERE age >= :pageVersions AND files IS NOT NULL`)}
     )
     UPDATE page_versions SET html = NULL, files = NULL
       FROM past
      WHERE deployment_id = :deploymentId AND page_versions.version = past.version AND age >= :pageVersions
        AND coalesce(has_submissions, true)`,
    { deploymentId, pageVersions },
  );

/**
 * Says from which submission on the version that was just added is the live one. The deployment has to be locked:
 * then no submission is accepted between reading its last number and the commit.
 */
export async function startVersion(transaction: Knex, deploymentId: string): Promise<void> {
  const [page] = await query<{ tellsFormsApart: boolean }>(
    transaction,
    'start-version',
    `UPDATE pages SET after_number = last_submission_number, created_at = deployments.updated_at
       FROM deployments WHERE deployment_id = deployments.id AND deployments.id = ?
    RETURNING tells_forms_apart AS "tellsFormsApart"`,
    [deploymentId],
  );
  if (page?.tellsFormsApart) await keepRules(transaction, deploymentId);
}

/** The strong entity tag of a content (RFC 9110, 8.8.3). src/db/deployments/page-version-queries.ts has the same in SQL. */
export const etagOf = (content: string | Buffer): string => `"${createHash('sha256').update(content).digest('hex')}"`;
