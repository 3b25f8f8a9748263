/** A comment, a string that `@import` takes or any other one, or `url()` with a string or without. */
const PART =
  /\/\*[\s\S]*?(?:\*\/|$)|(@import\s*)?("(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)|\burl\(\s*(?:("(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|(?:[^"'()\\\s]|\\(?:[\da-f]{6}\s?|[\da-f]{1,5}(?![\da-f])\s?|[^\da-f]))+)\s*)?\)/gi;

/** Reads what is written in CSS as an address, without its quotes and escapes. */
const readAddress = (written: string): string =>
  written
    .replace(/^(["'])(.*)\1$/s, '$2')
    .replaceAll(/\\(?:([\da-f]{1,6})\s?|([\s\S]))/gi, (_all, code?: string, sign = '') => {
      if (code === undefined) return sign === '\n' ? '' : sign;
      const point = Number.parseInt(code, 16);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
    });

const quoted = (address: string): string => `"${address.replaceAll(/["\\\n]/g, encodeURIComponent)}"`;

/** Replaces the addresses of the files that a style sheet loads. `replaced` returns another address, or undefined. */
export const replaceAddresses = (css: string, replaced: (address: string) => string | undefined): string =>
  css.replaceAll(PART, (whole: string, atImport?: string, text?: string, inUrl?: string) => {
    const written = atImport === undefined ? inUrl : text;
    const address = written === undefined ? undefined : replaced(readAddress(written));
    if (address === undefined) return whole;
    return atImport === undefined ? `url(${quoted(address)})` : atImport + quoted(address);
  });
