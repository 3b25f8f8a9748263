/*
 * A text that a spreadsheet would take for a formula gets an apostrophe, which makes it a text (OWASP, "CSV
 * Injection"). A formula begins a cell, also a cell that a spreadsheet makes where its list separator is a semicolon or
 * a tab: there commas separate nothing, and a quote in the middle of a cell quotes nothing, so that a line break in it
 * ends the row. Quotes at the beginning of a cell are removed then, with the spaces before them; spaces alone make a
 * text of what follows. Numbers and telephone numbers stay as they are. Excel in Japanese also takes full-width signs at
 * the beginning of a cell for a formula's.
 */
const SEPARATOR = '[;\\t\\r\\n]';
const FULL_WIDTH = '\uff1d\uff0b\uff0d\uff20';
const NUMBER = `[+\\-\uff0b\uff0d][ ().\\-/]*\\d[\\d ().\\-/]*(?:${SEPARATOR}|$)`;
const FORMULA = `(?:(?=[=+\\-@])(?<=^|${SEPARATOR}(?: *"+)?)|^(?=[${FULL_WIDTH}]))(?!${NUMBER})`;
const DANGEROUS = new RegExp(`^(?=[\\t\\r])|${FORMULA}`, 'g');

const withApostrophes = (text: string): string => text.replaceAll(DANGEROUS, "'");

/** An apostrophe where one may have been put. */
const APOSTROPHE = new RegExp(`(?<=^|${SEPARATOR}(?: *"+)?)'(?=[=+\\-@\\t\\r${FULL_WIDTH}])`, 'g');

/** The text of a cell that `csvCell` has written, without its quotes: the apostrophes before formulas are removed. */
export function fromCsvCell(cell: string): string {
  const text = cell.replaceAll(APOSTROPHE, '');
  return withApostrophes(text) === cell ? text : cell;
}

/**
 * A cell as it is written. NUL, which ends a text for many readers, and lone surrogates, which UTF-8 doesn't have,
 * become U+FFFD.
 */
export function csvCell(text: string): string {
  const harmless = withApostrophes(text.toWellFormed().replaceAll('\0', '\ufffd'));
  // With a quote at its end, a number behind a semicolon or a tab is not joined to the next cell, which then might be a
  // formula.
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
