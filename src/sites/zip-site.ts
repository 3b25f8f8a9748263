import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { isIgnoredPath } from './ignored-names.ts';
import {
  checkCharset,
  checkedPath,
  checkLimits,
  checkTwins,
  SentFiles,
  SiteError,
  type SiteLimits,
  tooManyFiles,
} from './sent-files.ts';
import { ENTRIES_PER_FILE, forEachName, isIgnored, MAX_NAME_BYTES, rootOf, withoutDotSlash } from './site-names.ts';
import { INDEX, isHtmlPath, PATH_TOO_LONG, shownPath } from './site-paths.ts';

const UTF8_FLAG = 0x800;
/** The extra field with a name in UTF-8 (APPNOTE 4.6.9): a version, the checksum of the other name, and the name. */
const UNICODE_PATH = 0x7075;
const UNICODE_PATH_HEADER_BYTES = 5;
/** The systems whose names have no backslash (APPNOTE 4.4.2): MS-DOS, OS/2, NTFS with the number of Info-ZIP too, and VFAT. */
const BACKSLASH_SYSTEMS: ReadonlySet<number> = new Set([0, 6, 10, 11, 14]);
const STORED = 0;
const DEFLATED = 8;
const FILE_KIND = 0o170000;
const SYMLINK = 0o120000;
/** The length of the header before a file's content, without the name. */
const LOCAL_HEADER_BYTES = 30;

/** A file of a zip, before its content has been read. */
type ZipEntry = { path: string; bytes: number; entry: Entry };

const damaged = (): SiteError => new SiteError(400, 'The zip is damaged or incomplete: make it again.');

const refused = (path: string, problem: string): SiteError =>
  new SiteError(400, `The file ${shownPath(path)} is refused: ${problem}.`);

/** The name in the extra field, if it is one of this entry: a program that knows nothing of the field may have renamed it. */
function unicodePathOf({ fileNameRaw, extraFields }: Entry): Buffer | undefined {
  const data = extraFields.find(({ id }) => id === UNICODE_PATH)?.data;
  if (!data || data.length <= UNICODE_PATH_HEADER_BYTES || data[0] !== 1) return undefined;
  const name = data.subarray(UNICODE_PATH_HEADER_BYTES);
  return data.readUInt32LE(1) === crc32(fileNameRaw) && isUtf8(name) ? name : undefined;
}

/** Many programs write UTF-8 without saying so. */
function decodeName({ fileNameRaw, generalPurposeBitFlag }: Entry): string {
  if (isUtf8(fileNameRaw)) return fileNameRaw.toString();
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, [], true);
  if (generalPurposeBitFlag & UTF8_FLAG) throw refused(name, 'its path is not UTF-8');
  return name;
}

/** The name with slashes, and without the `./` that some programs begin it with. */
function nameOf(entry: Entry): string {
  const { fileNameRaw, versionMadeBy } = entry;
  const raw = unicodePathOf(entry) ?? fileNameRaw;
  if (raw.length > MAX_NAME_BYTES) throw refused(raw.toString('utf8', 0, MAX_NAME_BYTES), PATH_TOO_LONG);
  const name = raw === fileNameRaw ? decodeName(entry) : raw.toString();
  const withSlashes = BACKSLASH_SYSTEMS.has(versionMadeBy >>> 8) ? name.replaceAll('\\', '/') : name;
  return withoutDotSlash(withSlashes);
}

/** The entries of files, by their names as the zip has them. */
async function listEntries(zip: ZipFile, limits: SiteLimits): Promise<Map<Entry, string>> {
  if (zip.entryCount > limits.maxSiteFiles * ENTRIES_PER_FILE) throw tooManyFiles(limits);
  const names = new Map<Entry, string>();
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    if (!isIgnored(name)) names.set(entry, name);
    if (names.size > limits.maxSiteFiles) throw tooManyFiles(limits);
  }
  return names;
}

function checkEntry({ path, entry }: ZipEntry): void {
  if (entry.isEncrypted()) throw refused(path, 'it is encrypted');
  if (((entry.externalFileAttributes >>> 16) & FILE_KIND) === SYMLINK) throw refused(path, 'it is a symbolic link');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw refused(path, 'its compression is not supported: use deflate, or none');
  }
  if (entry.compressionMethod === STORED && entry.compressedSize !== entry.uncompressedSize) {
    throw refused(path, 'it has another size than the zip says');
  }
}

/** Throws when two files share a part of the zip: so a small one could be unpacked many times. */
function checkOverlaps(files: readonly ZipEntry[]): void {
  const inOrder = files.toSorted(
    (one, other) => one.entry.relativeOffsetOfLocalHeader - other.entry.relativeOffsetOfLocalHeader,
  );
  let end = 0;
  for (const { path, entry } of inOrder) {
    if (entry.relativeOffsetOfLocalHeader < end) throw refused(path, 'it overlaps another file of the zip');
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameRaw.length + entry.compressedSize;
  }
}

/** Unpacks a file, and compares its size and its checksum with what the zip says; its content in pieces. */
async function* unpack(zip: ZipFile, { path, bytes, entry }: ZipEntry): AsyncGenerator<Buffer> {
  let count = 0;
  let checksum = 0;
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      count += piece.length;
      if (count > bytes) break;
      checksum = crc32(piece, checksum);
      yield piece;
    }
  } catch {
    throw refused(path, 'it is damaged');
  }
  if (count !== bytes) throw refused(path, 'it has another size than the zip says');
  if (checksum !== entry.crc32) throw refused(path, 'it has another checksum than the zip says');
}

async function sha256Of(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/**
 * Reads a zip as a site: all of it is checked before anything is returned. One file is unpacked at a time, and only its
 * pieces are in memory. Throws SiteError.
 */
export async function openZip(body: Buffer, limits: SiteLimits): Promise<{ html: string; files: SentFiles }> {
  const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: false };
  const refuse = (error: unknown): never => {
    throw error instanceof SiteError ? error : damaged();
  };
  const zip = await fromBufferPromise(body, options).catch(refuse);
  const names = await listEntries(zip, limits).catch(refuse);
  const root = await rootOf([...names.values()], 'The zip');
  const files: ZipEntry[] = [];
  await forEachName(names, ([entry, whole]) => {
    const name = whole.slice(root.length);
    if (!isIgnoredPath(name)) files.push({ path: checkedPath(name), bytes: entry.uncompressedSize, entry });
  });
  checkTwins(files.map(({ path }) => path));
  for (const file of files) checkEntry(file);
  checkLimits(files, limits);
  checkOverlaps(files);
  const content = async (path: string): Promise<Buffer> => {
    const file = files.find((one) => one.path === path);
    return file ? buffer(unpack(zip, file)) : Buffer.alloc(0);
  };
  const html = await content(INDEX);
  if (html.length === 0) throw refused(INDEX, 'it is empty');
  checkCharset(INDEX, html);
  const list = [];
  for (const file of files) {
    const { path, bytes } = file;
    if (path === INDEX) continue;
    // A page is small enough to be in memory.
    const page = isHtmlPath(path) ? await content(path) : undefined;
    if (page) checkCharset(path, page);
    list.push({ path, bytes, sha256: await sha256Of(page ? [page] : unpack(zip, file)) });
  }
  return { html: html.toString(), files: new SentFiles(list, content) };
}
