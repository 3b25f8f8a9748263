import type { Submission } from './submissions.ts';

/*
 * Converts submissions from Postgres' binary COPY format to what exports need. Lines are made byte by byte: strings are
 * as fast to make, but their garbage collection uses half a core more.
 */

/** Whole rows: bytes as they were sent, the count of the rows, and the number of the last. */
export type CopiedRows = { bytes: Buffer; count: number; lastNumber: number };

/** The number and the time (milliseconds since 1970) of a submission, and where its texts begin and end. */
type Row = {
  number: number;
  time: number;
  idAt: number;
  idEnd: number;
  dataAt: number;
  dataEnd: number;
  ipAddressAt: number;
  end: number;
};

/** The statement whose output is read here. `from`: what follows FROM. */
export const copySubmissions = (from: string): string =>
  `COPY (SELECT number, created_at, id, data, ip_address FROM ${from}) TO STDOUT (FORMAT binary)`;

// "Binary Format" in Postgres' documentation of COPY: a signature, flags, the length of the rest of a header. Then
// rows: the number of fields, and each field after its length. At the end there is a number of -1 alone.
const HEADER_BYTES = 19;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
const INTEGER_BYTES = 8;
const NUMBER_AT = COUNT_BYTES + LENGTH_BYTES;
const TIME_AT = NUMBER_AT + INTEGER_BYTES + LENGTH_BYTES;
const ID_AT = TIME_AT + INTEGER_BYTES + LENGTH_BYTES;
/** Times are microseconds since 2000. */
const YEAR_2000 = Date.UTC(2000);

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

const integerAt = (view: DataView, at: number): number => view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);

/**
 * Where the field that begins at `at` ends, by the length before it; after the end of the bytes when they don't have
 * the length.
 */
const endOf = (view: DataView, at: number): number =>
  at > view.byteLength ? at : at + view.getInt32(at - LENGTH_BYTES);

/** The row that begins at `at`; undefined unless it is complete. */
function rowAt(view: DataView, at: number): Row | undefined {
  const idAt = at + ID_AT;
  const idEnd = endOf(view, idAt);
  const dataAt = idEnd + LENGTH_BYTES;
  const dataEnd = endOf(view, dataAt);
  const ipAddressAt = dataEnd + LENGTH_BYTES;
  const end = endOf(view, ipAddressAt);
  if (end > view.byteLength) return;
  const time = YEAR_2000 + Math.floor(integerAt(view, at + TIME_AT) / 1_000);
  return { number: integerAt(view, at + NUMBER_AT), time, idAt, idEnd, dataAt, dataEnd, ipAddressAt, end };
}

/** Divides the output of a COPY into whole rows: as many as its pieces have so far. */
export async function* wholeRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<CopiedRows> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  // A large row comes in many pieces: they are read again each time there is twice as much of it.
  let enough = HEADER_BYTES;
  let isHeaderRead = false;

  function takeRows(): CopiedRows {
    const bytes = Buffer.concat(pending);
    const view = viewOf(bytes);
    const begin = isHeaderRead ? 0 : endOf(view, HEADER_BYTES);
    isHeaderRead = true;
    let [count, lastNumber, end] = [0, 0, begin];
    for (let row = rowAt(view, begin); row; row = rowAt(view, row.end)) {
      count += 1;
      ({ number: lastNumber, end } = row);
    }
    pending = [bytes.subarray(end)];
    pendingBytes = bytes.length - end;
    enough = 2 * pendingBytes;
    return { bytes: bytes.subarray(begin, end), count, lastNumber };
  }

  for await (const piece of pieces) {
    pending.push(piece);
    pendingBytes += piece.length;
    if (pendingBytes >= enough) yield takeRows();
  }
  yield takeRows();
}

export function toSubmissions({ bytes }: CopiedRows): Submission[] {
  const view = viewOf(bytes);
  const submissions: Submission[] = [];
  for (let row = rowAt(view, 0); row; row = rowAt(view, row.end)) {
    submissions.push({
      id: bytes.toString('utf8', row.idAt, row.idEnd),
      data: bytes.toString('utf8', row.dataAt, row.dataEnd),
      ipAddress: bytes.toString('utf8', row.ipAddressAt, row.end),
      createdAt: new Date(row.time),
    });
  }
  return submissions;
}

/** The number of a submission, and its JSON text. */
export type NumberedData = { number: number; data: string };

export function toNumberedData({ bytes }: CopiedRows): NumberedData[] {
  const view = viewOf(bytes);
  const all: NumberedData[] = [];
  for (let row = rowAt(view, 0); row; row = rowAt(view, row.end)) {
    all.push({ number: row.number, data: bytes.toString('utf8', row.dataAt, row.dataEnd) });
  }
  return all;
}

const BEFORE_ID = Buffer.from('{"id":"');
const BEFORE_DATA = Buffer.from('","data":');
const BEFORE_IP_ADDRESS = Buffer.from(',"ip_address":"');
const BEFORE_TIME = Buffer.from('","created_at":"');
const AFTER_TIME = Buffer.from('"}\n');
/** More than what a line has besides its texts. */
const OVERHEAD_BYTES = 100;

/** A line for each row: a JSON object as the API lists it, in UTF-8. */
export function toLines({ bytes, count }: CopiedRows): Buffer {
  const view = viewOf(bytes);
  const lines = Buffer.allocUnsafe(bytes.length + count * OVERHEAD_BYTES);
  const putTime = createPutTime();
  let at = 0;
  for (let row = rowAt(view, 0); row; row = rowAt(view, row.end)) {
    at = put(lines, at, BEFORE_ID);
    at = put(lines, at, bytes, row.idAt, row.idEnd);
    at = put(lines, at, BEFORE_DATA);
    at = putOnOneLine(lines, at, bytes, row.dataAt, row.dataEnd);
    at = put(lines, at, BEFORE_IP_ADDRESS);
    at = put(lines, at, bytes, row.ipAddressAt, row.end);
    at = put(lines, at, BEFORE_TIME);
    at = putTime(lines, at, row.time);
    at = put(lines, at, AFTER_TIME);
  }
  return lines.subarray(0, at);
}

/** Copies bytes, and answers where they end. For so few bytes this is faster than Buffer's methods. */
function put(to: Buffer, at: number, from: Buffer, begin = 0, end = from.length): number {
  for (let index = begin; index < end; index += 1) to[at + index - begin] = from[index] ?? 0;
  return at + end - begin;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The same for a JSON text, without its line ends. They are white space between tokens, since strings have them
 * escaped.
 */
function putOnOneLine(to: Buffer, at: number, from: Buffer, begin: number, end: number): number {
  let next = at;
  for (let index = begin; index < end; index += 1) {
    const byte = from[index] ?? 0;
    to[next] = byte;
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) next += 1;
  }
  return next;
}

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const [ZERO = 0, COLON = 0, FULL_STOP = 0, Z = 0] = Buffer.from('0:.Z');

/**
 * Writes what `Date.toISOString` answers, at a fifth of its cost: the date is formatted once for all times of one day.
 */
function createPutTime(): (to: Buffer, at: number, time: number) => number {
  let day = Number.NaN;
  let date = AFTER_TIME;
  return (to, at, time) => {
    const dayOfTime = Math.floor(time / DAY_MS);
    if (dayOfTime !== day) {
      day = dayOfTime;
      date = Buffer.from(new Date(time).toISOString().replace(/T.*/, 'T'));
    }
    // Small integers, because the remainder of other numbers is a function call.
    const milliseconds = (time - day * DAY_MS) | 0;
    const seconds = (milliseconds / SECOND_MS) | 0;
    const minutes = (seconds / 60) | 0;
    let next = put(to, at, date);
    next = putDigits(to, next, 2, (minutes / 60) | 0, COLON);
    next = putDigits(to, next, 2, minutes % 60, COLON);
    next = putDigits(to, next, 2, seconds % 60, FULL_STOP);
    return putDigits(to, next, 3, milliseconds % SECOND_MS, Z);
  };
}

function putDigits(to: Buffer, at: number, length: number, value: number, separator: number): number {
  let rest = value;
  for (let index = at + length - 1; index >= at; index -= 1) {
    to[index] = ZERO + (rest % 10);
    rest = (rest / 10) | 0;
  }
  to[at + length] = separator;
  return at + length + 1;
}
