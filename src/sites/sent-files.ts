import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readJsonObject, unquote } from '../lib/json-text.ts';
import { SIZES } from '../sizes.ts';
import { INDEX, isHtmlPath, shownPath, sitePath } from './site-paths.ts';

/** A file of a site, with the SHA-256 of its content in hex. */
type SentFile = { path: string; sha256: string; bytes: number };

/** The limits of a site; index.html counts as a file. */
export type SiteLimits = Readonly<
  Record<'maxSiteFiles' | 'maxSiteFileBytes' | 'maxSiteBytes' | 'maxHtmlBytes', number>
>;

/** How a file is wrong. `path`: as it was sent; left out where it is about all files. */
export type FileFault = {
  path?: string;
  fault: { code: 'too-long'; limit: number } | { code: 'missing' | 'wrong-type' | 'wrong-format' | 'not-allowed' };
  message: string;
};

/** A site is refused. The message names the file where it is about one. */
export class SiteError extends Error {
  readonly status: 400 | 413;
  /** All that is wrong. The message is about the first. */
  readonly faults: readonly FileFault[];

  constructor(
    status: 400 | 413,
    message: string,
    faults: readonly FileFault[] = [{ fault: { code: 'not-allowed' }, message }],
  ) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

/** A file that is refused, in the files of a JSON body. */
class FileError extends Error {
  readonly code: 'wrong-type' | 'wrong-format';

  constructor(code: 'wrong-type' | 'wrong-format', message: string) {
    super(message);
    this.code = code;
  }
}

/** The files of a site besides its index.html, as they were sent: checked, and not stored. */
export class SentFiles {
  readonly list: readonly SentFile[];
  /** The content of a file of the list. */
  readonly read: (path: string) => Promise<Buffer>;

  constructor(list: readonly SentFile[], read: (path: string) => Promise<Buffer>) {
    this.list = list;
    this.read = read;
  }
}

/** The path of a file as it is stored; throws SiteError. */
export function checkedPath(given: string): string {
  const read = sitePath(given);
  if ('error' in read) {
    throw new SiteError(400, read.error, [{ path: given, fault: { code: 'wrong-format' }, message: read.error }]);
  }
  return read.path;
}

/** The number of bytes that a file may have. */
export const maxBytesOf = (path: string, { maxHtmlBytes, maxSiteFileBytes }: SiteLimits): number =>
  isHtmlPath(path) ? maxHtmlBytes : maxSiteFileBytes;

/** The largest file that a site may have. */
export const largestFile = ({ maxHtmlBytes, maxSiteFileBytes }: SiteLimits): number =>
  Math.max(maxHtmlBytes, maxSiteFileBytes);

/** Throws SiteError when a file, or all of a site with its index.html, exceeds a limit. */
export function checkLimits(files: readonly { path: string; bytes: number }[], limits: SiteLimits): void {
  const { maxSiteFiles, maxSiteBytes } = limits;
  if (files.length > maxSiteFiles) throw tooManyFiles(limits);
  for (const { path, bytes } of files) {
    const most = maxBytesOf(path, limits);
    if (bytes > most) throw new SiteError(413, `The file ${shownPath(path)} is too large: send at most ${most} bytes.`);
  }
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > maxSiteBytes) {
    throw new SiteError(413, `The site is too large: send at most ${maxSiteBytes} bytes in all.`);
  }
}

export function tooManyFiles({ maxSiteFiles }: SiteLimits): SiteError {
  const message = `The site has too many files: send at most ${maxSiteFiles}, with ${INDEX}.`;
  return new SiteError(413, message, [{ fault: { code: 'too-long', limit: maxSiteFiles - 1 }, message }]);
}

/** The paths of a list that occur before in it, by their positions. undefined: one that is refused. */
function twinsIn(paths: readonly (string | undefined)[]): ReadonlyMap<number, string> {
  const seen = new Set<string>();
  const twins = new Map<number, string>();
  for (const [at, path] of paths.entries()) {
    if (path === undefined) continue;
    if (seen.has(path)) twins.set(at, path);
    seen.add(path);
  }
  return twins;
}
const twice = (path: string): string => `The file ${shownPath(path)} is there twice: send it once.`;

/** Throws SiteError when two files have one path. */
export function checkTwins(paths: readonly string[]): void {
  const [twin] = twinsIn(paths).values();
  if (twin !== undefined) throw new SiteError(400, twice(twin));
}

export const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Throws SiteError when a file is a page in another charset than UTF-8, in which all pages are sent. */
export function checkCharset(path: string, content: Uint8Array): void {
  if (isHtmlPath(path) && !isUtf8(content)) {
    throw new SiteError(400, `The file ${shownPath(path)} is not UTF-8: save it as UTF-8, and send it again.`);
  }
}

/** A file with its content. */
export type ReadFile = SentFile & { content: Uint8Array };

/** A file as it was sent; throws SiteError. */
export function toReadFile(path: string, content: Buffer): ReadFile {
  checkCharset(path, content);
  return { path, content, bytes: content.length, sha256: sha256Of(content) };
}

/** Files whose contents are in memory. */
export const sentFilesOf = (files: readonly ReadFile[]): SentFiles =>
  new SentFiles(
    files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })),
    async (wanted) => {
      const found = files.find(({ path }) => path === wanted);
      if (!found) throw new Error('A file was read that was not sent.');
      return Buffer.from(found.content.buffer, found.content.byteOffset, found.bytes);
    },
  );

const WRONG_FILES = 'files is invalid: send an object of paths, each with a text or {content, encoding: "base64"}.';

const wrongFiles = (): SiteError =>
  new SiteError(400, WRONG_FILES, [{ fault: { code: 'wrong-type' }, message: WRONG_FILES }]);

/** The content of a file in JSON: a text, or base64. Throws FileError. */
function contentOf(path: string, value: unknown): Buffer {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw new FileError('wrong-format', `The file ${shownPath(path)} has a lone surrogate: send it in base64.`);
    }
    return Buffer.from(value);
  }
  if (value instanceof Object && 'content' in value && 'encoding' in value && value.encoding === 'base64') {
    const { content: text } = value;
    const content = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
    if (content && content.toString('base64') === text) return content;
    throw new FileError('wrong-format', `The file ${shownPath(path)} is not base64: encode its content with padding.`);
  }
  const advice = 'send a text or {content, encoding: "base64"}';
  throw new FileError('wrong-type', `The file ${shownPath(path)} has no content: ${advice}.`);
}

/** A value in `files` of a JSON text; only its texts are read. undefined: no file has such a value. */
function fileValue(text: string): unknown {
  if (text.startsWith('"')) return unquote(text);
  const { members, problem } = readJsonObject(text, SIZES.json);
  if (problem !== undefined) return undefined;
  const texts = members.filter(({ value }) => value.startsWith('"'));
  return Object.fromEntries(texts.map(({ name, value }) => [name, unquote(value)]));
}

/** The files in the JSON text of `files`, in which a path may occur twice; throws SiteError. */
export function filesOfText(text: string, limits: SiteLimits): ReadFile[] {
  const { members, problem } = readJsonObject(text, { ...SIZES.json, maxMembers: limits.maxSiteFiles });
  if (problem === 'too many members') throw tooManyFiles(limits);
  if (problem !== undefined) throw wrongFiles();
  return readFiles(
    members.map(({ name, value }) => ({ path: name, read: () => fileValue(value) })),
    limits,
  );
}

/** The files of a parsed JSON body; throws SiteError. */
export function filesOfJson(given: unknown, limits: SiteLimits): ReadFile[] {
  if (!(given instanceof Object) || Array.isArray(given)) throw wrongFiles();
  return readFiles(
    Object.entries(given).map(([path, value]) => ({ path, read: () => value })),
    limits,
  );
}

type Entry = { path: string; read(): unknown };

type ReadPath = ReturnType<typeof sitePath>;
const storedPath = (read: ReadPath | undefined): string | undefined => (read && 'path' in read ? read.path : undefined);

/** The faults of paths, each with the path as it was sent. `indexRefused`: the sentence where index.html is not among the files. */
export function pathFaults(sent: readonly string[], paths: readonly ReadPath[], indexRefused?: string): FileFault[] {
  const twins = twinsIn(paths.map(storedPath));
  const faultsOf = (
    code: 'wrong-format' | 'not-allowed',
    messageOf: (read: ReadPath, at: number) => string | undefined,
  ) =>
    paths.flatMap((read, at): FileFault[] => {
      const message = messageOf(read, at);
      return message === undefined ? [] : [{ path: sent[at] ?? '', fault: { code }, message }];
    });
  return [
    ...faultsOf('wrong-format', (read) => ('error' in read ? read.error : undefined)),
    ...faultsOf('not-allowed', (_read, at) => {
      const twin = twins.get(at);
      return twin === undefined ? undefined : twice(twin);
    }),
    ...faultsOf('not-allowed', (read) => (storedPath(read) === INDEX ? indexRefused : undefined)),
  ];
}

/** Reads files, or throws SiteError with all that is wrong. */
function readFiles(entries: readonly Entry[], limits: SiteLimits): ReadFile[] {
  if (entries.length >= limits.maxSiteFiles) throw tooManyFiles(limits);
  const paths = entries.map(({ path }) => sitePath(path));
  const faults = pathFaults(
    entries.map(({ path }) => path),
    paths,
    `The file "${INDEX}" is refused: send it as html.`,
  );
  const files = entries.flatMap(({ path: sent, read }, at) => {
    const path = storedPath(paths[at]) ?? sent;
    try {
      return [toReadFile(path, contentOf(path, read()))];
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      faults.push({ path: sent, fault: { code: error.code }, message: error.message });
      return [];
    }
  });
  const [first] = faults;
  if (first) throw new SiteError(400, first.message, faults);
  return files;
}
