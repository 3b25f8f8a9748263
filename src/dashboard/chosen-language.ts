import { LANGUAGE_COOKIE } from '../lib/dashboard-paths.ts';
import { type Language, toLanguage } from '../lib/languages.ts';

/*
 * The language of the dashboard that somebody has chosen in this browser. It is in a cookie, because the service reads it: it
 * answers each view in that language, and without a choice in the one that the browser asks for.
 */

const YEAR_S = 31_536_000;

/** The language that was chosen; undefined: none. */
export function chosenLanguage(): Language | undefined {
  const pairs = document.cookie.split('; ').map((pair) => pair.split('='));
  return toLanguage(pairs.find(([name]) => name === LANGUAGE_COOKIE)?.[1]);
}

/** Keeps a choice, and loads the document again in the language; undefined: in that of the browser. */
export function chooseLanguage(language: Language | undefined): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const seconds = language === undefined ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing over http, and in older browsers.
  document.cookie = `${LANGUAGE_COOKIE}=${language ?? ''}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
  location.reload();
}
