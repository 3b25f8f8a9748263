import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../limits.ts';

/*
 * Whether a submission has a text, as a person sees it: in the names and values of its fields and the names of its
 * files, with escapes decoded, whatever the case; never in JSON's own syntax.
 */

/** Objects that the service has made for files: people see their names. */
const FILE =
  /\{"filename":("[^"\\]*(?:\\.[^"\\]*)*"),"content_type":"[^"\\]*(?:\\.[^"\\]*)*","size":\d+,"url":"\/submissions\/[^"]*\/files\/file_[0-9A-Za-z]+"\}/g;
/** A text, or JSON's own syntax between numbers, literals and texts. */
const TEXT_OR_SYNTAX = /"([^"\\]*(?:\\.[^"\\]*)*)"|[\s[\]{}:,]+/g;
/** Stands between texts. Unicode has no such character. */
const BETWEEN = '\uffff';

/**
 * Marks in a row. Composing sorts them in quadratic time: those of one submission could take a process ten seconds. So a
 * joiner, which marks are not moved across, divides long rows (Unicode Standard Annex 15, Stream-Safe Text Process).
 */
const LONG_ROW = /\p{M}{30}/gu;
const JOINER = '\u034f';

/**
 * Unicode's lower case, with one small sigma: which one a word has depends on what follows. Characters are composed,
 * because the names of files from macOS are not, and look the same.
 */
const fold = (text: string): string =>
  text.replaceAll(LONG_ROW, `$&${JOINER}`).normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

/**
 * The texts of a submission that a person sees, given its JSON text, with BETWEEN around them. All texts are decoded at
 * once, because a submission may have a hundred thousand of them.
 */
function seenText(data: string): string {
  const texts = data.replaceAll(FILE, '$1').replaceAll(TEXT_OR_SYNTAX, `$1${BETWEEN}`);
  return fold(texts.includes('\\') ? String(JSON.parse(`"${texts}"`)) : texts);
}

/** Returns whether the JSON text of a submission has `q`. */
export function createMatcher(q: string): (data: string) => boolean {
  const needle = fold(q);
  return (data) => {
    // Most submissions are decided here.
    const mayHave = data.includes('\\') || fold(data).includes(needle);
    return mayHave && seenText(data).includes(needle);
  };
}

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

function toWord(word: string): Word {
  const isBeginning = word.length > 1 && word.endsWith('*');
  return { text: fold(isBeginning ? word.slice(0, -1) : word), isBeginning };
}

/** Whether a word is at a place of a text, and not a part of a longer one. */
function isWordAt(whole: string, at: number, { text, isBeginning }: Word): boolean {
  const end = at + text.length;
  // Two units, because a character may have two.
  if (JOINS_AFTER.test(text) && JOINS_BEFORE.test(whole.slice(Math.max(at - 2, 0), at))) return false;
  return isBeginning || !JOINS_BEFORE.test(text) || !JOINS_AFTER.test(whole.slice(end, end + 2));
}

/**
 * Returns whether the JSON text of a submission has one of these words, as a whole word. A word that ends in `*` also
 * stands for all that begin with it. A large submission may take a hundred milliseconds of work, with pauses.
 */
export function createWordMatcher(words: readonly string[], limits: Limits): (data: string) => Promise<boolean> {
  const wanted = [...new Set(words)].map(toWord);

  return async (data) => {
    const whole = seenText(data);
    let since = performance.now();
    let looks = 0;
    const takeTurns = async (): Promise<void> => {
      if (performance.now() - since < limits.spam.blocklistTurnMs) return;
      await delay(limits.spam.blocklistPauseMs);
      since = performance.now();
    };
    for (const word of wanted) {
      for (let at = whole.indexOf(word.text); at !== -1; at = whole.indexOf(word.text, at + 1)) {
        if (isWordAt(whole, at, word)) return true;
        looks += 1;
        if (looks % 1_000 === 0) await takeTurns();
      }
      await takeTurns();
    }
    return false;
  };
}
