import type { Typed } from '../../setting-fields.ts';
import { instantAt, zoneOfOwner } from '../../settings/local-time.ts';
import { counted, fill, locale, t } from '../../texts/chosen-texts.ts';
import { timeZone as ownZone } from '../../ui/time.tsx';

/*
 * The state of each section of the settings in one line.
 */

const texts = t.settings.states;

const linesIn = (text = ''): number => text.split('\n').filter((line) => line.trim() !== '').length;

/** The instant of a typed time, or undefined where there is none. */
export const timeIn = (typed: Typed, name: string): Date | undefined => instantAt(typed[name] ?? '', zoneOfOwner());

/** A time of a page as people say it: `Fri, 4 Dec, 17:00`; in another year with that, and with the zone where it is not the browser's. */
function inWords(at: Date): string {
  const timeZone = zoneOfOwner();
  const yearOf = (time: Date): string => time.toLocaleString('en', { timeZone, year: 'numeric' });
  const year = yearOf(at) === yearOf(new Date()) ? undefined : 'numeric';
  const shown = at.toLocaleString(locale, {
    ...{ timeZone, year, weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit' },
  });
  return timeZone === ownZone ? shown : fill(texts.timeInZone, { time: shown, zone: timeZone });
}

function thanks({ redirect_url: url = '', thanks_message: message = '' }: Typed): string {
  if (url !== '') return fill(texts.leadsTo, { where: URL.parse(url)?.host ?? url });
  return message === '' ? texts.ourThanks : texts.ownThanks;
}

const mail = (typed: Typed, fieldLabel: string): string =>
  typed['confirmation.field'] === '' ? texts.noMail : fill(texts.mailTo, { field: fieldLabel });

/** Whether the form is open at a time, by the clock alone. */
export function openingAt(typed: Typed, now: Date): 'open' | 'not-open' | 'closed' {
  const [opens, closes] = [timeIn(typed, 'opens_at'), timeIn(typed, 'closes_at')];
  if (closes && closes <= now) return 'closed';
  return opens && opens > now ? 'not-open' : 'open';
}

function opening(typed: Typed): string {
  const [opens, closes] = [timeIn(typed, 'opens_at'), timeIn(typed, 'closes_at')];
  const state = openingAt(typed, new Date());
  if (state === 'closed' && closes) return fill(texts.closedSince, { time: inWords(closes) });
  if (state === 'not-open' && opens) return fill(texts.opens, { time: inWords(opens) });
  return closes ? fill(texts.openUntil, { time: inWords(closes) }) : texts.alwaysOpen;
}

function takenOf(max: string, taken: number): string {
  const places = Number(max);
  if (max === '' || Number.isNaN(places)) return texts.noLimit;
  return taken >= places ? fill(texts.full, { taken, places }) : counted(texts.taken, places, { taken });
}

function places({ max_submissions: max = '', submissions_per_minute: rate = '' }: Typed, taken: number): string {
  const state = takenOf(max, taken);
  return rate === '' ? state : fill(texts.perMinute, { state, rate });
}

function senders({ allowed_origins: origins }: Typed): string {
  const sites = linesIn(origins);
  return sites === 0 ? texts.anySite : counted(texts.sites, sites);
}

const CAPTCHAS: Readonly<Record<string, string>> = {
  '': texts.noCaptcha,
  altcha: 'ALTCHA',
  turnstile: 'Turnstile',
  hcaptcha: 'hCaptcha',
  recaptcha: 'reCAPTCHA',
};

function spam(typed: Typed): string {
  const words = linesIn(typed['spam.blocklist']);
  const captcha = CAPTCHAS[typed['spam.captcha.provider'] ?? ''] ?? '';
  return words === 0 ? captcha : counted(texts.blockedWords, words, { captcha });
}

function deletion(typed: Typed): string {
  const { retention_days: days = '' } = typed;
  const expires = timeIn(typed, 'expires_at');
  const kept = days === '' ? texts.kept : counted(texts.deletedAfter, Number(days));
  return expires ? fill(texts.offlineFrom, { time: inWords(expires), kept }) : kept;
}

export const STATES = { thanks, mail, opening, places, senders, spam, deletion };
