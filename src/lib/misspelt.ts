import { distance } from 'fastest-levenshtein';

/** Names up to this length are near many others: of `HOST` and `HOME`, or `PORT` and `SORT`, both are right. */
const SHORT_CHARS = 5;
const MEDIUM_CHARS = 7;

/** More mistakes than these make another name. */
const MAX_MISTAKES = 3;
const MAX_HINTED_CHARS = 40;

/** Returns the known name with the fewest mistakes among those that `isNear` accepts. */
function nearestOf(
  name: string,
  known: readonly string[],
  lettersOf: (name: string) => string,
  isNear: (mistakes: number, known: string) => boolean,
): string | undefined {
  const letters = lettersOf(name);
  const near = known.flatMap((each) => {
    const others = lettersOf(each);
    // Names of an environment have any length, and the distance takes time by both lengths.
    if (Math.abs(letters.length - others.length) > MAX_MISTAKES) return [];
    const mistakes = distance(letters, others);
    return isNear(mistakes, each) ? [{ each, mistakes }] : [];
  });
  return near.toSorted((one, other) => one.mistakes - other.mistakes)[0]?.each;
}

const sorted = (name: string): string => Array.from(name).sort().join('');

/**
 * Returns the known name that another one is with a typing error: two letters that changed places, or one or two that are
 * wrong, missing or too many. Short names have to have the same letters. It is for names that are refused, so it guesses little.
 */
export const misspeltName = (name: string, known: readonly string[]): string | undefined =>
  nearestOf(
    name,
    known,
    (each) => each,
    (mistakes, meant) => {
      if (mistakes === 2 && sorted(name) === sorted(meant)) return true;
      if (mistakes === 0 || meant.length <= SHORT_CHARS) return false;
      return mistakes <= (meant.length <= MEDIUM_CHARS ? 1 : 2);
    },
  );

const hintedLetters = (name: string): string =>
  name
    .slice(0, MAX_HINTED_CHARS)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

/**
 * Returns the known name that a caller probably meant: half of its letters may be wrong, at most three. Two that changed places
 * count as two; case and punctuation do not count. It is for hints, so it guesses much.
 */
export const hintedName = (name: string, known: readonly string[]): string | undefined =>
  nearestOf(name, known, hintedLetters, (mistakes, meant) => mistakes <= Math.min(meant.length / 2, MAX_MISTAKES));
