import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Submission } from '../../../../db/submissions/submission-queries.ts';
import { compactJson, unquote } from '../../../../lib/json-text.ts';
import { SIZES } from '../../../../sizes.ts';
import { type Columns, cellsOf, collectColumns, type Read, type TableSource } from './submission-table.ts';

/** Rows of an export are yielded when they are this long together. */
const XLSX_PIECE_CHARS = 64 * 1024;

/*
 * Submissions as an Office Open XML workbook (ECMA-376, part 1, SpreadsheetML): a few fixed files and the sheets,
 * zipped. Texts are in their cells: a table of shared texts would have to be kept in memory.
 */

/** Limits of Excel: rows of a sheet, its header row included, and UTF-16 units of a cell. */
const MAX_ROWS = 1_048_576;
/** Excel's numbers are doubles with this many digits, none below the smallest normal one. */
const MAX_DIGITS = 15;
const LARGEST_NUMBER = 9.999_999_999_999_99e307;
const SMALLEST_NUMBER = 2.225_073_858_507_201_4e-308;

/** A level of zlib, up to 9: an eighth more bytes than the default, 6, in a quarter of the time. */
const COMPRESSION_LEVEL = 3;

/** Styles by their indexes in `cellXfs`. A quoted text stays a text when it is edited. */
const STYLE = { time: 1, header: 2, quoted: 3 };

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const STYLES = `${XML}<styleSheet xmlns="${MAIN}">\
<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>\
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>\
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1" quotePrefix="1"/>\
<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

/** The first row stays visible; the fixed columns are as wide as their values. */
const SHEET_HEAD = `${XML}<worksheet xmlns="${MAIN}">\
<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<cols><col min="1" max="1" width="30" customWidth="1"/><col min="2" max="2" width="24" customWidth="1"/>\
<col min="3" max="3" width="18" customWidth="1"/></cols><sheetData>`;
const SHEET_END = '</sheetData></worksheet>';

/** From the folder `xl`. */
const sheetPath = (sheet: number): string => `worksheets/sheet${sheet}.xml`;

/** The files of a workbook by their paths, except its sheets. */
function fixedFiles(sheets: readonly number[]): [path: string, xml: string][] {
  const parts = sheets.map(
    (sheet) => `<Override PartName="/xl/${sheetPath(sheet)}" ContentType="${TYPE}.worksheet+xml"/>`,
  );
  const list = sheets.map(
    (sheet) => `<sheet name="Submissions${sheet === 1 ? '' : ` ${sheet}`}" sheetId="${sheet}" r:id="rId${sheet}"/>`,
  );
  const relations = sheets.map(
    (sheet) => `<Relationship Id="rId${sheet}" Type="${OFFICE}/worksheet" Target="${sheetPath(sheet)}"/>`,
  );
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${parts.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">\
<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}\
<Relationship Id="rId${sheets.length + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', STYLES],
  ];
}

/**
 * Submissions as a workbook, in pieces, some of them empty: a header row, then a row for each, and another sheet where
 * one is full. The submissions are read twice.
 */
export async function* toXlsx(source: TableSource, maxRows = MAX_ROWS): AsyncGenerator<string | Buffer> {
  const columns = yield* collectColumns(source);
  const letters = columns.header.map((_name, index) => lettersOf(index));
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (error: Error): void => void output.destroy(error);
  const submissions = oneByOne(source.read);
  const numbers = Array.from({ length: Math.ceil(columns.rows / (maxRows - 1)) || 1 }, (_, index) => index + 1);
  // They are written one after the other, as fast as the zip file reads them, and compressed on zlib's threads.
  const sheets = numbers.map(() =>
    Readable.from(toSheet(submissions, { ...columns, letters, maxRows }), { highWaterMark: 1 }),
  );
  try {
    zip.once('error', fail).outputStream.pipe(output);
    for (const [path, xml] of fixedFiles(numbers)) zip.addBuffer(Buffer.from(xml), path);
    for (const [index, sheet] of sheets.entries()) {
      zip.addReadStream(sheet.once('error', fail), `xl/${sheetPath(index + 1)}`, {
        compressionLevel: COMPRESSION_LEVEL,
      });
    }
    zip.end();
    yield* output;
  } finally {
    for (const sheet of sheets) sheet.destroy();
    // It may be waiting for the database, for rows that are no longer needed.
    void submissions.return(undefined);
  }
}

async function* oneByOne(read: Read): AsyncGenerator<Submission, undefined> {
  for await (const batch of read()) for (const submission of batch) yield submission;
}

type Sheet = Columns & { letters: readonly string[]; maxRows: number };

/** A sheet of the next submissions, in pieces. */
async function* toSheet(submissions: AsyncGenerator<Submission, undefined>, sheet: Sheet): AsyncGenerator<string> {
  const names = sheet.header.map((name, index) => textCell(`${sheet.letters[index]}1`, name, STYLE.header));
  let xml = `${SHEET_HEAD}<row r="1">${names.join('')}</row>`;
  for (let number = 2; number <= sheet.maxRows; number += 1) {
    const { value: submission } = await submissions.next();
    if (!submission) break;
    xml += toRow(number, submission, sheet);
    if (xml.length >= XLSX_PIECE_CHARS) {
      yield xml;
      xml = '';
    }
  }
  yield xml + SHEET_END;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Days are counted from the end of 1899 on. */
const DAYS_TO_1970 = 25_569;

function toRow(number: number, submission: Submission, sheet: Sheet): string {
  const { id, ipAddress, createdAt, form } = submission;
  const days = createdAt.getTime() / DAY_MS + DAYS_TO_1970;
  let row = `<row r="${number}">${textCell(`A${number}`, id)}<c r="B${number}" s="${STYLE.time}"><v>${days}</v></c>`;
  row += textCell(`C${number}`, ipAddress);
  if (sheet.hasForms) row += textCell(`D${number}`, form ?? '');
  for (const { column, value } of cellsOf(submission, sheet)) row += cellOf(`${sheet.letters[column]}${number}`, value);
  return `${row}</row>`;
}

/** The name of a column: A to Z, AA to ZZ, AAA and so on. */
function lettersOf(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? '' : lettersOf(rest)) + String.fromCharCode(0x41 + (index % 26));
}

/** The cell of a JSON value. */
function cellOf(reference: string, value: string): string {
  switch (value[0]) {
    case '"':
      return textCell(reference, unquote(value));
    case 'n':
      return '';
    case 't':
    case 'f':
      return `<c r="${reference}" t="b"><v>${value === 'true' ? 1 : 0}</v></c>`;
    case '[':
    case '{':
      return textCell(reference, compactJson(value));
    default:
      return isExact(value) ? `<c r="${reference}"><v>${value}</v></c>` : textCell(reference, value);
  }
}

/** Returns whether Excel keeps a JSON number as it is. */
function isExact(token: string): boolean {
  const number = Number(token);
  const size = Math.abs(number);
  if (String(number) !== token || size > LARGEST_NUMBER || (size > 0 && size < SMALLEST_NUMBER)) return false;
  const digits = token.replace(/e.*/, '').replaceAll(/[-.]/g, '').replace(/^0+/, '');
  return digits.replace(/0+$/, '').length <= MAX_DIGITS;
}

/** A cell of text; nothing for an empty text. */
function textCell(reference: string, text: string, style?: number): string {
  if (text === '') return '';
  const kept = cut(text.toWellFormed());
  const isQuoted = style ?? (/^[=+\-@]/.test(kept) ? STYLE.quoted : undefined);
  const styled = isQuoted === undefined ? '' : ` s="${isQuoted}"`;
  return `<c r="${reference}"${styled} t="inlineStr"><is><t xml:space="preserve">${escapeText(kept)}</t></is></c>`;
}

/** A text that fits into a cell: a longer one ends in `…`, and no surrogate is left alone. */
function cut(text: string): string {
  if (text.length <= SIZES.export.maxCellChars) return text;
  return `${text.slice(0, SIZES.export.maxCellChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Characters that no XML may have (XML 1.0, 2.2). */
const FORBIDDEN = '\\0-\\x08\\v\\f\\x0e-\\x1f\\ufffe\\uffff';
/** Escaped are these, markup, CR, which XML readers would change, and text that looks like such an escape. */
const ESCAPED = new RegExp(`[&<>\\r${FORBIDDEN}]|_(?=x[\\da-fA-F]{4}[_${FORBIDDEN}])`, 'g');
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Text as XML; a character that XML can't have as `_x0000_` (ECMA-376, part 1, 22.9.2.19, ST_Xstring). */
const escapeText = (text: string): string =>
  text.replaceAll(
    ESCAPED,
    (character) => MARKUP[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
