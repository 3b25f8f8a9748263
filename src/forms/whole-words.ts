/**
 * Marks in a row. Composing sorts them in quadratic time: those of one submission could take a process ten seconds. So a
 * joiner, which marks are not moved across, divides long rows (Unicode Standard Annex 15, Stream-Safe Text Process).
 */
const LONG_ROW = /\p{M}{30}/gu;
const JOINER = '\u034f';

/** Combining characters are among these. Without them, nothing is to be composed. */
const MAY_COMBINE = /[\u0300-\ufffe]/;

/** Composes characters, because the names of files from macOS are not composed, and look the same. */
const compose = (text: string): string =>
  MAY_COMBINE.test(text) ? text.replaceAll(LONG_ROW, `$&${JOINER}`).normalize('NFC') : text;

/** Unicode's lower case, with one small sigma: which one a word has depends on what follows. */
export const fold = (text: string): string => compose(text).toLowerCase().replaceAll('ς', 'σ');

/** White space that is not one space: JavaScript's, and the next line of Unicode. */
const OTHER_SPACE = /[\s\u0085]{2,}|[^\S ]|\u0085/g;

/** A text with a space in place of each row of white space: people can't tell these apart. */
export const withPlainSpaces = (text: string): string => text.replaceAll(OTHER_SPACE, ' ');

/** A part of what a person sees of a submission, folded. `isFirst`, `isLast`: of a text that has several. */
export type Window = { text: string; isFirst: boolean; isLast: boolean };

/**
 * Characters that join a word to a longer one: letters, digits, marks and `_`. Scripts that put no space between words are excepted: a
 * word in them is found anywhere.
 */
const JOINING =
  '[[\\p{L}\\p{N}\\p{M}_]--[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]]';
const JOINS_BEFORE = new RegExp(`${JOINING}$`, 'v');
const JOINS_AFTER = new RegExp(`^${JOINING}`, 'v');

/** `isBeginning`: words that begin with the text are meant too. */
type Word = { text: string; isBeginning: boolean };

export function toWord(word: string): Word {
  const text = withPlainSpaces(word).trimStart();
  const isBeginning = text.length > 1 && text.endsWith('*');
  return { text: fold(isBeginning ? text.slice(0, -1) : text.trimEnd()), isBeginning };
}

/**
 * Returns whether a word is at a place of a text, and not a part of a longer one. At an end of a window, the next window
 * decides.
 */
export function isWordAt(window: Window, at: number, { text, isBeginning }: Word): boolean {
  const { text: whole, isFirst, isLast } = window;
  const end = at + text.length;
  if ((at === 0 && !isFirst) || (end === whole.length && !isLast)) return false;
  // Two units, because a character may have two.
  if (JOINS_AFTER.test(text) && JOINS_BEFORE.test(whole.slice(Math.max(at - 2, 0), at))) return false;
  return isBeginning || !JOINS_BEFORE.test(text) || !JOINS_AFTER.test(whole.slice(end, end + 2));
}

/** Returns whether a text has a word, as a whole word. */
export function hasWord(text: string, word: string): boolean {
  const wanted = toWord(word);
  if (wanted.text === '') return false;
  const window: Window = { text: fold(withPlainSpaces(text)), isFirst: true, isLast: true };
  for (let at = window.text.indexOf(wanted.text); at !== -1; at = window.text.indexOf(wanted.text, at + 1)) {
    if (isWordAt(window, at, wanted)) return true;
  }
  return false;
}
