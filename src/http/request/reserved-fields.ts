/*
 * Fields of a form that mean something to the service.
 */

/** The honeypot: people don't see it, robots fill it in. */
export const HONEYPOT = '_hp';
/** Where a visitor is sent after a submission. */
export const REDIRECT = '_redirect';

/** Whether a JSON text, known to be valid, is null, `""` or a list of only those. */
export function isEmptyJson(text: string): boolean {
  if (!text.startsWith('[')) return text === 'null' || text === '""';
  let at = 1;
  while (at < text.length - 1) {
    if (text.startsWith('null', at)) at += 4;
    else if (text.startsWith('""', at)) at += 2;
    else if (' ,\n\r\t'.includes(text.charAt(at))) at += 1;
    else return false;
  }
  return true;
}
