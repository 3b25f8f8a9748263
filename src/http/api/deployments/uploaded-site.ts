import { isUtf8 } from 'node:buffer';
import type { Config } from '../../../config.ts';
import { literal } from '../../../problems/sentence.ts';
import { MAX_VALUE_ERRORS, pointerTo, type ValueError } from '../../../problems/value-errors.ts';
import { isIgnoredPath } from '../../../sites/ignored-names.ts';
import { checkedPath, pathFaults, SentFiles, SiteError, tooManyFiles } from '../../../sites/sent-files.ts';
import {
  ENTRIES_PER_FILE,
  forEachName,
  isIgnored,
  MAX_NAME_BYTES,
  rootOf,
  withoutDotSlash,
} from '../../../sites/site-names.ts';
import { INDEX, isHtmlPath, PATH_TOO_LONG, shownPath, sitePath } from '../../../sites/site-paths.ts';
import { openZip } from '../../../sites/zip-site.ts';
import { SIZES } from '../../../sizes.ts';
import { type FormContext, invalidField } from '../../request/json-body.ts';
import { tooManyUploads } from '../../request/receive-body.ts';
import { type FilePart, readParts } from '../../request/upload-parts.ts';
import { HttpError } from '../../response/errors.ts';

/*
 * A page, or a site, as multipart/form-data: each file is a part, whose filename is its path.
 */

/** Bytes for the boundary and the header of each part. */
const PART_HEADER_BYTES = 2 * 1024;
const ZIP_TYPE = /^application\/(?:x-)?zip(?:-compressed)?$/i;
const HTML_TYPE = /^text\/html$/i;

const NO_FILE = 'The upload has no file: send each file as a part with a filename, as curl -F file=@index.html does.';
const PAGE_TWICE = `The page is there twice: send it as html, or as the file "${INDEX}".`;
const FILES_AS_TEXT = 'files is a text: send each file as a part with a filename.';
const NOT_UTF8_TEXT = 'html has a character that is not UTF-8: save the page as UTF-8, or send it as a file.';

/** How long such a body may be. */
export const uploadBytes = ({ maxSiteBytes, maxSiteFiles }: Config): number =>
  maxSiteBytes + SIZES.body.settingsBytes + maxSiteFiles * PART_HEADER_BYTES;

/** The error of files, with the place of each that is wrong: as in a JSON body, index.html is `html`. */
function siteRefused({ status, message: sentence, faults }: SiteError): HttpError {
  const message = literal(sentence);
  const errors = faults.slice(0, MAX_VALUE_ERRORS).map(({ path, fault, message: ofFault }): ValueError => {
    const detail = literal(ofFault);
    const pointer = path === INDEX ? '/html' : pointerTo(path === undefined ? ['files'] : ['files', path]);
    return { pointer, ...fault, detail };
  });
  return status === 413 ? new HttpError(413, message, {}, { errors }) : invalidField(errors, message);
}

const fileError = (path: string, message: string): SiteError =>
  new SiteError(400, message, [{ path, fault: { code: 'wrong-format' }, message }]);
const refused = (path: string, problem: string): SiteError =>
  fileError(path, `The file ${shownPath(path)} is refused: ${problem}.`);
const notUtf8 = (path: string): SiteError =>
  fileError(path, `The file ${shownPath(path)} is not UTF-8: save it as UTF-8, and send it again.`);

function pageTooLarge(limit: number): SiteError {
  const message = `html is too large: send at most ${limit} bytes.`;
  return new SiteError(413, message, [{ path: INDEX, fault: { code: 'too-long', limit }, message }]);
}

/** The name of a file, without what programs write before it. Throws SiteError. */
function nameOf(filename: string): string {
  if (filename.length > MAX_NAME_BYTES || Buffer.byteLength(filename) > MAX_NAME_BYTES) {
    throw refused(filename, PATH_TOO_LONG);
  }
  if (filename.includes('\ufffd')) throw refused(filename, 'its path is not UTF-8');
  return withoutDotSlash(filename);
}

/** Returns whether a file of a form belongs to the site. Throws SiteError where there are too many. */
function fileFilter(config: Config): (filename: string) => boolean {
  let count = 0;
  return (filename) => {
    if (isIgnored(nameOf(filename))) return false;
    count += 1;
    if (count > config.maxSiteFiles) throw tooManyFiles(config);
    return true;
  };
}

const contentOf = ({ pieces }: FilePart): Buffer => {
  const [first, ...others] = pieces;
  return first && others.length === 0 ? first : Buffer.concat(pieces);
};

const isZip = ({ path, type }: FilePart): boolean => /\.zip$/i.test(path) || ZIP_TYPE.test(type);
const isPage = ({ path, type }: FilePart): boolean => isHtmlPath(path) || HTML_TYPE.test(type);

/** The text of a page that is a file. One that is too large is not decoded: it would take as much memory again. */
function textOf(file: FilePart, { maxHtmlBytes }: Config): string {
  if (file.bytes > maxHtmlBytes) throw pageTooLarge(maxHtmlBytes);
  const content = contentOf(file);
  if (isUtf8(content)) return content.toString();
  throw notUtf8(file.path);
}

/** The fields of a body: a page, and its files if it is a site, or all that is wrong with these. */
type Uploaded = { html: unknown; files?: SentFiles | SiteError };

/** The file alone, which is a page of any name, or the zip of a site; undefined for another file. */
async function alone(file: FilePart, config: Config, { reservation }: FormContext): Promise<Uploaded | undefined> {
  if (isPage(file)) {
    checkedPath(file.path);
    return { html: textOf(file, config) };
  }
  if (!isZip(file)) return undefined;
  // The pieces of the body, and all of the zip.
  if (!reservation.fits(file.bytes)) throw tooManyUploads();
  reservation.add(file.bytes);
  return openZip(contentOf(file), config).catch((error: unknown) => {
    throw error instanceof SiteError ? new HttpError(error.status, literal(error.message)) : error;
  });
}

/** The files of a site, checked. `html`: the page, where it is a text field. Throws SiteError where the page is wrong. */
async function siteOf(parts: readonly FilePart[], html: unknown, config: Config): Promise<Uploaded> {
  const root =
    html === undefined
      ? await rootOf(
          parts.map(({ path }) => path),
          'The upload',
        )
      : '';
  const inSite = parts
    .map((part) => ({ ...part, path: part.path.slice(root.length) }))
    .filter(({ path }) => !isIgnoredPath(path));
  const read: ReturnType<typeof sitePath>[] = [];
  await forEachName(inSite, ({ path }) => void read.push(sitePath(path)));
  const faults = pathFaults(
    inSite.map(({ path }) => path),
    read,
    html === undefined ? undefined : PAGE_TWICE,
  );
  const files = inSite.map((part, at): FilePart => {
    const stored = read[at];
    return { ...part, path: stored && 'path' in stored ? stored.path : part.path };
  });
  for (const file of files) {
    // A larger one is refused later.
    const isRead = isHtmlPath(file.path) && file.bytes <= config.maxHtmlBytes;
    if (isRead && !isUtf8(contentOf(file))) faults.push(...notUtf8(file.path).faults);
  }
  const index = files.find(({ path }) => path === INDEX);
  const [first] = faults;
  const error = first && new SiteError(400, first.message, faults);
  const isPageWrong = (!index && html === undefined) || faults.some(({ path }) => path === undefined || path === INDEX);
  if (error && isPageWrong) throw error;
  // The check of all fields adds what is wrong with others.
  return {
    html: index ? textOf(index, config) : html,
    files: error ?? sentFiles(files.filter((file) => file !== index)),
  };
}

/** Their contents are put together when they are stored. */
const sentFiles = (files: readonly FilePart[]): SentFiles =>
  new SentFiles(
    files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })),
    async (wanted) => {
      const found = files.find(({ path }) => path === wanted);
      if (!found) throw new Error('A file was read that was not sent.');
      return contentOf(found);
    },
  );

/** The page that is a text field, if there is one. Throws 400 for a field that is sent twice. The parser replaces what is not UTF-8. */
function pageText(texts: Readonly<Record<string, unknown>>): unknown {
  const { html, slug, files = '' } = texts;
  for (const [name, value] of Object.entries({ html, slug })) {
    if (value === undefined || typeof value === 'string') continue;
    const detail = `${name} is not one text: send it once, without brackets in its name.`;
    throw invalidField([{ pointer: pointerTo([name]), code: 'not-allowed', detail }]);
  }
  if (files !== '') throw invalidField([{ pointer: '/files', code: 'wrong-type', detail: FILES_AS_TEXT }]);
  if (typeof html === 'string' && html.includes('\ufffd')) {
    throw invalidField([{ pointer: '/html', code: 'wrong-format', detail: NOT_UTF8_TEXT }]);
  }
  return html === '' ? undefined : html;
}

/** Reads a body: the fields that it has. A slug that was left empty is none. */
export async function readUpload(body: Buffer, context: FormContext, config: Config): Promise<Record<string, unknown>> {
  const { request, reservation } = context;
  const limits = {
    maxFiles: config.maxSiteFiles * ENTRIES_PER_FILE,
    maxTextBytes: config.maxHtmlBytes,
    isWanted: fileFilter(config),
  };
  try {
    const { files: sent, texts, textChars } = await readParts(request, body, limits);
    reservation.add(textChars);
    const html = pageText(texts);
    const { html: _page, files: _files, slug, ...others } = texts;
    const fields = { ...others, ...(slug !== undefined && slug !== '' && { slug }) };
    const files = sent.map((file) => ({ ...file, path: nameOf(file.path) }));
    const [only, ...more] = files;
    if (!only) {
      if (html === undefined) throw invalidField([{ pointer: '/html', code: 'missing', detail: NO_FILE }]);
      return { ...fields, html };
    }
    const single = html === undefined && more.length === 0 ? await alone(only, config, context) : undefined;
    return { ...fields, ...(single ?? (await siteOf(files, html, config))) };
  } catch (error) {
    throw error instanceof SiteError ? siteRefused(error) : error;
  }
}
