import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { type ChosenFile, INDEX, previewSite, readFile } from '../../sites.ts';
import type { SiteDrafts } from './site-drafts.ts';

const { filesAtOnce } = DASHBOARD_LIMITS.editor;

/** Makes a preview of a site in which some files have other texts, by their paths. Returns its address. */
export async function previewWith(id: string, changed: ReadonlyMap<string, string>): Promise<string> {
  const params = { path: { id } };
  if (changed.size === 1 && changed.has(INDEX)) {
    const query = { preview: '1' as const };
    const body = { html: changed.get(INDEX) ?? '' };
    return (await answer(api.PUT('/deploy/{id}', { params: { ...params, query }, body }))).preview_url ?? '';
  }
  const { files } = await answer(api.GET('/deploy/{id}/files', { params }));
  const read: ChosenFile[] = [];
  // The preview of a site has all of its files.
  for (let at = 0; at < files.length; at += filesAtOnce) {
    const some = files.slice(at, at + filesAtOnce).map(async ({ path }) => {
      const content = changed.get(path) ?? (await readFile(id, path));
      return { path, file: new File([content], path) };
    });
    read.push(...(await Promise.all(some)));
  }
  const index = read.find(({ path }) => path === INDEX)?.file ?? new File([], INDEX);
  return previewSite(id, { index, others: read.filter(({ path }) => path !== INDEX) });
}

/** The texts that are not published, by their paths: of the file that is edited, and of the others. */
export function changedTexts(path: string, text: string, drafts: SiteDrafts | undefined): ReadonlyMap<string, string> {
  const others = drafts?.drafted.map((each) => [each, drafts.texts.get(each)?.text ?? ''] as const) ?? [];
  return new Map([...others, [path, text]]);
}
