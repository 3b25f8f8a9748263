import { isIP } from 'node:net';
import { fromCsvCell } from '../forms/csv-cell.ts';
import { SUBMISSION_ID } from '../lib/ids.ts';
import { compactJson, type JsonMember, readJsonObject, unescapedBytes, unquote } from '../lib/json-text.ts';
import type { Problem } from '../problems/line-faults.ts';
import { SIZES } from '../sizes.ts';
import { type CsvRecord, readCsv } from './csv-records.ts';
import {
  type Column,
  columnsOf,
  isOwnHeader,
  type Mapping,
  memberUses,
  shortened,
  type Use,
} from './import-columns.ts';
import { readLines } from './ndjson-lines.ts';
import { UnreadableFile } from './unreadable-file.ts';

/**
 * A row of a file. `time`: as the file has it; undefined where it has none. `data`: the JSON text of an object. `form`: the name of its
 * form in an export of this service.
 */
export type Row = { line: number; time: string | undefined; ipAddress: string; data: string; form?: string };
/** `maxBytes`: of the data of a row. `isCut`: the file is the beginning of another, and its last row may not be whole. */
export type Reading = { format: 'csv' | 'ndjson'; mapping: Mapping; maxBytes: number; isCut?: boolean };

/** A row can be this many times as long as its data: escapes, and quotes that are doubled. */
const ROW_GROWTH = 6;
/** The rest of a row: its time, its address and its separators. */
const ROW_REST_CHARS = 16 * 1024;

/** Characters of a row; longer ones are not read. */
export const maxRowChars = ({ maxBytes }: Pick<Reading, 'maxBytes'>): number => ROW_GROWTH * maxBytes + ROW_REST_CHARS;

/** Reads the rows of a file in UTF-8, in batches, with what is wrong with those that can't be read. Throws UnreadableFile. */
export async function* readRows(content: Buffer, reading: Reading): AsyncGenerator<(Row | Problem)[]> {
  let last: (Row | Problem)[] = [];
  for await (const batch of reading.format === 'ndjson' ? ofNdjson(content, reading) : ofCsv(content, reading)) {
    if (!reading.isCut) yield batch;
    else {
      const known = [...last, ...batch];
      last = known.splice(-1);
      yield known;
    }
  }
}

async function* ofCsv(content: Buffer, reading: Reading): AsyncGenerator<(Row | Problem)[]> {
  let header: readonly string[] | undefined;
  let toRow: ((record: CsvRecord) => Row | Problem | undefined) | undefined;
  for await (const batch of readCsv(content, maxRowChars(reading))) {
    const rows: (Row | Problem)[] = [];
    for (const record of batch) {
      if ('problem' in record) rows.push(record);
      else if (header === undefined) header = record.cells;
      else {
        toRow ??= rowReader(header, record.cells, reading);
        const row = toRow(record);
        if (row) rows.push(row);
      }
    }
    yield rows;
  }
  if (header === undefined) throw new UnreadableFile('The file is empty: send one with a header row.');
  if (!toRow) columnsOf(header, reading.mapping, isOwnHeader(header));
}

/** Returns what makes a row of each record. A file is this service's own export if its header and the first id are. */
function rowReader(header: readonly string[], first: readonly string[], { mapping, maxBytes }: Reading) {
  const isOwn = isOwnHeader(header) && SUBMISSION_ID.test(first[0] ?? '');
  const columns = columnsOf(header, mapping, isOwn);
  return ({ line, cells }: CsvRecord): Row | Problem | undefined => {
    // Spreadsheets write rows of nothing but separators.
    if (cells.every((cell) => cell === '')) return undefined;
    const cellOf = (wanted: Use): string => cells[columns.findIndex(({ use }) => use === wanted)] ?? '';
    if (isOwn && !SUBMISSION_ID.test(cells[0] ?? '')) return { line, problem: 'no-id' };
    const beyond = cells.slice(columns.length).find((cell) => cell !== '');
    if (beyond !== undefined) return { line, problem: 'too-many-cells' };
    const members = membersOf(columns, cells, isOwn);
    if ('problem' in members) return { line, ...members };
    const data = objectOf(members);
    const form = fromCsvCell(cellOf('form'));
    return checked(
      { line, time: cellOf('time') || undefined, ipAddress: cellOf('ip').trim(), data, ...(form && { form }) },
      maxBytes,
      members.length,
    );
  };
}

/** The fields of a record. An empty cell is none: exports leave the cell of a field empty that a submission does not have. */
function membersOf(
  columns: readonly Column[],
  cells: readonly string[],
  isOwn: boolean,
): JsonMember[] | Omit<Problem, 'line'> {
  const members: JsonMember[] = [];
  for (const [index, { field, use }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    if (use === 'others') {
      const { members: others, problem } = readJsonObject(cell);
      if (problem !== undefined) return { problem: 'changed-export', value: shortened(field) };
      members.push(...others);
    } else if (use === 'field') {
      if (field === '' && !isOwn) return { problem: 'unnamed-column' };
      const text = isOwn ? fromCsvCell(cell) : cell;
      members.push({ name: field, value: (isOwn && exportedJson(text)) || JSON.stringify(text) });
    }
  }
  return members;
}

/** A list or an object, as exports write them; undefined for another text. */
function exportedJson(text: string): string | undefined {
  if (!/^(?:\[.*\]|\{.*\})$/s.test(text)) return undefined;
  const { maxJsonDepth: maxDepth, maxJsonValues: maxValues } = SIZES.submission;
  const { problem } = readJsonObject(`{"value":${text}}`, { maxDepth, maxValues, maxMembers: 1 });
  return problem === undefined && compactJson(text) === text ? text : undefined;
}

/** A JSON object of these members. Those with the same name become a list, at the place of the first. */
function objectOf(members: readonly JsonMember[]): string {
  const byName = new Map<string, string[]>();
  for (const { name, value } of members) {
    const before = byName.get(name);
    if (before) before.push(value);
    else byName.set(name, [value]);
  }
  const texts = Array.from(byName, ([name, [first = '', ...others]]) => {
    const value = others.length > 0 ? `[${[first, ...others].join(',')}]` : first;
    return `${JSON.stringify(name)}:${value}`;
  });
  return `{${texts.join(',')}}`;
}

async function* ofNdjson(content: Buffer, reading: Reading): AsyncGenerator<(Row | Problem)[]> {
  const useOf = memberUses(reading.mapping);
  for await (const lines of readLines(content, maxRowChars(reading))) {
    yield lines.map((line) => ('problem' in line ? line : fromJson(line, useOf, reading.maxBytes)));
  }
}

const { maxFields, maxJsonDepth, maxJsonValues } = SIZES.submission;
/** Two more members, and a level, than data has: the time, the address, and the object of an export around its data. */
const JSON_LIMITS = { maxMembers: maxFields + 2, maxDepth: maxJsonDepth + 1, maxValues: maxJsonValues + maxFields };

const JSON_PROBLEMS = {
  'not an object': { problem: 'no-object' },
  malformed: { problem: 'no-json' },
  'too deep': { problem: 'too-deep', value: maxJsonDepth },
  'too many members': { problem: 'too-many-fields', value: maxFields },
  'too many values': { problem: 'too-many-values', value: maxJsonValues },
} as const;

const DATA_LIMITS = { maxMembers: maxFields, maxDepth: maxJsonDepth, maxValues: maxJsonValues };

const textOfMembers = (members: readonly JsonMember[]): string =>
  `{${members.map(({ name, value }) => `${JSON.stringify(name)}:${value}`).join(',')}}`;

/** The data of an export without the fields that are left out; where none is, its text stays as it is. */
function withoutLeftOut(data: string, useOf: (name: string) => Use): string {
  const { members } = readJsonObject(data, DATA_LIMITS);
  const fields = members.filter(({ name }) => useOf(name) !== 'left-out');
  return fields.length === members.length ? data : textOfMembers(fields);
}

function fromJson(
  { line, text }: { line: number; text: string },
  useOf: (name: string) => Use,
  maxBytes: number,
): Row | Problem {
  const { members, problem } = readJsonObject(text, JSON_LIMITS);
  if (problem !== undefined) return { line, ...JSON_PROBLEMS[problem] };
  const exported = exportedData(members);
  const fields = members.filter(({ name }) => useOf(name) === 'field');
  const data = exported === undefined ? textOfMembers(fields) : withoutLeftOut(exported, useOf);
  const textOf = (wanted: string): string | undefined => {
    const value = members.find(({ name }) =>
      exported === undefined ? useOf(name) === wanted : EXPORTED[name] === wanted && useOf(name) !== 'left-out',
    )?.value;
    if (value === undefined || value === 'null' || value === '""') return undefined;
    return value.startsWith('"') ? unquote(value) : value;
  };
  const read = readJsonObject(data, DATA_LIMITS);
  if (read.problem !== undefined) return { line, ...JSON_PROBLEMS[read.problem] };
  return checked({ line, time: textOf('time'), ipAddress: textOf('ip') ?? '', data }, maxBytes, read.members.length);
}

/** The members of a line of the export, and what they are. */
const EXPORTED: Readonly<Record<string, string>> = { id: 'id', data: 'data', ip_address: 'ip', created_at: 'time' };

/** The data of a line that this service has exported; undefined for another line, whose members are the fields. */
export function exportedData(members: readonly JsonMember[]): string | undefined {
  const names = new Set(members.map(({ name }) => name));
  const isOwn = names.size === members.length && [...names].every((name) => Object.hasOwn(EXPORTED, name));
  const id = members.find(({ name }) => name === 'id')?.value;
  if (!isOwn || (id !== undefined && !SUBMISSION_ID.test(unquote(id)))) return undefined;
  const data = members.find(({ name }) => name === 'data')?.value;
  return data?.startsWith('{') ? data : undefined;
}

/** A row within the limits of a submission, else what is wrong with it. */
function checked(row: Row, maxBytes: number, fieldCount: number): Row | Problem {
  const { line, ipAddress, data } = row;
  if (fieldCount > maxFields) return { line, ...JSON_PROBLEMS['too many members'] };
  if (data.length * 3 > maxBytes && unescapedBytes(data) > maxBytes) {
    return { line, problem: 'too-large', value: maxBytes };
  }
  if (ipAddress !== '' && isIP(ipAddress) === 0) return { line, problem: 'no-ip-address', value: shortened(ipAddress) };
  return row;
}
