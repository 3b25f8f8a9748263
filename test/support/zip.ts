import { crc32, inflateRawSync } from 'node:zlib';

const FILE = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;

/** The files of a zip file by their paths, in its order, as its directory has them (PKWARE, APPNOTE 4.3). No ZIP64. */
export function unzip(zip: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const end = zip.lastIndexOf(Buffer.from(new Uint32Array([END]).buffer));
  let at = zip.readUInt32LE(end + 16);
  for (
    ;
    zip.readUInt32LE(at) === FILE;
    at += 46 + [28, 30, 32].reduce((sum, of) => sum + zip.readUInt16LE(at + of), 0)
  ) {
    const path = zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28));
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    if (zip.readUInt16LE(at + 10) !== DEFLATED) throw new Error(`${path} is not deflated`);
    const bytes = inflateRawSync(zip.subarray(begin, begin + zip.readUInt32LE(at + 20)));
    if (bytes.length !== zip.readUInt32LE(at + 24) || crc32(bytes) !== zip.readUInt32LE(at + 16)) {
      throw new Error(`${path} is not what the directory says`);
    }
    files.set(path, bytes.toString());
  }
  if (at !== end || files.size !== zip.readUInt16LE(end + 10)) throw new Error('The directory is broken');
  return files;
}
