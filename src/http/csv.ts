import type { Submission } from '../db/submissions.ts';
import { compactJson, readJsonObject, unquote } from '../json-text.ts';

/** Columns that each row has. */
const FIXED = ['id', 'created_at', 'ip_address'];
/** Where fields go that have no column: there are so many names that they would fill the memory. */
const REST = 'other_fields';
const TAKEN = new RegExp(`^(?:data\\.)*(?:${[...FIXED, REST].join('|')})$`);

const MOST_COLUMNS = 10_000;
const MOST_NAME_CHARS = 1024 * 1024;
/** Rows are handed on when they are so long together. */
const PIECE_CHARS = 256 * 1024;

/** Fields by name, in order, each with its place among the columns. */
type Columns = ReadonlyMap<string, number>;

/**
 * Submissions as CSV (RFC 4180, with CRLF), in pieces, some of them empty: a header row, then a row for each. Its columns are the
 * fields in the order of their first appearance in all submissions, so these are read twice.
 */
export async function* toCsv(read: () => AsyncIterable<readonly Submission[]>): AsyncGenerator<string> {
  const columns = new Map<string, number>();
  let nameChars = 0;
  let hasRest = false;
  yield FIXED.join(',');
  for await (const batch of read()) {
    let header = '';
    for (const { data } of batch) {
      for (const { name } of readJsonObject(data).members) {
        if (columns.has(name)) continue;
        if (columns.size === MOST_COLUMNS || nameChars + name.length > MOST_NAME_CHARS) {
          hasRest = true;
          continue;
        }
        columns.set(name, columns.size);
        nameChars += name.length;
        header += `,${quoted(TAKEN.test(name) ? `data.${name}` : name)}`;
      }
    }
    yield header;
  }
  yield hasRest ? `,${REST}\r\n` : '\r\n';

  for await (const batch of read()) {
    let rows = '';
    for (const submission of batch) {
      rows += toRow(submission, columns, hasRest);
      if (rows.length < PIECE_CHARS) continue;
      yield rows;
      rows = '';
    }
    yield rows;
  }
}

function toRow({ id, data, ipAddress, createdAt }: Submission, columns: Columns, hasRest: boolean): string {
  const cells: string[] = new Array(columns.size).fill('');
  const rest: string[] = [];
  for (const [name, value] of fieldsOf(data)) {
    const column = columns.get(name);
    if (column === undefined) rest.push(`${JSON.stringify(name)}:${compactJson(value)}`);
    else cells[column] = quoted(cellOf(value));
  }
  if (hasRest) cells.push(rest.length === 0 ? '' : quoted(`{${rest.join(',')}}`));
  return `${[id, createdAt.toISOString(), ipAddress, ...cells].join(',')}\r\n`;
}

/** The fields of a JSON object, each value as it is written; those of a name that repeats make a list. */
function fieldsOf(data: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const repeats = new Map<string, string[]>();
  for (const { name, value } of readJsonObject(data).members) {
    const first = fields.get(name);
    const repeated = repeats.get(name);
    if (first === undefined) fields.set(name, value);
    else if (repeated) repeated.push(value);
    else repeats.set(name, [first, value]);
  }
  for (const [name, values] of repeats) fields.set(name, `[${values.join(',')}]`);
  return fields;
}

/** What a cell says for a JSON value: a string without its quotes, nothing for null, any other as compact JSON. */
function cellOf(value: string): string {
  if (value.startsWith('"')) return unquote(value);
  return value === 'null' ? '' : compactJson(value);
}

/**
 * A cell as it is written. A text that a spreadsheet would take for a formula gets an apostrophe, which makes it a text
 * (OWASP, "CSV Injection"); NUL, which ends a text for many readers, and lone surrogates, which UTF-8 hasn't, become U+FFFD.
 */
function quoted(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd');
  const harmless = /^[=+\-@\t\r]/.test(clean) ? `'${clean}` : clean;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
