import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { LANGUAGES, type Language, toLanguage } from '../../lib/languages.ts';
import { SIZES } from '../../sizes.ts';
import { fill } from '../../texts/fill.ts';
import { TEXTS, type Texts } from '../../texts/texts.ts';
import type { HttpError } from './errors.ts';

/** A language with its texts, and with times and sizes in it. */
export type Translations = Texts & {
  language: Language;
  /** Such as `in 40 seconds`; from a minute on in minutes, rounded up. */
  time(seconds: number): string;
  /** Such as `10 MB`, rounded down; smaller sizes in kilobytes or bytes. */
  size(bytes: number): string;
  number(value: number): string;
  /** A day and a time in a time zone, such as `March 1, 2027 at 9:00 AM`. */
  dateTime(date: Date, timeZone: string): string;
  /** Such as `one, two and three`. */
  list(items: readonly string[]): string;
};

const KIB = 1024;
const MINUTE_SECONDS = 60;

function translationsIn(language: Language): Translations {
  const times = new Intl.RelativeTimeFormat(language);
  const numbers = new Intl.NumberFormat(language);
  const lists = new Intl.ListFormat(language);
  const sizes = (unit: string, unitDisplay: 'short' | 'long' = 'short'): Intl.NumberFormat =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay,
      maximumFractionDigits: 1,
      roundingMode: 'floor',
    });
  const bytes = sizes('byte', 'long');
  const kilobytes = sizes('kilobyte');
  const megabytes = sizes('megabyte');
  return {
    ...TEXTS[language],
    language,
    time: (seconds) =>
      seconds < MINUTE_SECONDS
        ? times.format(seconds, 'second')
        : times.format(Math.ceil(seconds / MINUTE_SECONDS), 'minute'),
    size(count) {
      if (count < KIB) return bytes.format(count);
      return count < KIB * KIB ? kilobytes.format(count / KIB) : megabytes.format(count / (KIB * KIB));
    },
    number: (value) => numbers.format(value),
    dateTime: (date, timeZone) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(date),
    list: (items) => lists.format(items),
  };
}

/** A sentence that says when to try again, from an error's Retry-After. */
export function whenToTryAgain({ headers }: HttpError, translations: Translations): string {
  const { tryAgainSoon, tryAgain, time } = translations;
  const seconds = headers['Retry-After'];
  return seconds === undefined ? tryAgainSoon : fill(tryAgain, { time: time(Number(seconds)) });
}

/** The first language that Accept-Language wants (RFC 9110, 12.5.4) and that there is. */
function acceptedOf({ 'accept-language': header = '' }: IncomingHttpHeaders): Language | undefined {
  if (header === '' || header.length > SIZES.internalHeaders.acceptChars) return undefined;
  const [best] = new Negotiator({ headers: { 'accept-language': header } }).languages([...LANGUAGES]);
  return toLanguage(best);
}

/** The languages that a deployment and its page name; undefined when they are not known. */
type PageLanguage = { language: string | null; lang: string | undefined } | undefined;

/** Made once for each language: a formatter of Intl takes longer than a page. */
const made = new Map<Language, Translations>();

/**
 * The translations for a visitor: in the language of the deployment, else that of its page, else one that the browser accepts,
 * else English.
 */
export function translationsFor(headers: IncomingHttpHeaders, page?: PageLanguage): Translations {
  const language = toLanguage(page?.language) ?? toLanguage(page?.lang) ?? acceptedOf(headers) ?? 'en';
  const translations = made.get(language) ?? translationsIn(language);
  made.set(language, translations);
  return translations;
}
