import type { Submission } from '../../../../db/submissions/submission-queries.ts';
import { csvCell } from '../../../../forms/csv-cell.ts';
import { compactJson, unquote } from '../../../../lib/json-text.ts';
import { type Columns, cellsOf, collectColumns, type TableSource } from './submission-table.ts';

/**
 * Submissions as CSV (RFC 4180, with CRLF), in pieces, some of them empty: a header row, then a row for each. The
 * submissions are read twice: for the header row, and for the rows.
 */
export async function* toCsv(source: TableSource): AsyncGenerator<string> {
  const columns = yield* collectColumns(source);
  // Excel takes a file without a byte order mark for one in the system's own encoding.
  if (source.hasBom) yield '\uFEFF';
  yield `${columns.header.map(csvCell).join(',')}\r\n`;
  const { read, readRows = read } = source;
  for await (const part of readRows()) yield part.map((submission) => toRow(submission, columns)).join('');
}

function toRow(submission: Submission, columns: Columns): string {
  const { id, ipAddress, createdAt, form } = submission;
  const cells = Array<string>(columns.header.length).fill('');
  for (const [column, text] of [id, createdAt.toISOString(), ipAddress].entries()) cells[column] = text;
  if (columns.hasForms) cells[3] = csvCell(form ?? '');
  for (const { column, value } of cellsOf(submission, columns)) cells[column] = csvCell(cellOf(value));
  return `${cells.join(',')}\r\n`;
}

/** The text of a cell: a string without its quotes, nothing for null, any other value as compact JSON. */
function cellOf(value: string): string {
  if (value.startsWith('"')) return unquote(value);
  return value === 'null' ? '' : compactJson(value);
}
