import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip. A field that is left out is correct; the others make the entry wrong. */
export type ZipEntry = {
  /** Text is written as UTF-8. */
  name: string | Buffer;
  content?: string | Buffer;
  /** True if the flag says that the name is UTF-8. */
  isUtf8?: boolean;
  isStored?: boolean;
  /** Sizes and the checksum follow the content, as where a program does not know them before. */
  hasDescriptor?: boolean;
  /** Sizes and the offset are in the extra field of ZIP64. */
  isZip64?: boolean;
  flags?: number;
  method?: number;
  /** The file mode of Unix. */
  mode?: number;
  /** The system of the program that made it (APPNOTE 4.4.2): 3, Unix. */
  system?: number;
  /** The name in the extra field for one in UTF-8, with the checksum of this text: that of `name`. */
  unicodePath?: string | Buffer;
  unicodePathOf?: string | Buffer;
  crc?: number;
  bytes?: number;
  /** Where the directory says that its header is; the same as that of another entry makes them overlap. */
  offset?: number;
};

const MAX_32 = 0xffffffff;

/** Little-endian numbers of so many bytes each. */
function numbers(...fields: [value: number, size: 2 | 4 | 8][]): Buffer {
  return Buffer.concat(
    fields.map(([value, size]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, size);
    }),
  );
}

/** The extra field of Info-ZIP for a name in UTF-8 (APPNOTE 4.6.9). */
function unicodePathField({ name, unicodePath, unicodePathOf = name }: ZipEntry): Buffer {
  if (unicodePath === undefined) return Buffer.alloc(0);
  const path = Buffer.from(unicodePath);
  const header = numbers([0x7075, 2], [5 + path.length, 2]);
  return Buffer.concat([header, Buffer.from([1]), numbers([crc32(unicodePathOf), 4]), path]);
}

function write(entry: ZipEntry, at: number): { local: Buffer; central: Buffer } {
  const name = Buffer.from(entry.name);
  const content = Buffer.from(entry.content ?? '');
  const packed = entry.isStored ? content : deflateRawSync(content);
  const method = entry.method ?? (entry.isStored ? 0 : 8);
  const flags = (entry.flags ?? 0) | (entry.isUtf8 === false ? 0 : 0x800) | (entry.hasDescriptor ? 8 : 0);
  const crc = entry.crc ?? crc32(content);
  const bytes = entry.bytes ?? content.length;
  const start = (isHere: boolean) =>
    [
      [flags, 2],
      [method, 2],
      [0, 2],
      [0, 2],
      [isHere ? crc : 0, 4],
      [isHere ? packed.length : 0, 4],
    ] as const;
  const knows = !entry.hasDescriptor;
  const local = Buffer.concat([
    numbers([0x04034b50, 4], [20, 2], ...start(knows).map(copy), [knows ? bytes : 0, 4], [name.length, 2], [0, 2]),
    ...[name, packed],
    entry.hasDescriptor ? numbers([0x08074b50, 4], [crc, 4], [packed.length, 4], [bytes, 4]) : Buffer.alloc(0),
  ]);
  const offset = entry.offset ?? at;
  const extra = Buffer.concat([
    entry.isZip64 ? numbers([1, 2], [24, 2], [bytes, 8], [packed.length, 8], [offset, 8]) : Buffer.alloc(0),
    unicodePathField(entry),
  ]);
  const or64 = (value: number): number => (entry.isZip64 ? MAX_32 : value);
  const central = Buffer.concat([
    numbers(
      [0x02014b50, 4],
      [((entry.system ?? 3) << 8) | 45, 2],
      [20, 2],
      [flags, 2],
      [method, 2],
      [0, 2],
      [0, 2],
      [crc, 4],
    ),
    numbers([or64(packed.length), 4], [or64(bytes), 4], [name.length, 2], [extra.length, 2], [0, 2], [0, 2], [0, 2]),
    numbers([(entry.mode ?? 0o100644) * 0x10000, 4], [or64(offset), 4]),
    ...[name, extra],
  ]);
  return { local, central };
}

const copy = ([value, size]: readonly [number, 2 | 4 | 8]): [number, 2 | 4 | 8] => [value, size];

/** The bytes of a zip. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { local, central } = write(entry, at);
    locals.push(local);
    centrals.push(central);
    at += local.length;
  }
  const directory = Buffer.concat(centrals);
  const { length } = entries;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [length, 2],
    [length, 2],
    [directory.length, 4],
    [at, 4],
    [0, 2],
  );
  return Buffer.concat([...locals, directory, end]);
}

/** The zip of files by their paths. */
export const zipFiles = (files: Readonly<Record<string, string | Buffer>>): Buffer =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
