import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import { FINISHED_PAGES, isPageName, makePage } from '../../src/finished-pages/finished-pages.ts';
import { LANGUAGES } from '../../src/lib/languages.ts';
import { PROJECT } from './process.ts';

/** A page that somebody has written, with where it is from. */
type RealPage = { name: string; html: string };

const MAX_PAGE_CHARS = 200_000;

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');
const FINISHED = 'src/finished-pages';

/** Finished pages in all languages. */
function finishedPages(): RealPage[] {
  const frame = read(`${FINISHED}/frame.html`);
  return Object.keys(FINISHED_PAGES)
    .filter(isPageName)
    .flatMap((name) => {
      const contents = read(`${FINISHED}/contents/${name}.html`);
      return LANGUAGES.flatMap((language) => {
        const [path = ''] = globSync(`${FINISHED}/texts/${language}.json`, { cwd: PROJECT });
        if (path === '') return [];
        const html = makePage(name, language, { frame, contents, texts: JSON.parse(read(path)) });
        return [{ name: `${name} in ${language}`, html }];
      });
    });
}

const htmlFiles = (pattern: string): RealPage[] =>
  globSync(pattern, { cwd: PROJECT })
    .toSorted()
    .map((name) => ({ name, html: read(name) }));

/** The guides of packages, as HTML: people have written tables, images and HTML in them. */
const guides = (): RealPage[] =>
  globSync('node_modules/*/{README,readme}.md', { cwd: PROJECT })
    .toSorted()
    .map((name) => ({ name, html: marked.parse(read(name).slice(0, MAX_PAGE_CHARS), { async: false }) }));

/** So many real pages, always the same ones. */
export function realPages(count: number): RealPage[] {
  const pages = [
    ...[...htmlFiles('test/pages/*.html'), ...htmlFiles('src/dashboard/**/*.html')],
    ...[...finishedPages(), ...htmlFiles('node_modules/**/*.html'), ...guides()],
  ];
  return pages.filter(({ html }) => html.length <= MAX_PAGE_CHARS).slice(0, count);
}
