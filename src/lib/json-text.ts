/** One member of an object: its decoded name (`"\u005fhp"` is `_hp`), and its value as it is written. */
export type JsonMember = { name: string; value: string };

/**
 * Each object or list in another is one level more; the outermost object is level 1. Members are those of the outermost
 * object.
 */
type JsonLimits = { maxDepth: number; maxMembers: number };

export type JsonProblem = 'not an object' | 'malformed' | 'too deep' | 'too many members';

const NO_LIMITS: JsonLimits = { maxDepth: Number.POSITIVE_INFINITY, maxMembers: Number.POSITIVE_INFINITY };

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LITERALS = ['true', 'false', 'null'];
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));

/**
 * Reads the text of a JSON object (RFC 8259, exactly what JSON.parse accepts) without changing it: its members in the
 * text's order, repeats included. When there is a problem, `members` has those that are complete before it.
 */
export function readJsonObject(
  text: string,
  limits: JsonLimits = NO_LIMITS,
): { members: JsonMember[]; problem?: JsonProblem } {
  // JSON.parse builds everything that it checks: 256 KiB of small objects take it 20 to 40 ms, and this function one
  // millisecond.
  const members: JsonMember[] = [];
  const closers: number[] = [];
  let name = '';
  let valueAt = 0;
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return { members, problem: 'not an object' };

  for (;;) {
    // A value begins here.
    const code = text.charCodeAt(at);
    let ended = true;
    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const closer = code + 2;
      if (closers.push(closer) > limits.maxDepth) return { members, problem: 'too deep' };
      at = skipSpace(text, at + 1);
      ended = text.charCodeAt(at) === closer;
    } else {
      at = scalarEnd(text, at);
      if (at === -1) return { members, problem: 'malformed' };
      if (closers.length === 1) members.push({ name, value: text.slice(valueAt, at) });
      at = skipSpace(text, at);
    }

    // After a value comes a comma, or the end of the object or list that it is in, and maybe of those around that.
    if (ended) {
      while (text.charCodeAt(at) === closers.at(-1)) {
        closers.pop();
        at += 1;
        if (closers.length === 1) members.push({ name, value: text.slice(valueAt, at) });
        at = skipSpace(text, at);
        if (closers.length === 0) return at === text.length ? { members } : { members, problem: 'malformed' };
      }
      if (text.charCodeAt(at) !== COMMA) return { members, problem: 'malformed' };
      at = skipSpace(text, at + 1);
    }

    if (closers.at(-1) === CLOSE_OBJECT) {
      const nameAt = at;
      const nameEnd = stringEnd(text, nameAt);
      at = skipSpace(text, nameEnd);
      if (text.charCodeAt(at) !== COLON) return { members, problem: 'malformed' };
      at = skipSpace(text, at + 1);
      if (closers.length === 1) {
        if (members.length === limits.maxMembers) return { members, problem: 'too many members' };
        name = unquote(text.slice(nameAt, nameEnd));
        valueAt = at;
      }
    }
  }
}

/** The items of a JSON list, each as it is written. `text` is known to be valid. */
export function readJsonList(text: string): string[] {
  const items: string[] = [];
  let from = text.indexOf('[') + 1;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (quoted) continue;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA && depth === 1) {
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
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (!quoted && isSpace(code)) {
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
  let afterHigh = -1;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== BACKSLASH) continue;
    at += 1;
    if (text.charCodeAt(at) !== LOWER_U) {
      bytes -= 1;
      continue;
    }
    let unit = 0;
    for (const end = at + 4; at < end; at += 1) unit = unit * 16 + hexDigit(text.charCodeAt(at + 1));
    // Two surrogates that make a pair are 4 bytes together, one that is alone is 3.
    const completesPair = unit >= 0xdc00 && unit <= 0xdfff && at === afterHigh;
    bytes -= unit < 0x80 || completesPair ? 5 : unit < 0x800 ? 4 : 3;
    afterHigh = unit >= 0xd800 && unit <= 0xdbff ? at + 6 : -1;
  }
  return bytes;
}

/** The value of a hexadecimal digit, given as its character code; -1 for any other character. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Where the string, number or literal that begins at `at` ends; -1 when none does. */
function scalarEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return stringEnd(text, at);
  if (code === MINUS || isDigit(code)) return numberEnd(text, at);
  const literal = LITERALS.find((candidate) => text.startsWith(candidate, at));
  return literal === undefined ? -1 : at + literal.length;
}

function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return -1;
    if (code !== BACKSLASH) continue;
    at += 1;
    if (text.charCodeAt(at) === LOWER_U) {
      for (const end = at + 4; at < end; at += 1) if (hexDigit(text.charCodeAt(at + 1)) === -1) return -1;
    } else if (!SHORT_ESCAPES.has(text.charCodeAt(at))) return -1;
  }
  return -1;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function numberEnd(text: string, start: number): number {
  const whole = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let end = digitsEnd(text, whole);
  if (end === whole || (end > whole + 1 && text.charCodeAt(whole) === ZERO)) return -1;
  if (text.charCodeAt(end) === DOT) {
    const fraction = end + 1;
    end = digitsEnd(text, fraction);
    if (end === fraction) return -1;
  }
  if ((text.charCodeAt(end) | 0x20) === LOWER_E) {
    const sign = text.charCodeAt(end + 1);
    const exponent = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
    end = digitsEnd(text, exponent);
    if (end === exponent) return -1;
  }
  return end;
}
