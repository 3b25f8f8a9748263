import { makePage, type PageName, type PageTexts } from '../../finished-pages/finished-pages.ts';
import type { Language } from '../../lib/languages.ts';
import { t } from '../texts/chosen-texts.ts';

const TEXTS = import.meta.glob<PageTexts>('../../finished-pages/texts/*.json', { import: 'default' });

/** Loads the sources of the pages and one language, and returns what makes a page of them. */
export async function readFinishedPages(language: Language): Promise<(name: PageName) => string> {
  const loadTexts = TEXTS[`../../finished-pages/texts/${language}.json`];
  const [texts, { sourcesOf }] = await Promise.all([loadTexts?.(), import('./finished-page-sources.ts')]);
  if (!texts) throw new Error(t.editor.start.pageNotFound);
  return (name) => makePage(name, language, { ...sourcesOf(name), texts });
}
