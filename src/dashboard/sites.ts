import { isIgnoredPath } from '../sites/ignored-names.ts';
import { answer, api } from './api.ts';
import { HtmlFiles, isHtml } from './html-files.ts';
import { fill, t } from './texts/chosen-texts.ts';
import { say } from './ui/say.tsx';

/** A file that was chosen or dropped, with its path. */
export type ChosenFile = { path: string; file: File };

/** A site that can be sent: a zip as it is, or files, of which index.html is the page itself. */
export type Site = { zip: File } | { index: File; others: readonly ChosenFile[] };

/** The page itself. */
export const INDEX = 'index.html';

/** The files of an input; those of a folder have a path. */
export const inputFiles = (input: HTMLInputElement): ChosenFile[] =>
  [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

// Chromium has no classes to compare an entry with.
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** The files of a dropped file or folder. */
async function entryFiles(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const files: ChosenFile[] = [];
  if (!isFolder(entry)) return files;
  const reader = entry.createReader();
  // A browser lists a hundred at a time.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const each of entries) files.push(...(await entryFiles(each)));
  }
}

/** The files that were dropped, with those in folders. */
export async function droppedFiles({ items }: DataTransfer): Promise<ChosenFile[]> {
  // The items are empty once the event is over.
  const dropped = [...items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const files: ChosenFile[] = [];
  for (const each of dropped) {
    if (each instanceof File) files.push({ path: each.name, file: each });
    else if (each) files.push(...(await entryFiles(each)));
  }
  return files;
}

/** Windows calls its type so. */
const isZip = ({ name, type }: File): boolean => /\.zip$/i.test(name) || type === 'application/x-zip-compressed';

/**
 * The site that was chosen; throws where it has no index.html. A single HTML file is the page, whatever its name. The one folder
 * that contains everything is cut off.
 */
export function siteOf(chosen: readonly ChosenFile[]): Site {
  const files = chosen.filter(({ path }) => !isIgnoredPath(path, 1));
  const [first] = files;
  if (files.length === 1 && first && isZip(first.file)) return { zip: first.file };
  if (files.length === 1 && first && /\.html?$/i.test(first.path)) return { index: first.file, others: [] };
  const top = first?.path.split('/', 1)[0] ?? '';
  const cut = files.every(({ path }) => path.startsWith(`${top}/`)) ? top.length + 1 : 0;
  const inside = files
    .map(({ path, file }) => ({ path: path.slice(cut), file }))
    .filter(({ path }) => !isIgnoredPath(path));
  const index = inside.find(({ path }) => path === INDEX)?.file;
  if (!index) throw new Error(fill(t.page.files.noIndex, { index: INDEX }));
  return { index, others: inside.filter(({ path }) => path !== INDEX) };
}

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    // A data URL: the base64 follows the comma.
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => reject(new Error(fill(t.page.files.notRead, { name: file.name })));
    reader.readAsDataURL(file);
  });

type SiteBody = { html: string; files: Record<string, string | { content: string; encoding: 'base64' }> };

/** The JSON of sites that are no zips: each is made once, to be checked and published. */
const bodies = new WeakMap<Site, Promise<SiteBody>>();

function siteBody(site: Exclude<Site, { zip: File }>): Promise<SiteBody> {
  const made = bodies.get(site) ?? makeBody(site);
  bodies.set(site, made);
  return made;
}

async function makeBody({ index, others }: Exclude<Site, { zip: File }>): Promise<SiteBody> {
  const pages = new HtmlFiles();
  const files: SiteBody['files'] = {};
  for (const { path, file } of others) {
    const converted = isHtml(path) ? await pages.convert(file, path) : undefined;
    files[path] = converted ?? { content: await base64Of(file), encoding: 'base64' };
  }
  const html = await pages.read(index, INDEX);
  if (pages.notice !== '') say(pages.notice);
  return { html, files };
}

/** A body that is a file itself. */
const bodyOf = (body: File, type = 'application/octet-stream') => ({ body, headers: { 'Content-Type': type } });

/** Checks the forms of a site, in all of its files, and publishes nothing. */
export async function checkSite(site: Site) {
  return answer(
    'zip' in site
      ? api.POST('/check', bodyOf(site.zip, 'application/zip'))
      : api.POST('/check', { body: await siteBody(site) }),
  );
}

/** Publishes a site as a new page. */
export async function publishSite(site: Site, slug: { slug?: string }, header: { 'Idempotency-Key': string }) {
  return answer(
    'zip' in site
      ? api.POST('/deploy', { params: { header, query: slug }, ...bodyOf(site.zip, 'application/zip') })
      : api.POST('/deploy', { params: { header }, body: { ...(await siteBody(site)), ...slug } }),
  );
}

/** Replaces a page and all of its files. */
export async function replaceSite(id: string, site: Site) {
  const params = { path: { id } };
  return answer(
    'zip' in site
      ? api.PUT('/deploy/{id}', { params, ...bodyOf(site.zip, 'application/zip') })
      : api.PUT('/deploy/{id}', { params, body: await siteBody(site) }),
  );
}

/** Makes files a preview of a page, which stays as it is. Returns its address. */
export async function previewSite(id: string, site: Exclude<Site, { zip: File }>): Promise<string> {
  const params = { path: { id }, query: { preview: '1' as const } };
  return (await answer(api.PUT('/deploy/{id}', { params, body: await siteBody(site) }))).preview_url ?? '';
}

/** Adds or replaces a file of a page by its content. With `wanted`, only one with this ETag is replaced. */
export const putContent = (id: string, path: string, content: Blob, wanted?: string) => {
  const params = { path: { id, path }, ...(wanted !== undefined && { header: { 'If-Match': wanted } }) };
  return answer(api.PUT('/deploy/{id}/files/{path}', { params, ...bodyOf(new File([content], path)) }));
};

/** Adds or replaces a file of a page. `pages`: reads the file where it is a page. */
export async function putFile(id: string, { path, file }: ChosenFile, pages: HtmlFiles) {
  const converted = isHtml(path) ? await pages.convert(file, path) : undefined;
  return putContent(id, path, converted === undefined ? file : new Blob([converted]));
}

/** Reads a file of the live page. */
export const readFile = async (id: string, path: string): Promise<Blob> =>
  answer(api.GET('/deploy/{id}/files/{path}', { params: { path: { id, path } }, parseAs: 'blob' }));

/** Makes a version live again. */
export const restoreVersion = (id: string, version: number) =>
  answer(api.POST('/deploy/{id}/versions/{version}/restore', { params: { path: { id, version: String(version) } } }));
