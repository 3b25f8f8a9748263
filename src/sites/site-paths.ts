import { posix } from 'node:path';
import compressible from 'compressible';
import { lookup } from 'mime-types';
import { WELL_KNOWN } from './ignored-names.ts';

/** The page itself, which every site has. */
export const INDEX = 'index.html';
/** The path of the operator's contact (RFC 9116), on every host. */
export const SECURITY_TXT = '/.well-known/security.txt';

const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 1_000;
/** NFC leaves at least a third of a text's bytes: three letters of Korean become one syllable. */
const MAX_SHRINKING = 3;
/** More combining marks in a row than a name has room for. The time of NFC grows with the square of their number.
 * A search begins only where a row does: from each of its marks, it would read the rest of the row again. */
const TOO_MANY_MARKS = /(?<!\p{M})\p{M}{131}/u;
/** Characters of a path in a message. */
const MAX_SHOWN_CHARS = 100;

/** A path in a message: control characters are escaped. */
export const shownPath = (path: string): string =>
  JSON.stringify(path.length > MAX_SHOWN_CHARS ? `${path.slice(0, MAX_SHOWN_CHARS)}…` : path);

export const PATH_TOO_LONG = `the path is longer than ${MAX_PATH_BYTES} bytes`;
const NAME_TOO_LONG = `a name is longer than ${MAX_SEGMENT_BYTES} bytes`;

/** Says which part of a path is too long even where NFC makes it shorter; undefined: none. */
function lengthProblem(path: string): string | undefined {
  const maxBytes = MAX_PATH_BYTES * MAX_SHRINKING;
  if (path.length > maxBytes || Buffer.byteLength(path) > maxBytes) return PATH_TOO_LONG;
  const isLong = (name: string): boolean => Buffer.byteLength(name) > MAX_SEGMENT_BYTES * MAX_SHRINKING;
  return path.split('/').some(isLong) || TOO_MANY_MARKS.test(path) ? NAME_TOO_LONG : undefined;
}

/** The path in the Unicode form NFC, as paths are stored; undefined where it is too long to be one of a file. */
export const normalizePath = (path: string): string | undefined =>
  lengthProblem(path) === undefined ? path.normalize('NFC') : undefined;

/** The path of a URL as it is stored; undefined where it can't be decoded, or is too long to be one of a file. */
export function decodePath(encoded: string): string | undefined {
  // Each byte is at most three characters of a URL.
  if (encoded.length > 3 * MAX_PATH_BYTES * MAX_SHRINKING) return undefined;
  try {
    return normalizePath(decodeURIComponent(encoded));
  } catch {
    return undefined;
  }
}

/** Says what is wrong with a segment; undefined: nothing. */
function problemOf(segment: string, isFirstOfMore: boolean): string | undefined {
  if (segment === '') return 'a name in the path is empty';
  if (segment === '.' || segment === '..') return `the path has the name "${segment}"`;
  if (segment.includes('\\')) return 'the path has a backslash: separate names with /';
  if (/\p{Cc}/u.test(segment)) return 'the path has a control character';
  if (segment.startsWith('.') && !(isFirstOfMore && segment === WELL_KNOWN)) {
    return `a name begins with a dot, which only the folder ${WELL_KNOWN} may`;
  }
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return NAME_TOO_LONG;
  return undefined;
}

/** Says what is wrong with a path in NFC; undefined: nothing. */
function pathProblem(path: string): string | undefined {
  if (!path.isWellFormed()) return 'the path is not well-formed Unicode';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return PATH_TOO_LONG;
  const segments = path.split('/');
  for (const [at, segment] of segments.entries()) {
    const problem = problemOf(segment, at === 0 && segments.length > 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * The path of a file of a site as it is stored: names joined by `/`, in the Unicode form NFC. Otherwise a sentence that says
 * what is wrong with which file.
 */
export function sitePath(given: string): { path: string } | { error: string } {
  const path = normalizePath(given);
  const problem = path === undefined ? lengthProblem(given) : pathProblem(path);
  return path === undefined || problem !== undefined
    ? { error: `The file ${shownPath(given)} is refused: ${problem}.` }
    : { path };
}

/** Returns whether a file is a page: its forms are checked, and may be posted to its address. */
export const isHtmlPath = (path: string): boolean => /\.html?$/i.test(path);

/** Returns whether browsers show a file as a page: also XHTML, whose forms are not checked. */
export const isShownAsPage = (path: string): boolean => /\.(?:html?|xhtml?)$/i.test(path);

/** Returns whether a file is a script. */
export const isScriptPath = (path: string): boolean => /\.[mc]?js$/i.test(path);

/** Returns whether a file is a text in which `{{FORM_ACTION}}` is replaced, if it is no larger than a page may be. */
export const isTextPath = (path: string): boolean => /\.(?:x?html|htm|[mc]?js|json|txt|xml|svg|css)$/i.test(path);

/** Returns whether the placeholder in a file is replaced, if the file has it. */
export const isReplacedIn = ({ path, bytes }: { path: string; bytes: number }, maxHtmlBytes: number): boolean =>
  isTextPath(path) && bytes <= maxHtmlBytes;

/** The declaration in an XML file may name another encoding, over which a charset of the type would win (RFC 7303, 3). */
const HAS_CHARSET = /^text\/(?!xml$)|(?:javascript|json)$/;
/** A file without an extension, which says to Apple's systems which apps open addresses of the site. */
const APPLE_ASSOCIATION = 'apple-app-site-association';

/** The content type of a file, which its name alone says. */
export function siteFileType(path: string): string {
  const name = posix.basename(path) === APPLE_ASSOCIATION ? '.json' : posix.extname(path);
  const type = lookup(name) || 'application/octet-stream';
  return HAS_CHARSET.test(type) ? `${type}; charset=utf-8` : type;
}

/**
 * Returns whether a file is an SVG that was compressed before it was sent. Its content stays compressed, whatever a client
 * accepts.
 */
export const isCompressedSvg = (path: string): boolean => /\.svgz$/i.test(path);

/** Returns whether the content of a file becomes smaller when it is compressed. */
export const isCompressible = (path: string): boolean =>
  !isCompressedSvg(path) && compressible(siteFileType(path)) === true;
