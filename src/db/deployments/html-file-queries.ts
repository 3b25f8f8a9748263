import type { Knex } from 'knex';
import { INDEX, isHtmlPath } from '../../sites/site-paths.ts';
import { readPieces } from '../files/file-content-queries.ts';
import { findVersion } from './page-version-queries.ts';
import { findSite, type OpenSiteFile, type SiteFile } from './site-file-queries.ts';

/** HTML of a page, which is read when it is used. `site`: the path of this file and those of all files; undefined: the page has no others. */
export type HtmlFile = { read(): Promise<Buffer>; site: { path: string; files: readonly string[] } | undefined };

/** A page, and its files besides index.html, which are read when they are asked for. */
export type WholePage = {
  html: Buffer;
  files: readonly SiteFile[];
  /** The paths of all files, index.html first; undefined: the page has no other files. */
  paths: readonly string[] | undefined;
  pieces(file: SiteFile): AsyncIterable<Buffer>;
};

/** A live page of this owner. */
export async function findLivePage(
  db: Knex,
  open: OpenSiteFile,
  ownerId: number,
  id: string,
): Promise<WholePage | undefined> {
  const page = await findSite(db, ownerId, id);
  return page && toWhole(page, ownerId, open);
}

/** A version of a page of this owner: of one that is live, or was, or of a preview. */
export async function findWholeVersion(
  db: Knex,
  open: OpenSiteFile,
  ownerId: number,
  { id, version }: { id: string; version: number },
): Promise<WholePage | undefined> {
  const page = await findVersion(db, id, version);
  return page && toWhole({ html: page.html, files: page.files.length > 0 ? page.files : undefined }, ownerId, open);
}

const toWhole = (
  { html, files }: { html: Buffer; files: readonly SiteFile[] | undefined },
  ownerId: number,
  open: OpenSiteFile,
): WholePage => ({
  html,
  files: files ?? [],
  paths: files && [INDEX, ...files.map(({ path }) => path)],
  pieces: (file) => readPieces({ size: file.bytes }, open(ownerId, file)),
});

/** Reads a file as a whole. */
export async function readWhole(page: WholePage, file: SiteFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of page.pieces(file)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The HTML files of a page, index.html first and then by path. */
export function htmlFilesOf(page: WholePage): HtmlFile[] {
  const { html, files, paths } = page;
  const index: HtmlFile = { read: async () => html, site: paths && { path: INDEX, files: paths } };
  const others = files.filter(({ path }) => isHtmlPath(path));
  return [
    index,
    ...others.map((file) => ({
      read: () => readWhole(page, file),
      site: paths && { path: file.path, files: paths },
    })),
  ];
}
