import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FINISHED_PAGES, isPageName, makePage, type PageTexts } from '../src/finished-pages/finished-pages.ts';
import { LANGUAGES } from '../src/lib/languages.ts';

/* `npm run finished-pages -- FOLDER`: writes every finished page in every language, as `contact.de.html`. */

const SOURCES = fileURLToPath(new URL('../src/finished-pages/', import.meta.url));

const read = (file: string): Promise<string> => readFile(join(SOURCES, file), 'utf8');

/** All pages in all languages: `name` is that of the file. */
export async function allFinishedPages() {
  const frame = await read('frame.html');
  const pages = Object.keys(FINISHED_PAGES).filter(isPageName);
  const made = LANGUAGES.map(async (language) => {
    const texts: PageTexts = JSON.parse(await read(`texts/${language}.json`));
    return pages.map(async (page) => {
      const contents = await read(`contents/${page}.html`);
      return {
        page,
        language,
        name: `${page}.${language}.html`,
        html: makePage(page, language, { frame, contents, texts }),
      };
    });
  });
  return Promise.all((await Promise.all(made)).flat());
}

if (import.meta.main) {
  const folder = process.argv[2] ?? 'finished-pages';
  await mkdir(folder, { recursive: true });
  for (const { name, html } of await allFinishedPages()) await writeFile(join(folder, name), html);
}
