import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { openContent, type ReadLimits, type ReadObject, type ReadPiece } from '../files/file-content-queries.ts';
import { checkFresh, type FileObject, type NewObject } from '../files/stored-file-queries.ts';
import { execute, query } from '../postgres/query.ts';

/*
 * The files of sites. A version of a page lists their paths (`files` of pages and page_versions); each content is stored once
 * for its owner.
 */

/** A file of a site besides its index.html. `sha256`: hex. */
export type SiteFile = { path: string; sha256: string; bytes: number };

/** Contents that one clean-up looks at. Their rows are locked meanwhile. */
const CLEANED_CONTENTS = 100;

/** Files in the order in which a version lists them. */
export const byPath = (files: readonly SiteFile[]): SiteFile[] =>
  files.toSorted((one, other) => (one.path < other.path ? -1 : 1));

export const areSame = (files: readonly SiteFile[], others: readonly SiteFile[]): boolean =>
  files.length === others.length &&
  files.every(({ path, sha256 }, at) => path === others[at]?.path && sha256 === others[at].sha256);

/** The column `files` of a version: a page without files is a single page. */
export const toColumn = (files: readonly SiteFile[]): string | null =>
  files.length === 0 ? null : JSON.stringify(files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })));

const hashesOf = (files: readonly SiteFile[]): Buffer[] =>
  [...new Set(files.map(({ sha256 }) => sha256))].map((sha256) => Buffer.from(sha256, 'hex'));

/** A live page of this owner with its files; `files`: undefined for a single page. */
export async function findSite(
  db: Knex,
  ownerId: number,
  id: string,
): Promise<{ html: Buffer; files: readonly SiteFile[] | undefined } | undefined> {
  const [row] = await query<{ html: Buffer; files: SiteFile[] | null }>(
    db,
    'find-site',
    `SELECT html, files FROM pages JOIN deployments ON deployments.id = deployment_id
      WHERE deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, ownerId],
  );
  return row && { html: row.html, files: row.files ?? undefined };
}

/** Opens a file of a site of this owner, wherever its content is. Pieces can be read from any byte on. */
export type OpenSiteFile = (
  ownerId: number,
  file: Pick<SiteFile, 'sha256' | 'bytes'>,
  limits?: ReadLimits,
) => ReadPiece;

export const createOpenSiteFile =
  (db: Knex, readObject: ReadObject, limits: Limits): OpenSiteFile =>
  (ownerId, { sha256: hex, bytes }, readLimits) => {
    const sha256 = Buffer.from(hex, 'hex');
    const content = {
      // Where it is becomes known when the database does not have it.
      ...{ size: bytes, object: undefined, sha256 },
      findObject: () => findContentObject(db, ownerId, sha256),
      findChunk: (from: number) => findContentChunk(db, ownerId, sha256, from),
    };
    return openContent(content, readObject, limits, readLimits);
  };

async function findContentObject(
  db: Knex,
  ownerId: number,
  sha256: Buffer,
): Promise<{ object: FileObject | undefined } | undefined> {
  const sql = 'SELECT object_id AS id FROM site_contents WHERE owner_id = ? AND sha256 = ?';
  const [row] = await query<{ id: string | null }>(db, 'find-site-object', sql, [ownerId, sha256]);
  return row && { object: row.id === null ? undefined : { id: row.id, sha256 } };
}

async function findContentChunk(db: Knex, ownerId: number, sha256: Buffer, from: number): Promise<Buffer | undefined> {
  const [row] = await query<{ chunk: Buffer | null }>(
    db,
    'find-site-chunk',
    `SELECT substring(content FROM ? FOR ${SIZES.file.chunkBytes}) AS chunk FROM site_contents
      WHERE owner_id = ? AND sha256 = ?`,
    [from + 1, ownerId, sha256],
  );
  return row?.chunk ?? undefined;
}

/** Returns those of these files whose content the owner lacks, one for each content. */
export async function findMissing(db: Knex, ownerId: number, files: readonly SiteFile[]): Promise<SiteFile[]> {
  const rows = await query<{ sha256: string }>(
    db,
    'find-missing-contents',
    `SELECT encode(listed.sha256, 'hex') AS sha256 FROM unnest(?::bytea[]) AS listed (sha256)
      WHERE NOT EXISTS (SELECT FROM site_contents WHERE owner_id = ? AND sha256 = listed.sha256)`,
    [hashesOf(files), ownerId],
  );
  const missing = new Set(rows.map(({ sha256 }) => sha256));
  return files.filter(({ sha256 }) => missing.delete(sha256));
}

/**
 * Stores a content of an owner, which `object` has where it is in the bucket; false when the owner has the content already,
 * so that nothing names the object.
 */
export async function storeContent(
  db: Knex,
  ownerId: number,
  { sha256, content, object }: { sha256: string; content: Buffer; object: NewObject | undefined },
): Promise<boolean> {
  if (object) checkFresh(object);
  const [row] = await query<{ object_id: string | null }>(
    db,
    'store-site-content',
    `INSERT INTO site_contents (owner_id, sha256, bytes, content, object_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (owner_id, sha256) DO UPDATE SET checked_at = clock_timestamp()
     RETURNING object_id`,
    [ownerId, Buffer.from(sha256, 'hex'), content.length, object ? null : content, object?.id ?? null],
  );
  return row?.object_id === (object?.id ?? null);
}

/**
 * Locks the contents of these files until the transaction ends, so that none is removed. Returns whether the owner has them
 * all.
 */
export async function lockContents(transaction: Knex, ownerId: number, files: readonly SiteFile[]): Promise<boolean> {
  const hashes = hashesOf(files);
  const found = await execute(
    transaction,
    'lock-site-contents',
    'SELECT FROM site_contents WHERE owner_id = ? AND sha256 = ANY (?::bytea[]) FOR KEY SHARE',
    [ownerId, hashes],
  );
  return found === hashes.length;
}

/**
 * In SQL, an UPDATE that lets the next clean-up look at contents. `named`: SELECTs their `owner_id` and `files`. The rows are
 * locked in order, so that there is no deadlock.
 */
export const releasing = (named: string): string => `
  UPDATE site_contents SET checked_at = '-infinity'
    FROM (
      SELECT owner_id, sha256 FROM site_contents
       WHERE (owner_id, sha256) IN (
         SELECT owner_id, decode(file ->> 'sha256', 'hex')
           FROM (${named}) AS named CROSS JOIN LATERAL jsonb_array_elements(files) AS file)
       ORDER BY owner_id, sha256 FOR NO KEY UPDATE
    ) AS released
   WHERE site_contents.owner_id = released.owner_id AND site_contents.sha256 = released.sha256`;

/** Contents that were stored and are not used are removed by the next clean-up. */
export const releaseContents = (db: Knex, ownerId: number, files: readonly SiteFile[]): Promise<unknown> =>
  execute(
    db,
    'release-site-contents',
    releasing('SELECT CAST(:ownerId AS bigint) AS owner_id, CAST(:files AS jsonb) AS files'),
    { ownerId, files: JSON.stringify(files) },
  );

/** Lets the next clean-up remove the contents of a deployment whose purge begins. */
export const releaseContentsOf = (transaction: Knex, deploymentId: string): Promise<unknown> =>
  execute(
    transaction,
    'release-deployment-contents',
    releasing(`
      SELECT owner_id, files FROM deployments
       CROSS JOIN LATERAL (
         SELECT files FROM pages WHERE deployment_id = id UNION ALL SELECT files FROM page_versions WHERE deployment_id = id
       ) AS versions
       WHERE id = :deploymentId AND files IS NOT NULL`),
    { deploymentId },
  );

/** In SQL, whether a version that can be live again needs the content `due`. */
const IS_NEEDED = ['pages', 'page_versions']
  .map(
    (table) => `EXISTS (
      SELECT FROM ${table} JOIN deployments ON deployments.id = deployment_id
       WHERE files @> jsonb_build_array(jsonb_build_object('sha256', encode(due.sha256, 'hex'))) AND files IS NOT NULL
         AND deployments.owner_id = due.owner_id AND NOT purging)`,
  )
  .join(' OR ');

/** Removes contents that no version needs, of those that were not looked at for a day; how many it has looked at. */
export const cleanContents = (db: Knex): Promise<number> =>
  db.transaction(async (transaction) => {
    const due = await query<{ owner_id: number; sha256: Buffer }>(
      transaction,
      'lock-due-contents',
      `SELECT owner_id, sha256 FROM site_contents WHERE checked_at < now() - interval '24 hours'
        ORDER BY checked_at LIMIT ${CLEANED_CONTENTS} FOR UPDATE SKIP LOCKED`,
    );
    if (due.length === 0) return 0;
    // In a statement of its own, which sees what was committed before the contents were locked.
    await execute(
      transaction,
      'clean-contents',
      `WITH due AS MATERIALIZED (
         SELECT owner_id, sha256, ${IS_NEEDED} AS is_needed
           FROM unnest(?::bigint[], ?::bytea[]) AS due (owner_id, sha256)
       ), removed AS (
         DELETE FROM site_contents USING due
          WHERE site_contents.owner_id = due.owner_id AND site_contents.sha256 = due.sha256 AND NOT is_needed
       )
       UPDATE site_contents SET checked_at = clock_timestamp()
         FROM due WHERE site_contents.owner_id = due.owner_id AND site_contents.sha256 = due.sha256 AND is_needed`,
      [due.map((one) => one.owner_id), due.map(({ sha256 }) => sha256)],
    );
    return due.length;
  });
