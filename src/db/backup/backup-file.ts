import { createHash } from 'node:crypto';
import { z } from 'zod';

/*
 * Our own format of a backup: a line of text with the format's number, then gzip, which contains
 *
 *   a line of JSON     the header: migrations, tables with their columns, sequences
 *   for each table     pieces of COPY's text format, each after its length (4 bytes, big-endian), and a length of 0
 *   32 bytes           SHA-256 of everything before, from the header on
 */

const FORMAT = 1;
const NAME = 'formhost-backup';
const CHECKSUM_BYTES = 32;
const LENGTH_BYTES = 4;
const MAX_PIECE_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export const FIRST_LINE = `${NAME} ${FORMAT}\n`;

/** A backup cannot be made or restored, for a reason that the operator can remove. */
export class BackupError extends Error {}

const headerSchema = z.object({
  /** In the order in which they ran. */
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  /** `last` is the number that was used last. */
  sequences: z.array(z.object({ name: z.string(), last: z.string() })),
});

export type Header = z.infer<typeof headerSchema>;
export type Table = Header['tables'][number];

/** The bytes before compression. `rowsOf` is called for one table after the other. */
export async function* encode(header: Header, rowsOf: (table: Table) => AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  const length = (bytes: number): Buffer => {
    const written = Buffer.alloc(LENGTH_BYTES);
    written.writeUInt32BE(bytes);
    return hashed(written);
  };
  yield hashed(Buffer.from(`${JSON.stringify(header)}\n`));
  for (const table of header.tables) {
    for await (const rows of rowsOf(table)) {
      for (let at = 0; at < rows.length; at += MAX_PIECE_BYTES) {
        const piece = rows.subarray(at, at + MAX_PIECE_BYTES);
        yield length(piece.length);
        yield hashed(piece);
      }
    }
    yield length(0);
  }
  yield hash.digest();
}

/** A backup that is being read, in this order. Each throws a BackupError when the bytes are damaged. */
export type Decoded = {
  header: Header;
  /** The rows of the next table, which have to be read to the end before the next call. */
  rows(): AsyncGenerator<Buffer>;
  /** After the last table. */
  verify(): Promise<void>;
};

const damaged = (why: string): BackupError =>
  new BackupError(`the backup is damaged (${why}): nothing of it was restored; take another`);

/** Checks a backup's first line, without its line feed. */
export function checkFirstLine(line: string): void {
  // The first bytes of a dump in pg_dump's custom format, in which older versions made backups.
  if (line.startsWith('PGDMP')) throw new BackupError("this is a dump of pg_dump's: restore it with pg_restore");
  const [name, format = ''] = line.split(' ');
  if (name !== NAME || !/^[0-9]{1,9}$/.test(format)) throw new BackupError('this is not a backup of formhost');
  if (Number(format) > FORMAT) {
    throw new BackupError('the backup was made by a newer version of formhost: restore it with that version, or newer');
  }
}

/** Reads what `encode` made. */
export async function decode(source: AsyncIterable<Buffer>): Promise<Decoded> {
  const hash = createHash('sha256');
  const chunks = source[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);

  /** Reads another chunk into `buffered`; whether there was one. */
  async function pull(): Promise<boolean> {
    const next = await chunks.next().catch((error) => {
      throw error instanceof BackupError ? error : damaged(error instanceof Error ? error.message : String(error));
    });
    if (next.done) return false;
    buffered = buffered.length === 0 ? next.value : Buffer.concat([buffered, next.value]);
    return true;
  }

  async function take(length: number): Promise<Buffer> {
    while (buffered.length < length) if (!(await pull())) throw damaged('it ends too early');
    const taken = buffered.subarray(0, length);
    buffered = buffered.subarray(length);
    return taken;
  }

  async function line(): Promise<Buffer> {
    for (;;) {
      const end = buffered.indexOf('\n');
      if (end >= 0) return take(end + 1);
      if (buffered.length > MAX_HEADER_BYTES || !(await pull())) throw damaged('its header is not whole');
    }
  }

  async function hashed(length: number): Promise<Buffer> {
    const bytes = await take(length);
    hash.update(bytes);
    return bytes;
  }

  async function* rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const length = (await hashed(LENGTH_BYTES)).readUInt32BE();
      if (length === 0) return;
      if (length > MAX_PIECE_BYTES) throw damaged('a length in it is wrong');
      yield await hashed(length);
    }
  }

  async function verify(): Promise<void> {
    const sum = await take(CHECKSUM_BYTES);
    if (!sum.equals(hash.digest())) throw damaged('its checksum is wrong');
    if (buffered.length > 0 || (await pull())) throw damaged('something follows its end');
  }

  const text = await line();
  hash.update(text);
  return { header: parseHeader(text.toString()), rows, verify };
}

function parseHeader(text: string): Header {
  try {
    return headerSchema.parse(JSON.parse(text));
  } catch {
    throw damaged('its header cannot be read');
  }
}
