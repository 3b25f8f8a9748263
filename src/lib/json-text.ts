/** One member of an object: its decoded name (`"\u005fhp"` is `_hp`), and its value as it is written. */
export type JsonMember = { name: string; value: string };

/**
 * Each object or list in another is one level more; the outermost object is level 1. Members are those of the outermost
 * object. Values are all that are in it, at any level: objects, lists, and what these have.
 */
type JsonLimits = { maxDepth: number; maxMembers: number; maxValues: number };

export type JsonProblem = 'not an object' | 'malformed' | 'too deep' | 'too many members' | 'too many values';

const NO_LIMITS: JsonLimits = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxMembers: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
};

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const SMALL_A = 0x61;
const SMALL_F = 0x66;
const SMALL_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Sticky, and without nested repetition: each takes linear time, and no stack, for any text. */
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
/** The characters after a backslash, except `u`. */
const ESCAPED = '"\\/bfnrt';

/**
 * Reads the text of a JSON object (RFC 8259, exactly what JSON.parse accepts) without changing it: its members in the
 * text's order, repeats included. When there is a problem, `members` has those that are complete before it.
 */
export function readJsonObject(
  text: string,
  limits: JsonLimits = NO_LIMITS,
): { members: JsonMember[]; problem?: JsonProblem } {
  // JSON.parse builds everything that it checks, before it can be counted.
  const members: JsonMember[] = [];
  const closers: number[] = [];
  const stop = (problem: JsonProblem) => ({ members, problem });
  let values = 0;
  let name = '';
  let valueAt = 0;
  let at = spaceEnd(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return stop('not an object');

  for (;;) {
    // A value begins here. The outermost object is not counted.
    const closer = closerOf(text.charCodeAt(at));
    let hasEnded = true;
    if (values > limits.maxValues) return stop('too many values');
    values += 1;
    if (closer !== undefined) {
      if (closers.push(closer) > limits.maxDepth) return stop('too deep');
      at = spaceEnd(text, at + 1);
      hasEnded = text.charCodeAt(at) === closer;
    } else {
      at = text.charCodeAt(at) === QUOTE ? stringEnd(text, at) : endOf(SCALAR, text, at);
      if (at === -1) return stop('malformed');
      if (closers.length === 1) members.push({ name, value: text.slice(valueAt, at) });
      at = spaceEnd(text, at);
    }

    // After a value comes a comma, or the end of the object or list that it is in, and maybe of those around that.
    if (hasEnded) {
      while (text.charCodeAt(at) === closers.at(-1)) {
        closers.pop();
        at += 1;
        if (closers.length === 1) members.push({ name, value: text.slice(valueAt, at) });
        at = spaceEnd(text, at);
        if (closers.length === 0) return at === text.length ? { members } : stop('malformed');
      }
      if (text.charCodeAt(at) !== COMMA) return stop('malformed');
      at = spaceEnd(text, at + 1);
    }

    if (closers.at(-1) === CLOSE_OBJECT) {
      const nameAt = at;
      const nameEnd = stringEnd(text, nameAt);
      at = nameEnd === -1 ? -1 : spaceEnd(text, nameEnd);
      if (at === -1 || text.charCodeAt(at) !== COLON) return stop('malformed');
      at = spaceEnd(text, at + 1);
      if (closers.length === 1) {
        if (members.length === limits.maxMembers) return stop('too many members');
        name = unquote(text.slice(nameAt, nameEnd));
        valueAt = at;
      }
    }
  }
}

/** The character that ends the object or the list that begins with this one. */
function closerOf(opener: number): number | undefined {
  if (opener === OPEN_OBJECT) return CLOSE_OBJECT;
  return opener === OPEN_LIST ? CLOSE_LIST : undefined;
}

/** Returns where the white space ends that begins at `at`, if there is any. */
function spaceEnd(text: string, at: number): number {
  let end = at;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code !== SPACE && code !== LF && code !== CR && code !== TAB) return end;
    end += 1;
  }
}

/** Where a sticky pattern that begins at `at` ends; -1 when it does not match there. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Where the string that begins at `start` ends; -1 when none does. */
function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) {
      at = escapeEnd(text, at);
      if (at === -1) return -1;
    } else if (code >= SPACE) {
      at += 1;
    } else {
      // A control character, or the end of the text.
      return -1;
    }
  }
}

/** Returns where the escape ends whose backslash is at `at`; -1 when it is none. */
function escapeEnd(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === SMALL_U) return hexValue(text, at + 2) < 0 ? -1 : at + 6;
  const escaped = text.charAt(at + 1);
  return escaped !== '' && ESCAPED.includes(escaped) ? at + 2 : -1;
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

/** The size of a JSON text in bytes of UTF-8. Each escape counts as its character: `\u00e9` is 2, `\n` is 1. */
export function unescapedBytes(text: string): number {
  let bytes = Buffer.byteLength(text);
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== BACKSLASH) continue;
    const escaped = text.charCodeAt(at + 1) === SMALL_U ? hexValue(text, at + 2) : -1;
    if (escaped >= 0) {
      const isPair =
        isHighSurrogate(escaped) && text.startsWith('\\u', at + 6) && isLowSurrogate(hexValue(text, at + 8));
      // Six characters, or twelve, stand for so many bytes.
      bytes -= isPair ? 12 - 4 : 6 - utf8Bytes(escaped);
      at += isPair ? 11 : 5;
    } else if (text.charCodeAt(at + 1) !== SMALL_U && at + 1 < text.length) {
      bytes -= 1;
      at += 1;
    }
  }
  return bytes;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc_00 && code <= 0xdf_ff;

/** The bytes of a UTF-16 unit. A lone surrogate has those of the character that replaces it. */
function utf8Bytes(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x8_00 ? 2 : 3;
}

/** The value of four hexadecimal digits; -1 where there are no four. */
function hexValue(text: string, start: number): number {
  let value = 0;
  for (let at = start; at < start + 4; at += 1) {
    const code = text.charCodeAt(at);
    // Bit 5 makes a letter small.
    const letter = code | 0x20;
    if (code >= DIGIT_0 && code <= DIGIT_9) value = value * 16 + code - DIGIT_0;
    else if (letter >= SMALL_A && letter <= SMALL_F) value = value * 16 + letter - SMALL_A + 10;
    else return -1;
  }
  return value;
}
