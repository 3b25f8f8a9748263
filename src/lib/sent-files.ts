import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { SIZES } from '../sizes.ts';
import { readJsonObject, unquote } from './json-text.ts';
import { INDEX, isHtmlPath, shownPath, sitePath } from './site-paths.ts';

/** A file of a site, with the SHA-256 of its content in hex. */
type SentFile = { path: string; sha256: string; bytes: number };

/** The limits of a site; index.html counts as a file. */
export type SiteLimits = Readonly<
  Record<'maxSiteFiles' | 'maxSiteFileBytes' | 'maxSiteBytes' | 'maxHtmlBytes', number>
>;

/** A site is refused. The message names the file where it is about one. */
export class SiteError extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
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
  if ('error' in read) throw new SiteError(400, read.error);
  return read.path;
}

/** How many bytes a file may have. */
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

export const tooManyFiles = ({ maxSiteFiles }: SiteLimits): SiteError =>
  new SiteError(413, `The site has too many files: send at most ${maxSiteFiles}, with ${INDEX}.`);

/** Throws SiteError when two files have one path. */
export function checkTwins(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(path)) throw new SiteError(400, `The file ${shownPath(path)} is there twice: send it once.`);
    seen.add(path);
  }
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

/** The content of a file in JSON: a text, or base64. */
function contentOf(path: string, value: unknown): Buffer {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw new SiteError(400, `The file ${shownPath(path)} has a lone surrogate: send it in base64.`);
    }
    return Buffer.from(value);
  }
  if (value instanceof Object && 'content' in value && 'encoding' in value && value.encoding === 'base64') {
    const { content: text } = value;
    const content = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
    if (content && content.toString('base64') === text) return content;
    throw new SiteError(400, `The file ${shownPath(path)} is not base64: encode its content with padding.`);
  }
  throw new SiteError(400, `The file ${shownPath(path)} has no content: send a text or {content, encoding: "base64"}.`);
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
  if (problem !== undefined) throw new SiteError(400, WRONG_FILES);
  return readFiles(
    members.map(({ name, value }) => ({ path: name, read: () => fileValue(value) })),
    limits,
  );
}

/** The files of a parsed JSON body; throws SiteError. */
export function filesOfJson(given: unknown, limits: SiteLimits): ReadFile[] {
  if (!(given instanceof Object) || Array.isArray(given)) throw new SiteError(400, WRONG_FILES);
  return readFiles(
    Object.entries(given).map(([path, value]) => ({ path, read: () => value })),
    limits,
  );
}

function readFiles(entries: readonly { path: string; read(): unknown }[], limits: SiteLimits): ReadFile[] {
  if (entries.length >= limits.maxSiteFiles) throw tooManyFiles(limits);
  const paths = entries.map(({ path }) => checkedPath(path));
  checkTwins(paths);
  if (paths.includes(INDEX)) throw new SiteError(400, `The file "${INDEX}" is refused: send it as html.`);
  return entries.map(({ path, read }, at) => toReadFile(paths[at] ?? '', contentOf(path, read())));
}
