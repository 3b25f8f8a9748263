import { posix } from 'node:path';
import compressible from 'compressible';
import { lookup } from 'mime-types';

/** The page itself, which every site has. */
export const INDEX = 'index.html';
/** The path of the operator's contact (RFC 9116), on every host. */
export const SECURITY_TXT = '/.well-known/security.txt';

const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 1_000;
/** The only name with a leading dot: of the folder of RFC 8615. */
const WELL_KNOWN = '.well-known';
/** Characters of a path in a message. */
const MAX_SHOWN_CHARS = 100;

/** A path in a message: control characters are escaped. */
export const shownPath = (path: string): string =>
  JSON.stringify(path.length > MAX_SHOWN_CHARS ? `${path.slice(0, MAX_SHOWN_CHARS)}…` : path);

/** Says what is wrong with a segment; undefined: nothing. */
function problemOf(segment: string, isFirstOfMore: boolean): string | undefined {
  if (segment === '') return 'a name in the path is empty';
  if (segment === '.' || segment === '..') return `the path has the name "${segment}"`;
  if (segment.includes('\\')) return 'the path has a backslash: separate names with /';
  if (/\p{Cc}/u.test(segment)) return 'the path has a control character';
  if (segment.startsWith('.') && !(isFirstOfMore && segment === WELL_KNOWN)) {
    return `a name begins with a dot, which only the folder ${WELL_KNOWN} may`;
  }
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `a name is longer than ${MAX_SEGMENT_BYTES} bytes`;
  return undefined;
}

/**
 * The path of a file of a site as it is stored: names joined by `/`, in the Unicode form NFC. Otherwise a sentence that says
 * what is wrong with which file.
 */
export function sitePath(given: string): { path: string } | { error: string } {
  const path = given.normalize('NFC');
  const segments = path.split('/');
  let problem: string | undefined;
  if (!given.isWellFormed()) problem = 'the path is not well-formed Unicode';
  else if (Buffer.byteLength(path) > MAX_PATH_BYTES) problem = `the path is longer than ${MAX_PATH_BYTES} bytes`;
  for (const [at, segment] of segments.entries()) problem ??= problemOf(segment, at === 0 && segments.length > 1);
  return problem === undefined ? { path } : { error: `The file ${shownPath(given)} is refused: ${problem}.` };
}

/** Whether a file is a page: its `{{FORM_ACTION}}` is replaced, and its address may leave out `.html`. */
export const isHtmlPath = (path: string): boolean => /\.html$/i.test(path);

const HAS_CHARSET = /^text\/|(?:javascript|json|xml)$/;

/** The content type of a file, which its extension alone says. */
export function siteFileType(path: string): string {
  const type = lookup(posix.extname(path)) || 'application/octet-stream';
  return HAS_CHARSET.test(type) ? `${type}; charset=utf-8` : type;
}

/** Whether a content of this type becomes smaller when it is compressed. */
export const isCompressible = (contentType: string): boolean => compressible(contentType) === true;
