import type { Submission } from '../../../../db/submissions/submissions.ts';
import { csvCell } from '../../../../lib/csv-cell.ts';
import { compactJson, unquote } from '../../../../lib/json-text.ts';
import { SIZES } from '../../../../limits.ts';
import { type Columns, cellsOf, collectColumns, MAX_COLUMNS, type TableSource } from './submission-table.ts';
import type { TimeSlice } from './time-slices.ts';

const COMMAS = ','.repeat(MAX_COLUMNS);

/**
 * Submissions as CSV (RFC 4180, with CRLF), in pieces, some of them empty: a header row, then a row for each. The
 * submissions are read twice: all of them for the header row, and those of `readRows` for rows.
 */
export async function* toCsv(
  source: TableSource,
  slice: TimeSlice,
  readRows: TableSource['read'] = source.read,
): AsyncGenerator<string> {
  const columns = yield* collectColumns(source, slice);
  yield `${columns.header.map(csvCell).join(',')}\r\n`;
  for await (const batch of readRows()) {
    let rows = '';
    for (const submission of batch) {
      rows += toRow(submission, columns);
      if (rows.length >= SIZES.internal.csvPieceChars) {
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
    row += COMMAS.slice(last, column) + csvCell(cellOf(value));
    last = column;
  }
  return `${row}${COMMAS.slice(last, header.length - 1)}\r\n`;
}

/** The text of a cell: a string without its quotes, nothing for null, any other value as compact JSON. */
function cellOf(value: string): string {
  if (value.startsWith('"')) return unquote(value);
  return value === 'null' ? '' : compactJson(value);
}
