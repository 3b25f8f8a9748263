/*
 * Whether a submission has a text, as a person sees it: in the names and values of its fields and the names of its
 * files, with escapes decoded, whatever the case; never in JSON's own syntax.
 */

/** Objects that the service has made for files: people see their names. */
const FILE =
  /\{"filename":("[^"\\]*(?:\\.[^"\\]*)*"),"content_type":"[^"\\]*(?:\\.[^"\\]*)*","size":\d+,"url":"\/submissions\/[^"]*\/files\/file_[0-9A-Za-z]+"\}/g;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{}:,]+/g;

/**
 * Unicode's lower case, with one small sigma: which one a word has depends on what follows. Characters are composed,
 * because the names of files from macOS are not, and look the same.
 */
const fold = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

/** Answers whether the JSON text of a submission has `q`. */
export function createMatcher(q: string): (data: string) => boolean {
  const needle = fold(q);
  return (data) => {
    // Most submissions are decided here.
    const mayHave = data.includes('\\') || fold(data).includes(needle);
    if (!mayHave) return false;
    for (const [token] of data.replaceAll(FILE, '$1').matchAll(TOKEN)) {
      const isText = token.startsWith('"');
      const text = isText && token.includes('\\') ? String(JSON.parse(token)) : isText ? token.slice(1, -1) : token;
      if (fold(text).includes(needle)) return true;
    }
    return false;
  };
}
