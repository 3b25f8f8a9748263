import { SUBMISSION_ID } from '../lib/ids.ts';
import { compactJson, readJsonObject, unquote } from '../lib/json-text.ts';
import type { LineError } from '../problems/line-faults.ts';
import { SIZES } from '../sizes.ts';
import { readCsv } from './csv-records.ts';
import { type Column, columnsOf, isOwnHeader, type Mapping } from './import-columns.ts';
import { planImport, type TimeReading } from './import-plan.ts';
import { exportedData, maxRowChars, type Reading, readRows } from './import-rows.ts';
import { readLines } from './ndjson-lines.ts';
import { UnreadableFile } from './unreadable-file.ts';

const { previewRows, previewChars } = SIZES.import;

/** `time`: in milliseconds since 1970; undefined where there is none, or none can be read. */
type ShownRow = { line: number; cells: string[]; time: number | undefined };
type Preview = { columns: Pick<Column, 'name' | 'use'>[]; rows: ShownRow[]; errors: LineError[] };

/** The beginning of a file as a table. */
type Table = { names: readonly string[]; rows: { line: number; cells: readonly string[] }[]; isExport: boolean };

const cut = (text: string): string =>
  text.length > previewChars ? `${text.slice(0, previewChars).toWellFormed()}…` : text;

async function readTable(content: Buffer, reading: Pick<Reading, 'format' | 'maxBytes'>): Promise<Table> {
  return reading.format === 'csv' ? csvTable(content, reading) : ndjsonTable(content, reading);
}

async function csvTable(content: Buffer, reading: Pick<Reading, 'maxBytes'>): Promise<Table> {
  let names: readonly string[] | undefined;
  const rows: Table['rows'] = [];
  for await (const batch of readCsv(content, maxRowChars(reading))) {
    for (const record of batch) {
      if ('problem' in record || rows.length === previewRows) continue;
      if (names === undefined) names = record.cells;
      else if (record.cells.some((cell) => cell !== '')) rows.push(record);
    }
  }
  if (names === undefined) throw new UnreadableFile('The file is empty: send one with a header row.');
  const isExport = isOwnHeader(names) && (rows[0] === undefined || SUBMISSION_ID.test(rows[0].cells[0] ?? ''));
  return { names, rows, isExport };
}

/** The members of lines as a table: those of an export of this service with the fields of its data. */
async function ndjsonTable(content: Buffer, reading: Pick<Reading, 'maxBytes'>): Promise<Table> {
  const lines: { line: number; members: ReadonlyMap<string, string> }[] = [];
  let isExport = false;
  for await (const batch of readLines(content, maxRowChars(reading))) {
    for (const line of batch) {
      if ('problem' in line || lines.length === previewRows) continue;
      const { members, problem } = readJsonObject(line.text);
      if (problem !== undefined) continue;
      const data = exportedData(members);
      isExport ||= data !== undefined;
      const others = data === undefined ? members : members.filter(({ name }) => name !== 'data');
      const shown = [...others, ...(data === undefined ? [] : readJsonObject(data).members)];
      lines.push({ line: line.line, members: new Map(shown.map(({ name, value }) => [name, textOf(value)])) });
    }
  }
  const names = [...new Set(lines.flatMap(({ members }) => [...members.keys()]))];
  const rows = lines.map(({ line, members }) => ({ line, cells: names.map((name) => members.get(name) ?? '') }));
  return { names, rows, isExport };
}

const textOf = (value: string): string => (value.startsWith('"') ? unquote(value) : compactJson(value));

/** The columns of a table. Those of NDJSON need not be in every line. */
function shownColumns({ names, isExport }: Table, mapping: Mapping, { format }: Pick<Reading, 'format'>): Column[] {
  if (format === 'csv') return columnsOf(names, mapping, isExport);
  const declared = { ...mapping, leaveOut: mapping.leaveOut.filter((name) => names.includes(name)) };
  const there = (name: string | undefined): string | undefined =>
    name !== undefined && names.includes(name) ? name : undefined;
  const columns = columnsOf(names, { ...declared, time: there(mapping.time), ip: there(mapping.ip) }, false);
  return isExport ? columns.map((column) => (column.name === 'id' ? { ...column, use: 'id' } : column)) : columns;
}

/** Returns how a file, or its beginning, would be imported. `mapping`: for columns of these names. Throws UnreadableFile. */
export async function preview(
  content: Buffer,
  {
    mapping: mappingFor,
    ...given
  }: Omit<Reading, 'mapping'> & { mapping(names: readonly string[], isExport: boolean): Mapping },
  times: TimeReading,
  signal: AbortSignal,
): Promise<Preview> {
  const table = await readTable(content, given);
  const mapping = mappingFor(table.names, table.isExport);
  const columns = shownColumns(table, mapping, given);
  const reading = { ...given, mapping };
  const plan = await planImport(content, reading, times, signal);
  const timeOf = new Map<number, number>();
  if (!('errors' in plan)) {
    let index = 0;
    for await (const batch of readRows(content, reading)) {
      for (const row of batch) {
        const ms = plan.times[index];
        if (ms !== undefined && !('problem' in row) && row.time !== undefined) timeOf.set(row.line, ms);
        index += 1;
      }
    }
  }
  const rows = given.isCut && table.rows.length < previewRows ? table.rows.slice(0, -1) : table.rows;
  return {
    columns: columns.map(({ name, use }) => ({ name: cut(name), use })),
    rows: rows.map(({ line, cells }) => ({
      line,
      cells: columns.map((_column, index) => cut(cells[index] ?? '')),
      time: timeOf.get(line),
    })),
    errors: 'errors' in plan ? plan.errors : [],
  };
}
