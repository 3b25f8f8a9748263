import type { Schemas } from '../client/client.ts';
import { isPageName, type PageName } from '../finished-pages/finished-pages.ts';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { type Language, toLanguage } from '../lib/languages.ts';
import { answer, api } from './api.ts';
import { keptDrafts } from './data.ts';

/*
 * Drafts of pages that were never published, by their names: one of each finished page in each language, and one of other HTML.
 */

/** The name of the draft of other HTML. */
export const NEW_DRAFT = 'new';

/** Returns the name of the draft that begins with a finished page. */
export const draftNameOf = (page: PageName, language: Language): string => `${page}.${language}`;

/** Returns the finished page that a draft began with, if it did. */
export function startOf(draft: string): { start: PageName; language: Language } | undefined {
  const [start, code, ...rest] = draft.split('.');
  const language = toLanguage(code);
  return isPageName(start) && language && rest.length === 0 ? { start, language } : undefined;
}

/** Returns the address of the view that goes on with a draft. */
export function newPageLink(draft: string): string {
  if (draft === NEW_DRAFT) return VIEW_PATHS.newPage;
  return `${VIEW_PATHS.newPage}?${new URLSearchParams(startOf(draft) ?? { draft })}`;
}

/** A draft in a list. `updatedAt`: left out where this tab alone has it. */
export type ListedDraft = Pick<Schemas['ListedNewPageDraft'], 'name' | 'title'> & { updatedAt?: string };

/** How the name of a kept text begins that is HTML. */
const HTML = 'html:';
/** Returns whether a draft of this name is one of a new page. No id of a page is such a name, and no file of one. */
export const isNewPageName = (name: string): boolean => /^[a-z0-9][a-z0-9.-]*$/.test(name);

/** Returns the names of the drafts that this tab has and the account perhaps not yet. */
export const keptNames = (): string[] =>
  keptDrafts().flatMap((kept) => (kept.startsWith(HTML) ? [kept.slice(HTML.length)] : []));

/** Reads the drafts of the account, and those that this tab alone has. */
export async function readNewPageDrafts(signal: AbortSignal): Promise<readonly ListedDraft[]> {
  const { drafts } = await answer(api.GET('/drafts', { signal }));
  const stored = drafts.map(({ name, title, updated_at: updatedAt }) => ({ name, title, updatedAt }));
  const unsent = keptNames().filter((name) => isNewPageName(name) && !stored.some((draft) => draft.name === name));
  return [...unsent.map((name) => ({ name, title: null })), ...stored];
}
