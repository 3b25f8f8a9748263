import type { Submission } from '../../../db/submissions.ts';
import { compactJson, unquote } from '../../../json-text.ts';
import { type Columns, cellsOf, collectColumns, MAX_COLUMNS, type TableSource } from './submission-table.ts';
import type { TimeSlice } from './time-slices.ts';

/** Rows are yielded when they are this long together. */
const PIECE_CHARS = 256 * 1024;
const COMMAS = ','.repeat(MAX_COLUMNS);

/**
 * Submissions as CSV (RFC 4180, with CRLF), in pieces, some of them empty: a header row, then a row for each. The
 * submissions are read twice.
 */
export async function* toCsv(source: TableSource, slice: TimeSlice): AsyncGenerator<string> {
  const columns = yield* collectColumns(source, slice);
  yield `${columns.header.map(quoted).join(',')}\r\n`;
  for await (const batch of source.read()) {
    let rows = '';
    for (const submission of batch) {
      rows += toRow(submission, columns);
      if (rows.length >= PIECE_CHARS) {
        yield rows;
        rows = '';
      }
      if (slice.isOver()) await slice.next();
    }
    yield rows;
  }
}

function toRow({ id, data, ipAddress, createdAt }: Submission, { header, indexes }: Columns): string {
  const fixed = [id, createdAt.toISOString(), ipAddress];
  let row = fixed.join(',');
  let last = fixed.length - 1;
  // An empty cell is only its comma. Of thousands of columns most are empty.
  for (const { column, value } of cellsOf(data, indexes)) {
    row += COMMAS.slice(last, column) + quoted(cellOf(value));
    last = column;
  }
  return `${row}${COMMAS.slice(last, header.length - 1)}\r\n`;
}

/** The text of a cell: a string without its quotes, nothing for null, any other value as compact JSON. */
function cellOf(value: string): string {
  if (value.startsWith('"')) return unquote(value);
  return value === 'null' ? '' : compactJson(value);
}

/*
 * A text that a spreadsheet would take for a formula gets an apostrophe, which makes it a text (OWASP, "CSV
 * Injection"). A formula begins a cell, also a cell that a spreadsheet makes where its list separator is a semicolon or
 * a tab: there commas separate nothing, and a quote in the middle of a cell quotes nothing, so that a line break in it
 * ends the row. Quotes at the beginning of a cell are removed then, with the spaces before them; spaces alone make a
 * text of what follows. Numbers and telephone numbers stay as they are.
 */
const SEPARATOR = '[;\\t\\r\\n]';
const NUMBER = `[+-][ ().\\-/]*\\d[\\d ().\\-/]*(?:${SEPARATOR}|$)`;
const FORMULA = `(?=[=+\\-@])(?<=^|${SEPARATOR}(?: *"+)?)(?!${NUMBER})`;
/** Matches every text that may have a formula, and few others, in half the time of DANGEROUS. */
const SUSPICIOUS = /^[=+\-@\t\r]|[;\t\r\n]/;
const DANGEROUS = new RegExp(`^(?=[\\t\\r])|${FORMULA}`, 'g');

/**
 * A cell as it is written. NUL, which ends a text for many readers, and lone surrogates, which UTF-8 doesn't have,
 * become U+FFFD.
 */
function quoted(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd');
  const harmless = SUSPICIOUS.test(clean) ? clean.replaceAll(DANGEROUS, "'") : clean;
  // With a quote at its end, a number behind a semicolon or a tab is not joined to the next cell, which then might be a
  // formula.
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
