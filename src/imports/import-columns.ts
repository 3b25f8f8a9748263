import { fromCsvCell } from '../forms/csv-cell.ts';
import { FIXED_COLUMNS, FORM_COLUMN, fieldOf, OTHER_FIELDS } from '../forms/export-columns.ts';
import { literal } from '../problems/sentence.ts';
import { UnreadableFile } from './unreadable-file.ts';

/** The columns of a file that are no fields, and the order of day and month in its times. */
export type Mapping = {
  /** The column with the time; left out: `created_at`. */
  time?: string | undefined;
  /** The column with the IP address; left out: `ip_address`. */
  ip?: string | undefined;
  /** Columns that are not imported. */
  leaveOut: readonly string[];
  dateOrder?: 'day-first' | 'month-first' | undefined;
  /** True if the page has several forms: an export of it has a column that names them. */
  hasForms?: boolean;
};

/** The meaning of a column. `id`, `form` and `others` are those of this service's own exports. */
export type Use = 'time' | 'ip' | 'field' | 'left-out' | 'id' | 'form' | 'others';
/** A column of a file. `field`: the name of its field. */
export type Column = { name: string; field: string; use: Use };

const [, TIME, IP] = FIXED_COLUMNS;

/** Columns of a file. More than a submission may have fields, and those that are none. */
const MAX_COLUMNS = 1_100;

/** Returns whether a header is that of an export of this service. */
export const isOwnHeader = (names: readonly string[]): boolean =>
  FIXED_COLUMNS.every((name, index) => names[index] === name);

/** The columns that a mapping names. A usual name of the time or the address can be left out. */
function usesOf({ time = TIME, ip = IP, leaveOut }: Mapping): ReadonlyMap<string, Use> {
  return new Map<string, Use>([[ip, 'ip'], [time, 'time'], ...leaveOut.map((name) => [name, 'left-out'] as const)]);
}

/** Throws UnreadableFile where a mapping names one column twice. */
export function checkMapping({ time, ip, leaveOut }: Mapping): void {
  if ((time ?? TIME) === (ip ?? IP)) throw new UnreadableFile('{time} and {ip} name the same column: name two.', 'ip');
  if (time !== undefined && leaveOut.includes(time))
    throw new UnreadableFile('{leave_out} names the column of the times: leave it out of one.', 'leave_out');
  if (ip !== undefined && leaveOut.includes(ip))
    throw new UnreadableFile('{leave_out} names the column of the IP addresses: leave it out of one.', 'leave_out');
}

/** The meaning of each column of a CSV file. `isOwn`: whether this service has exported it. Throws UnreadableFile. */
export function columnsOf(names: readonly string[], mapping: Mapping, isOwn: boolean): Column[] {
  if (names.length > MAX_COLUMNS)
    throw new UnreadableFile(`The header row has more than ${MAX_COLUMNS} columns: leave some out.`);
  if (names.some((name) => name.includes('\0'))) {
    throw new UnreadableFile('The header row is in an unknown encoding: save the file as UTF-8.');
  }
  const uses = usesOf(mapping);
  const hasForms = mapping.hasForms === true && names[FIXED_COLUMNS.length] === FORM_COLUMN;
  const ownUseOf = (index: number): Use =>
    index === 0 ? 'id' : hasForms && index === FIXED_COLUMNS.length ? 'form' : 'field';
  const columns = names.map((name, index): Column => {
    const use = uses.get(name) ?? (isOwn ? ownUseOf(index) : 'field');
    if (isOwn && use === 'field' && name === OTHER_FIELDS) return { name, field: name, use: 'others' };
    return { name, field: isOwn ? fieldOf(fromCsvCell(name), hasForms) : name, use };
  });
  for (const [parameter, name, use] of [
    ['time', mapping.time ?? TIME, 'time'],
    ['ip', mapping.ip ?? IP, 'ip'],
  ] as const) {
    const count = columns.filter((column) => column.use === use).length;
    if (count > 1)
      throw new UnreadableFile(
        `The header row has the column “${literal(shortened(name))}” more than once: name each column once.`,
      );
    if (count === 0 && mapping[parameter] !== undefined) throw noColumn(parameter, name);
  }
  const missing = mapping.leaveOut.find((name) => !names.includes(name));
  if (missing !== undefined) throw noColumn('leave_out', missing);
  return columns;
}

const noColumn = (parameter: string, name: string): UnreadableFile =>
  new UnreadableFile(
    `{${parameter}} names a column that the file does not have: “${literal(shortened(name))}”.`,
    parameter,
  );

/** A text of a file for a sentence. */
export const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);

/** The meaning of a member of a line of NDJSON. */
export function memberUses(mapping: Mapping): (name: string) => Use {
  const uses = usesOf(mapping);
  return (name) => uses.get(name) ?? 'field';
}

/** Names under which form services write times and addresses, in lower case, letters and digits only; the likeliest first. */
const TIME_NAMES = [
  ...['createdat', 'submittedat', 'receivedat', 'submissiontime', 'submissiondate', 'submitdate', 'submitdateutc'],
  ...['timestamp', 'created', 'submitted', 'submitteddate', 'datesubmitted', 'createddate', 'datecreated', 'datetime'],
  ...['date', 'dateutc', 'time', 'zeitstempel', 'horodateur', 'marcatemporal', 'informazionicronologiche'],
  ...['tijdstempel', 'carimbodedatahora'],
];
const IP_NAMES = ['ipaddress', 'ip', 'remoteip', 'clientip', 'userip', 'senderip', 'submitterip'];
/** Names of columns that services add, which are no answers. */
const OWN_NAMES = [
  ...['id', 'submissionid', 'respondentid', 'responseid', 'entryid', 'formid'],
  ...['useragent', 'referrer', 'referer'],
];

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Guesses the mapping of a file by the names of its columns. `isExport`: this service has exported it. */
export function guessMapping(names: readonly string[], isExport: boolean): Mapping {
  if (isExport) return { leaveOut: [] };
  // A column that is there twice can't be named.
  const once = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  const first = (of: readonly string[]): string | undefined =>
    of.flatMap((wanted) => once.filter((name) => bare(name) === wanted))[0];
  const [time, ip] = [first(TIME_NAMES), first(IP_NAMES)];
  return { time, ip, leaveOut: [...new Set(names)].filter((name) => OWN_NAMES.includes(bare(name))) };
}
