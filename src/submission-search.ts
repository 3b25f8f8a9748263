import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from './limits.ts';

/*
 * Whether a submission has a text, as a person sees it: in the names and values of its fields and the names of its
 * files, with escapes decoded, whatever the case; never in JSON's own syntax.
 */

/** Objects that the service has made for files: people see their names. */
const FILE =
  /\{"filename":("[^"\\]*(?:\\.[^"\\]*)*"),"content_type":"[^"\\]*(?:\\.[^"\\]*)*","size":\d+,"url":"\/submissions\/[^"]*\/files\/file_[0-9A-Za-z]+"\}/g;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{}:,]+/g;

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

/** Answers whether the JSON text of a submission has `q`. */
export function createMatcher(q: string): (data: string) => boolean {
  const needle = fold(q);
  return (data) => {
    // Most submissions are decided here.
    const mayHave = data.includes('\\') || fold(data).includes(needle);
    if (!mayHave) return false;
    for (const text of seenTexts(data)) if (fold(text).includes(needle)) return true;
    return false;
  };
}

/** Each text of a submission that a person sees. */
function* seenTexts(data: string): Generator<string> {
  for (const [token] of data.replaceAll(FILE, '$1').matchAll(TOKEN)) {
    const isText = token.startsWith('"');
    yield isText && token.includes('\\') ? String(JSON.parse(token)) : isText ? token.slice(1, -1) : token;
  }
}

/** Stands between texts: no text that is looked for can have it. */
const BETWEEN = '\0';

/**
 * Answers whether the JSON text of a submission has one of these texts, none of which has a NUL. It uses a
 * fifth of the time: a large submission may take a hundred milliseconds of work.
 */
export function createListMatcher(texts: readonly string[], limits: Limits): (data: string) => Promise<boolean> {
  const needles = [...new Set(texts.map(fold))];

  return async (data) => {
    let since = performance.now();
    const takeTurns = async (): Promise<void> => {
      if (performance.now() - since < limits.spam.blocklistTurnMs) return;
      await delay(limits.spam.blocklistPauseMs);
      since = performance.now();
    };
    const seen: string[] = [];
    for (const text of seenTexts(data)) {
      seen.push(text);
      if (seen.length % 1_000 === 0) await takeTurns();
    }
    const whole = fold(seen.join(BETWEEN));
    for (const needle of needles) {
      if (whole.includes(needle)) return true;
      await takeTurns();
    }
    return false;
  };
}
