import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { INDEX } from '../../sites.ts';
import { draftOf } from '../draft/page-draft.ts';
import { isTextFile, readText } from '../site-file.ts';
import type { SiteDrafts } from './site-drafts.ts';

type File = Schemas['SiteFile'];

const { maxSheets, maxSheetBytes } = DASHBOARD_LIMITS.editor;

const isSheet = ({ content_type: type }: File): boolean => type.startsWith('text/css');

/** The style sheets that are read: of a site with very many, or very long ones, only those that have drafts. */
function sheetsOf(files: readonly File[]): readonly File[] {
  const sheets = files.filter(isSheet);
  const bytes = sheets.reduce((sum, file) => sum + file.bytes, 0);
  return sheets.length > maxSheets || bytes > maxSheetBytes ? [] : sheets;
}

/** Reads the drafts that somebody has of a site's files, besides the one that is edited; undefined for none. `url`: of the page. */
export async function readSiteDrafts(
  { id, url }: { id: string; url: string },
  edited: string,
  signal: AbortSignal,
): Promise<SiteDrafts | undefined> {
  const { files } = await answer(api.GET('/deploy/{id}/files', { params: { path: { id } }, signal }));
  const others = files.filter((file) => file.path !== edited && file.path !== INDEX && isTextFile(file));
  const found = await Promise.all(
    others
      .filter(({ path, draft }) => draft || draftOf(id, path).isInTab)
      .map(async ({ path, content_type: type }) => ({ path, type, draft: await draftOf(id, path).read(signal) })),
  );
  const drafts = found.flatMap(({ path, type, draft }) => (draft ? [[path, { text: draft.html, type }] as const] : []));
  if (drafts.length === 0) return undefined;
  const texts = new Map(drafts);
  const published = sheetsOf(others).filter(({ path }) => !texts.has(path));
  await Promise.all(
    published.map(async ({ path, content_type: type }) => {
      // One that is not UTF-8 stays as it is published.
      const text = await readText(id, path, signal).catch(() => undefined);
      if (text) texts.set(path, { text: text.html, type });
    }),
  );
  return { root: new URL('/', url).href, drafted: drafts.map(([path]) => path), texts };
}
