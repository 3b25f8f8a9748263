import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
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
const MAX_FIRST_LINE_BYTES = 100;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export const FIRST_LINE = `${NAME} ${FORMAT}\n`;

/** A backup cannot be made or restored, for a reason that the operator can remove. */
export class BackupError extends Error {}

const headerSchema = z.object({
  /** The names of those that have been run. */
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

const damaged = (why: string): BackupError =>
  new BackupError(`the backup is damaged (${why}): nothing of it was restored; take another`);

/** Checks a backup's first line, without its line feed. */
function checkFirstLine(line: string): void {
  // The first bytes of a dump in pg_dump's custom format, in which older versions made backups.
  if (line.startsWith('PGDMP')) throw new BackupError("this is a dump of pg_dump's: restore it with pg_restore");
  const [name, format = ''] = line.split(' ');
  if (name !== NAME || !/^[0-9]{1,9}$/.test(format)) throw new BackupError('this is not a backup of formhost');
  if (Number(format) > FORMAT) {
    throw new BackupError('the backup was made by a newer version of formhost: restore it with that version, or newer');
  }
}

/** Bytes that come in chunks, read in pieces of other lengths. Rejects with a BackupError where they end too early. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    while (this.#buffered.length < length) if (!(await this.#pull())) throw damaged('it ends too early');
    const taken = this.#buffered.subarray(0, length);
    this.#buffered = this.#buffered.subarray(length);
    return taken;
  }

  /** Reads up to a line feed; all there is where none comes within `maxBytes`. */
  async takeLine(maxBytes: number): Promise<Buffer> {
    for (;;) {
      const end = this.#buffered.indexOf('\n') + 1;
      if (end > 0) return this.take(end);
      if (this.#buffered.length > maxBytes || !(await this.#pull())) return this.take(this.#buffered.length);
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    do yield await this.take(this.#buffered.length);
    while (await this.#pull());
  }

  /** Reads another chunk; whether there was one. */
  async #pull(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#buffered = this.#buffered.length === 0 ? next.value : Buffer.concat([this.#buffered, next.value]);
    return true;
  }
}

/** The bytes that gzip has packed. Throws a BackupError where they are not whole. */
async function* unpack(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpacked = createGunzip();
  // An error is that of the loop, too.
  pipeline(packed, unpacked).catch(() => undefined);
  try {
    yield* unpacked;
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
}

/** Reads a backup, in this order: its header, the rows of each table, and the end. Methods reject with a BackupError. */
export class BackupReader {
  readonly header: Header;
  readonly #bytes: ByteReader;
  readonly #hash = createHash('sha256');

  private constructor(bytes: ByteReader, head: Buffer) {
    this.#bytes = bytes;
    this.#hash.update(head);
    this.header = parseHeader(head.toString());
  }

  static async open(source: AsyncIterable<Buffer>): Promise<BackupReader> {
    const packed = new ByteReader(source);
    checkFirstLine((await packed.takeLine(MAX_FIRST_LINE_BYTES)).toString('latin1').trimEnd());
    const bytes = new ByteReader(unpack(packed.rest()));
    return new BackupReader(bytes, await bytes.takeLine(MAX_HEADER_BYTES));
  }

  /** The rows of the next table, which have to be read to the end before the next call. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const length = (await this.#take(LENGTH_BYTES)).readUInt32BE();
      if (length === 0) return;
      if (length > MAX_PIECE_BYTES) throw damaged('a length in it is wrong');
      yield await this.#take(length);
    }
  }

  /** To be called after the last table. */
  async verify(): Promise<void> {
    const sum = await this.#bytes.take(CHECKSUM_BYTES);
    if (!sum.equals(this.#hash.digest())) throw damaged('its checksum is wrong');
    for await (const rest of this.#bytes.rest()) if (rest.length > 0) throw damaged('something follows its end');
  }

  async #take(length: number): Promise<Buffer> {
    const bytes = await this.#bytes.take(length);
    this.#hash.update(bytes);
    return bytes;
  }
}

function parseHeader(text: string): Header {
  try {
    return headerSchema.parse(JSON.parse(text));
  } catch {
    throw damaged('its header cannot be read');
  }
}
