import type { Knex } from 'knex';
import { INDEX, isHtmlPath } from '../../lib/site-paths.ts';
import { readPieces } from '../files/file-content.ts';
import { findSite, type OpenSiteFile } from './site-files.ts';

/** HTML of a page. `site`: the path of this file and those of all files; undefined: the page has no other files. */
export type HtmlFile = { html: Buffer; site: { path: string; files: readonly string[] } | undefined };

/** The HTML files of a live deployment of this owner, index.html first and then by path; none when there is no such deployment. */
export async function* readHtmlFiles(
  db: Knex,
  open: OpenSiteFile,
  ownerId: number,
  id: string,
): AsyncGenerator<HtmlFile> {
  const page = await findSite(db, ownerId, id);
  if (!page) return;
  const files = page.files && [INDEX, ...page.files.map(({ path }) => path)];
  yield { html: page.html, site: files && { path: INDEX, files } };
  for (const file of page.files ?? []) {
    if (!files || !isHtmlPath(file.path)) continue;
    const pieces: Buffer[] = [];
    for await (const piece of readPieces({ size: file.bytes }, open(ownerId, file))) pieces.push(piece);
    yield { html: Buffer.concat(pieces), site: { path: file.path, files } };
  }
}
