import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { openContent, type ReadLimits, type ReadObject, type ReadPiece } from '../files/file-content.ts';
import type { FileObject } from '../files/stored-files.ts';
import { query } from '../postgres/query.ts';

/*
 * The files of sites. A version of a page lists their paths (`files` of pages and page_versions); each content is stored once
 * for its owner.
 */

/** A file of a site besides its index.html. `sha256`: hex. */
export type SiteFile = { path: string; sha256: string; bytes: number };

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
