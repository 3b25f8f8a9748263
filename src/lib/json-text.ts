/** One member of an object: its decoded name (`"\u005fhp"` is `_hp`), and its value as it is written. */
export type JsonMember = { name: string; value: string };

/**
 * Each object or list in another is one level more; the outermost object is level 1. Members are those of the outermost
 * object.
 */
type JsonLimits = { maxDepth: number; maxMembers: number };

export type JsonProblem = 'not an object' | 'malformed' | 'too deep' | 'too many members';

const NO_LIMITS: JsonLimits = { maxDepth: Number.POSITIVE_INFINITY, maxMembers: Number.POSITIVE_INFINITY };

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
/** Sticky, and without nested repetition: each takes linear time, and no stack, for any text. */
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in a string.
const STRING_PIECE = /[^"\\\0-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Reads the text of a JSON object (RFC 8259, exactly what JSON.parse accepts) without changing it: its members in the
 * text's order, repeats included. When there is a problem, `members` has those that are complete before it.
 */
export function readJsonObject(
  text: string,
  limits: JsonLimits = NO_LIMITS,
): { members: JsonMember[]; problem?: JsonProblem } {
  // JSON.parse builds everything that it checks: 256 KiB of small objects take it 20 to 40 ms.
  const members: JsonMember[] = [];
  const closers: string[] = [];
  const stop = (problem: JsonProblem) => ({ members, problem });
  let name = '';
  let valueAt = 0;
  let at = endOf(SPACE, text, 0);
  if (text[at] !== '{') return stop('not an object');

  for (;;) {
    // A value begins here.
    const closer = CLOSERS[text.charAt(at)];
    let hasEnded = true;
    if (closer !== undefined) {
      if (closers.push(closer) > limits.maxDepth) return stop('too deep');
      at = endOf(SPACE, text, at + 1);
      hasEnded = text[at] === closer;
    } else {
      at = text[at] === '"' ? stringEnd(text, at) : endOf(SCALAR, text, at);
      if (at === -1) return stop('malformed');
      if (closers.length === 1) members.push({ name, value: text.slice(valueAt, at) });
      at = endOf(SPACE, text, at);
    }

    // After a value comes a comma, or the end of the object or list that it is in, and maybe of those around that.
    if (hasEnded) {
      while (text[at] === closers.at(-1)) {
        closers.pop();
        at += 1;
        if (closers.length === 1) members.push({ name, value: text.slice(valueAt, at) });
        at = endOf(SPACE, text, at);
        if (closers.length === 0) return at === text.length ? { members } : stop('malformed');
      }
      if (text[at] !== ',') return stop('malformed');
      at = endOf(SPACE, text, at + 1);
    }

    if (closers.at(-1) === '}') {
      const nameAt = at;
      const nameEnd = stringEnd(text, nameAt);
      at = endOf(SPACE, text, nameEnd);
      if (nameEnd === -1 || text[at] !== ':') return stop('malformed');
      at = endOf(SPACE, text, at + 1);
      if (closers.length === 1) {
        if (members.length === limits.maxMembers) return stop('too many members');
        name = unquote(text.slice(nameAt, nameEnd));
        valueAt = at;
      }
    }
  }
}

/** Where a sticky pattern that begins at `at` ends; -1 when it does not match there. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Where the string that begins at `start` ends; -1 when none does. */
function stringEnd(text: string, start: number): number {
  if (text[start] !== '"') return -1;
  let end = start + 1;
  for (let next = end; next !== -1; next = endOf(STRING_PIECE, text, end)) end = next;
  return text[end] === '"' ? end + 1 : -1;
}

/** The items of a JSON list, each as it is written. `text` is known to be valid. */
export function readJsonList(text: string): string[] {
  const items: string[] = [];
  let from = text.indexOf('[') + 1;
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',' && depth === 1) {
      items.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = text.slice(from, text.lastIndexOf(']')).trim();
  return last === '' ? items : [...items, last];
}

/** A JSON text without white space between its tokens, each token as it is written. `text` is known to be valid. */
export function compactJson(text: string): string {
  let compact = '';
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && ' \t\n\r'.includes(character)) {
      compact += text.slice(from, at);
      from = at + 1;
    }
  }
  return compact + text.slice(from);
}

/**
 * A JSON text without white space, and with strings escaped in one way, for comparisons. Numbers stay as they are
 * written. `text` is known to be valid.
 */
export function normalizeJson(text: string): string {
  const compact = compactJson(text);
  // Without these two, each escape is the only way to write its character.
  if (!compact.includes('\\u') && !compact.includes('\\/')) return compact;
  return compact.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (quoted) =>
    quoted.includes('\\') ? JSON.stringify(unquote(quoted)) : quoted,
  );
}

/** The value of a JSON string: `"\u0041\n"` is an A and a line feed. `quoted` is known to be valid. */
export const unquote = (quoted: string): string =>
  quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);

/** Escapes, in the order in which they are replaced by characters of the same size. */
const ESCAPES: readonly (readonly [RegExp, string])[] = [
  [/\\[^u]/g, 'n'],
  [/\\u00[0-7][0-9a-f]/gi, 'A'],
  [/\\u0[0-7][0-9a-f]{2}/gi, 'é'],
  [/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, '😀'],
  [/\\u[0-9a-f]{4}/gi, '€'],
];

/** The size of a JSON text in bytes of UTF-8. Each escape counts as its character: `\u00e9` is 2, `\n` is 1. */
export const unescapedBytes = (text: string): number =>
  Buffer.byteLength(ESCAPES.reduce((rest, [pattern, character]) => rest.replaceAll(pattern, character), text));
