import { me } from '../session.ts';
import { timeZone } from '../ui/time.tsx';

/*
 * Times that visitors read, in the time zone of the owner: that of the browser until the owner chooses one.
 */

const MINUTE_MS = 60_000;

/** The zone of the times of a page's settings. */
export const zoneOfOwner = (): string => me.value?.time_zone ?? timeZone;

/** Returns a time as `<input type="datetime-local">` has it: Swedish times are written like 2026-01-31 09:00. */
export const toLocalTime = (at: number, zone: string): string =>
  new Date(at).toLocaleString('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).replace(' ', 'T');

/** Returns the instant at which clocks of a zone show a time such as 2026-01-31T09:00; undefined for another text. */
export function instantAt(local: string, zone: string): Date | undefined {
  const asUtc = Date.parse(`${local}Z`);
  // Of the years that `Intl` formats with four digits.
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local) || Number.isNaN(asUtc)) return undefined;
  const aheadAt = (at: number): number =>
    Date.parse(`${toLocalTime(at, zone)}Z`) - Math.floor(at / MINUTE_MS) * MINUTE_MS;
  // The second look is right where the clocks change between the two.
  const near = asUtc - aheadAt(asUtc);
  return new Date(asUtc - aheadAt(near));
}
