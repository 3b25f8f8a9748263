import { distance } from 'fastest-levenshtein';

/** Names up to this length are near many others: of `HOST` and `HOME`, or `PORT` and `SORT`, both are right. */
const SHORT_CHARS = 5;
const MEDIUM_CHARS = 7;

const lettersOf = (name: string): string => Array.from(name).sort().join('');

/**
 * Returns whether a name is `meant` with a typing error: two letters that changed places, or one or two that are wrong,
 * missing or too many. Short names have to have the same letters.
 */
export function isMisspelt(name: string, meant: string): boolean {
  // The names of an environment are not bounded, and the distance takes time by both lengths.
  if (name === meant || Math.abs(name.length - meant.length) > 2) return false;
  const mistakes = distance(name, meant);
  if (mistakes === 2 && lettersOf(name) === lettersOf(meant)) return true;
  if (meant.length <= SHORT_CHARS) return false;
  return mistakes <= (meant.length <= MEDIUM_CHARS ? 1 : 2);
}
