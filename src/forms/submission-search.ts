import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Limits } from '../limits.ts';
import { fold, isWordAt, toWord, type Window, withPlainSpaces } from './whole-words.ts';

/*
 * Searches a submission for a text as a person sees it: in the names and values of its fields and the names of its files,
 * with escapes decoded, whatever the case. JSON's own syntax is never searched.
 */

/** Objects that the service has made for files: people see their names. */
const FILE =
  /\{"filename":("[^"\\]*(?:\\.[^"\\]*)*"),"content_type":"[^"\\]*(?:\\.[^"\\]*)*","size":\d+,"url":"\/submissions\/[^"]*\/files\/file_[0-9A-Za-z]+"\}/g;
/** A text, a number or a literal of JSON. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"|[^"\s[\]{}:,]+/g;
/** Stands between texts. Unicode has no such character. */
const BETWEEN = '\uffff';
/** UTF-16 units that are looked at without a pause, which takes about a millisecond. */
const WINDOW_CHARS = 8_192;

/** The texts of a submission, given its JSON text, with BETWEEN behind each; several short ones together. */
function* textsOf(data: string): Generator<string> {
  let texts = '';
  for (const [token, text = token] of data.replaceAll(FILE, '$1').matchAll(TOKEN)) {
    texts += text + BETWEEN;
    if (texts.length < WINDOW_CHARS) continue;
    yield texts;
    texts = '';
  }
  yield texts;
}

/**
 * The texts that a person sees of a submission, in windows that overlap by more than `longest` characters. `rewrite`: what to make of
 * each piece of a text, whatever the pieces are.
 */
function* windowsOf(data: string, longest: number, rewrite = (text: string): string => text): Generator<Window> {
  // Decomposed, a character has up to four units. A row of marks is divided after 30.
  const overlap = 4 * longest + 64;
  for (const texts of textsOf(data)) {
    const decoded = texts.includes('\\') ? String(JSON.parse(`"${texts}"`)) : texts;
    let before = '';
    let isFirst = true;
    for (let from = 0; from === 0 || from < decoded.length; from += WINDOW_CHARS) {
      const end = from + WINDOW_CHARS;
      const text = rewrite(before + decoded.slice(from, end));
      yield { text: fold(text), isFirst, isLast: end >= decoded.length };
      before = text.slice(-overlap);
      // A text that is shorter than the overlap, because of its white space, is in the next window from its beginning.
      isFirst &&= text.length <= overlap;
    }
  }
}

/** Gives other work a turn of `pauseMs` when `turnMs` have passed since the last one. */
export class Pauses {
  readonly #turnMs: number;
  readonly #pauseMs: number;
  #since = performance.now();

  constructor(turnMs: number, pauseMs = 0) {
    this.#turnMs = turnMs;
    this.#pauseMs = pauseMs;
  }

  isDue(): boolean {
    return performance.now() - this.#since >= this.#turnMs;
  }

  async take(): Promise<void> {
    await (this.#pauseMs === 0 ? nextTurn() : delay(this.#pauseMs));
    this.#since = performance.now();
  }
}

/** Returns whether the JSON text of a submission has `q`. A large submission is looked at with pauses. */
export function createMatcher(q: string): (data: string, pauses: Pauses) => boolean | Promise<boolean> {
  const needle = fold(q);

  const isIn = ({ text }: Window): boolean => text.includes(needle);
  async function isInLarge(data: string, pauses: Pauses): Promise<boolean> {
    for (const window of windowsOf(data, needle.length)) {
      if (isIn(window)) return true;
      if (pauses.isDue()) await pauses.take();
    }
    return false;
  }

  return (data, pauses) => {
    if (data.length > WINDOW_CHARS) return isInLarge(data, pauses);
    // Most submissions are decided here.
    if (!data.includes('\\') && !fold(data).includes(needle)) return false;
    return Array.from(windowsOf(data, needle.length)).some(isIn);
  };
}

/**
 * Returns whether the JSON text of a submission has one of these words, as a whole word. A word that ends in `*` also
 * stands for all that begin with it. A phrase is found whatever the white space in it. A large submission may take a hundred milliseconds of work, with pauses.
 */
export function createWordMatcher(words: readonly string[], limits: Limits): (data: string) => Promise<boolean> {
  const wanted = [...new Set(words)].map(toWord).filter(({ text }) => text !== '');
  const longest = Math.max(0, ...wanted.map(({ text }) => text.length));

  return async (data) => {
    const pauses = new Pauses(limits.spam.blocklistTurnMs, limits.spam.blocklistPauseMs);
    let looks = 0;
    for (const window of windowsOf(data, longest, withPlainSpaces)) {
      for (const word of wanted) {
        for (let at = window.text.indexOf(word.text); at !== -1; at = window.text.indexOf(word.text, at + 1)) {
          if (isWordAt(window, at, word)) return true;
          looks += 1;
          if (looks % 1_000 === 0 && pauses.isDue()) await pauses.take();
        }
      }
      if (pauses.isDue()) await pauses.take();
    }
    return false;
  };
}
