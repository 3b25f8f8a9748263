import type { Typed } from '../../setting-fields.ts';
import { instantAt, zoneOfOwner } from '../../settings/local-time.ts';
import { counted, numbers, timeZone as ownZone } from '../../ui/time.tsx';

/*
 * The state of each section of the settings in one line.
 */

const linesIn = (text = ''): number => text.split('\n').filter((line) => line.trim() !== '').length;

/** The instant of a typed time, or undefined where there is none. */
export const timeIn = (typed: Typed, name: string): Date | undefined => instantAt(typed[name] ?? '', zoneOfOwner());

/** A time of a page as people say it: `Fri, 4 Dec, 17:00`; in another year with that, and with the zone where it is not the browser's. */
function inWords(at: Date): string {
  const timeZone = zoneOfOwner();
  const yearOf = (time: Date): string => time.toLocaleString('en', { timeZone, year: 'numeric' });
  const year = yearOf(at) === yearOf(new Date()) ? undefined : 'numeric';
  const shown = at.toLocaleString(undefined, {
    ...{ timeZone, year, weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit' },
  });
  return timeZone === ownZone ? shown : `${shown} (${timeZone})`;
}

function thanks({ redirect_url: url = '', thanks_message: message = '' }: Typed): string {
  if (url !== '') return `Leads to ${URL.parse(url)?.host ?? url}`;
  return message === '' ? 'Thanks with our text' : 'Thanks in your own words';
}

const mail = (typed: Typed, fieldLabel: string): string =>
  typed['confirmation.field'] === '' ? 'No mail to visitors' : `To the address in “${fieldLabel}”`;

/** Whether the form is open at a time, by the clock alone. */
export function openingAt(typed: Typed, now: Date): 'open' | 'not-open' | 'closed' {
  const [opens, closes] = [timeIn(typed, 'opens_at'), timeIn(typed, 'closes_at')];
  if (closes && closes <= now) return 'closed';
  return opens && opens > now ? 'not-open' : 'open';
}

function opening(typed: Typed): string {
  const [opens, closes] = [timeIn(typed, 'opens_at'), timeIn(typed, 'closes_at')];
  const state = openingAt(typed, new Date());
  if (state === 'closed' && closes) return `Closed since ${inWords(closes)}`;
  if (state === 'not-open' && opens) return `Opens ${inWords(opens)}`;
  return closes ? `Open until ${inWords(closes)}` : 'Always open';
}

function places({ max_submissions: max = '', submissions_per_minute: rate = '' }: Typed, taken: number): string {
  const places = Number(max);
  const perMinute = rate === '' ? '' : `, ${rate} a minute`;
  if (max === '' || Number.isNaN(places)) return `No limit${perMinute}`;
  const state =
    taken >= places
      ? `Full: ${numbers.format(taken)} of ${numbers.format(places)}`
      : `${counted(places, 'place')}, ${numbers.format(taken)} taken`;
  return state + perMinute;
}

function senders({ allowed_origins: origins }: Typed): string {
  const sites = linesIn(origins);
  return sites === 0 ? 'Forms of any site' : `This page and ${counted(sites, 'site')}`;
}

const CAPTCHAS: Readonly<Record<string, string>> = {
  '': 'No captcha',
  altcha: 'ALTCHA',
  turnstile: 'Turnstile',
  hcaptcha: 'hCaptcha',
  recaptcha: 'reCAPTCHA',
};

function spam(typed: Typed): string {
  const words = linesIn(typed['spam.blocklist']);
  const captcha = CAPTCHAS[typed['spam.captcha.provider'] ?? ''];
  return words === 0 ? `${captcha}` : `${captcha}, ${counted(words, 'blocked word')}`;
}

function deletion(typed: Typed): string {
  const { retention_days: days = '' } = typed;
  const expires = timeIn(typed, 'expires_at');
  const kept = days === '' ? 'Submissions are kept' : `Submissions are deleted after ${counted(Number(days), 'day')}`;
  return expires ? `Offline from ${inWords(expires)}. ${kept}` : kept;
}

export const STATES = { thanks, mail, opening, places, senders, spam, deletion };
