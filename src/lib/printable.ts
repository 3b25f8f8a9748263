/** Characters that move a cursor, begin an escape sequence, or change the direction of text. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text on one line, with what controls a terminal as `\u001b`. */
export const printable = (text: string): string => text.replaceAll(CONTROLS, escaped);

/** JSON with the same meaning, or CSV: lines and tabs stay. Outside of strings, control characters of JSON are white space. */
export const printableLines = (text: string): string =>
  text
    .replaceAll('\r', '')
    .replaceAll(CONTROLS, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
