import type { IncomingHttpHeaders } from 'node:http';
import { LANGUAGE_COOKIE } from '../../lib/dashboard-paths.ts';
import { type Translations, translationsFor } from '../response/translations.ts';
import { cookiesNamed } from './session-cookie.ts';

/** The language that somebody has chosen in this browser, which the dashboard keeps in a cookie. */
function chosenLanguage(headers: IncomingHttpHeaders): string | null {
  const [pair] = cookiesNamed(LANGUAGE_COOKIE, headers);
  return pair?.slice(LANGUAGE_COOKIE.length + 1) ?? null;
}

/** The translations for a person who uses the dashboard: in the language that was chosen there, else one that the browser accepts. */
export const translationsOfPerson = (headers: IncomingHttpHeaders): Translations =>
  translationsFor(headers, { language: chosenLanguage(headers), lang: undefined });
