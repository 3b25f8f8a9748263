import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request } from 'express';
import multer from 'multer';
import { SiteError } from '../../sites/sent-files.ts';
import { HttpError } from '../response/errors.ts';
import { feedParser } from './feed-parser.ts';
import { mediaType } from './json-body.ts';

/*
 * The parts of a multipart/form-data body of the API. The forms of visitors have a reader of their own in src/http/submit, which
 * keeps everything as it was sent.
 */

/** Bytes that are read before other work has a turn. */
const SLICE_BYTES = 64 * 1024;
/** Parts that are read before other work has a turn: each takes as long as many bytes. */
const PARTS_PER_TURN = 32;
/** Bytes that are searched for a delimiter before other work has a turn. */
const SEARCHED_BYTES = 1024 * 1024;
/** Delimiters that are found before other work has a turn. */
const DELIMITERS_PER_TURN = 1_000;
/** More than the parser takes. */
const MAX_HEADER_BYTES = 17 * 1024;
const HEADER_END = '\r\n\r\n';
/** RFC 2046, section 5.1.1. */
const MAX_BOUNDARY_CHARS = 70;
/** Text fields of a body. No endpoint has as many. */
const MAX_TEXT_FIELDS = 100;
const MAX_FIELD_NAME_CHARS = 200;
/** The number in a name such as `a[9]`: the parser makes a list of that length. */
const MAX_LIST_INDEX = 100;
/** Content that is sent as it is. */
const IDENTITY = /^(?:7bit|8bit|binary)?$/i;

const INCOMPLETE =
  'send all of it, begin each part with the boundary that the content type names, and end it with the boundary between two pairs of dashes';
const IN_CONTENT = 'choose a boundary that no content has, with a line break after it';
const AFTER_END = 'put nothing after the boundary that ends it';
const IN_HEADER = 'give each part a header of at most 16 KiB, with an empty line after it';
const UNREADABLE = 'give each part a Content-Disposition of form-data with a name, and each file a filename';
const ENCODED = 'send each part as it is, without a Content-Transfer-Encoding';

/** A file of a form. `path`: its filename. The pieces of its content are in the memory of the body. */
export type FilePart = { path: string; type: string; sha256: string; bytes: number; pieces: readonly Buffer[] };
/** `texts`: a field that is sent twice is a list. `textChars`: how long all of them are. */
type SentParts = { files: readonly FilePart[]; texts: Readonly<Record<string, unknown>>; textChars: number };

type PartLimits = {
  maxFiles: number;
  maxTextBytes: number;
  /** Returns whether a file is wanted: others are not read. Throws SiteError where it is refused. */
  isWanted: (path: string) => boolean;
};

const malformed = (advice: string): HttpError => new HttpError(400, `The multipart body is malformed: ${advice}.`);

const wrongCharset = (): HttpError => new HttpError(415, 'The charset of a part is not supported: send UTF-8.');

const tooManyParts = (): HttpError => new HttpError(413, 'The body has too many parts: send fewer files.');

/** The parser counts these, or finds them wrong. Its other errors are about parts that can't be read. */
const REFUSALS: ReadonlyMap<string, HttpError> = new Map([
  ['LIMIT_FILE_COUNT', new HttpError(413, 'The body has too many files: send fewer.')],
  ['LIMIT_FIELD_COUNT', new HttpError(413, `The body has too many text fields: send at most ${MAX_TEXT_FIELDS}.`)],
  [
    'LIMIT_FIELD_KEY',
    new HttpError(413, `The name of a field is too long: send at most ${MAX_FIELD_NAME_CHARS} characters.`),
  ],
  ['LIMIT_FIELD_ARRAY_INDEX', malformed('send no fields whose names have high numbers in brackets')],
]);

function toHttpError(error: unknown, { maxTextBytes }: PartLimits): unknown {
  if (error instanceof HttpError || error instanceof SiteError) return error;
  if (!(error instanceof multer.MulterError)) {
    const isHeader = error instanceof Error && error.message === 'Malformed part header';
    return malformed(isHeader ? IN_HEADER : INCOMPLETE);
  }
  const code: string = error.code;
  if (code === 'LIMIT_FIELD_VALUE') {
    return new HttpError(413, `A text field is too large: send at most ${maxTextBytes} bytes in each.`);
  }
  return REFUSALS.get(code) ?? malformed(UNREADABLE);
}

/** Keeps the files of one body, in order. */
class FileCollector implements multer.StorageEngine {
  readonly files: FilePart[] = [];

  _handleFile(
    _request: Request,
    { originalname: path, mimetype: type, stream }: Express.Multer.File,
    done: (error?: unknown) => void,
  ): void {
    const pieces: Buffer[] = [];
    const hash = createHash('sha256');
    let bytes = 0;
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece);
      hash.update(piece);
      bytes += piece.length;
    });
    stream.on('error', done);
    stream.on('end', () => {
      this.files.push({ path, type, sha256: hash.digest('hex'), bytes, pieces });
      done();
    });
  }

  _removeFile(_request: Request, _file: Express.Multer.File, done: (error: Error | null) => void): void {
    done(null);
  }
}

/** Counts the parts that the parser finds, and what it would drop. */
class PartWatch {
  count = 0;
  textChars = 0;
  problem: HttpError | undefined;

  observe(parser: Writable): void {
    parser.on('field', (_name: string, text: string | undefined, { encoding }: { encoding: string }) => {
      this.count += 1;
      this.textChars += text?.length ?? 0;
      // The parser has no text where it does not know the charset that a part names.
      if (text === undefined) this.problem ??= wrongCharset();
      this.#checkEncoding(encoding);
    });
    parser.on('file', (_name: string, stream: Readable, file: { filename?: string; encoding: string }) => {
      this.count += 1;
      this.#checkEncoding(file.encoding);
      // A file input that was left empty has neither a filename nor a content.
      if (!file.filename) stream.on('data', () => this.#report(UNREADABLE));
    });
  }

  #checkEncoding(encoding: string): void {
    if (!IDENTITY.test(encoding)) this.#report(ENCODED);
  }

  #report(advice: string): void {
    this.problem ??= malformed(advice);
  }
}

/** Where a body ends, how many parts begin in it, and where the reading pauses because it had PARTS_PER_TURN of them. */
type Layout = { end: number; count: number; pauses: readonly number[] };

/**
 * Finds the delimiters of a body. Throws 400 where the parser would wait for ever, because of a header that does not end or a part
 * after the end, or would cut a content off, because that has the boundary.
 */
async function layoutOf(body: Buffer, boundary: string, maxParts: number): Promise<Layout> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const isAtStart = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  const pauses: number[] = [];
  let end: number | undefined;
  let count = 0;
  let header: number | undefined;
  let at = isAtStart ? -2 : await indexOf(body, delimiter, 0);
  for (let found = 1; at !== -1; found += 1) {
    const after = at + delimiter.length;
    const next = body.toString('latin1', after, after + 2);
    if (end !== undefined) throw malformed(AFTER_END);
    if (header !== undefined && !hasEnd(body, header, at)) throw malformed(IN_HEADER);
    header = next === '\r\n' ? after : undefined;
    if (next === '--') end = after + 2;
    else if (header !== undefined) count += 1;
    else if (next.length === 2) throw malformed(IN_CONTENT);
    if (count > maxParts) throw tooManyParts();
    if (found % PARTS_PER_TURN === 0) pauses.push(after);
    if (found % DELIMITERS_PER_TURN === 0) await nextTurn();
    at = await indexOf(body, delimiter, after);
  }
  if (end === undefined) throw malformed(INCOMPLETE);
  return { end, count, pauses };
}

/** The position of a delimiter, or -1. A content in which it nearly begins everywhere takes long. */
async function indexOf(body: Buffer, delimiter: Buffer, from: number): Promise<number> {
  for (let at = from; at < body.length; at += SEARCHED_BYTES) {
    const found = body.subarray(at, at + SEARCHED_BYTES + delimiter.length - 1).indexOf(delimiter);
    if (found !== -1) return at + found;
    await nextTurn();
  }
  return -1;
}

/** Returns whether a header ends before the delimiter behind its part. */
const hasEnd = (body: Buffer, header: number, delimiter: number): boolean =>
  body.subarray(header, Math.min(delimiter, header + MAX_HEADER_BYTES)).includes(HEADER_END);

function* slicesOf(body: Buffer, { end, pauses }: Layout): Generator<Buffer> {
  let at = 0;
  for (const pause of [...pauses, end]) {
    for (; at < pause; at = Math.min(at + SLICE_BYTES, pause))
      yield body.subarray(at, Math.min(at + SLICE_BYTES, pause));
  }
}

/** Reads the parts of a body that has been received. Throws 400, 413, and what `isWanted` throws. */
export async function readParts(request: Request, body: Buffer, limits: PartLimits): Promise<SentParts> {
  const boundary = mediaType(request)?.parameters.boundary ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_CHARS) {
    throw malformed(`name its boundary, 1 to ${MAX_BOUNDARY_CHARS} characters, in the content type`);
  }
  const { maxFiles, maxTextBytes, isWanted } = limits;
  const maxParts = maxFiles + MAX_TEXT_FIELDS;
  const layout = await layoutOf(body, boundary, maxParts);
  const storage = new FileCollector();
  const watch = new PartWatch();
  const options = {
    storage,
    preservePath: true,
    defParamCharset: 'utf8',
    limits: {
      parts: maxParts,
      files: maxFiles,
      fields: MAX_TEXT_FIELDS,
      fieldSize: maxTextBytes,
      fileSize: body.length,
      fieldNameSize: MAX_FIELD_NAME_CHARS,
      fieldArrayIndexLimit: MAX_LIST_INDEX,
    },
    fileFilter(_request: Request, { originalname }: Express.Multer.File, done: multer.FileFilterCallback): void {
      try {
        done(null, isWanted(originalname));
      } catch (error) {
        done(error instanceof Error ? error : new Error('A file was refused.'));
      }
    },
  };
  const over = new AbortController();
  const read = (parser: Writable): Promise<void> => {
    watch.observe(parser);
    return feedParser(parser, slicesOf(body, layout), layout.count, over.signal).catch(() =>
      Promise.reject(malformed(UNREADABLE)),
    );
  };
  try {
    await runParser(options, request, read);
  } catch (error) {
    throw toHttpError(error, limits);
  } finally {
    over.abort();
  }
  // The parser skips what it can't read.
  if (layout.count > watch.count) throw malformed(UNREADABLE);
  if (watch.problem !== undefined) throw watch.problem;
  return { files: storage.files, texts: { ...request.body }, textChars: watch.textChars };
}

/** Settles as the parser does. Rejects also when `read`, which gives the parser the body, does. */
function runParser(
  options: multer.Options,
  request: Request,
  read: (parser: Writable) => Promise<void>,
): Promise<void> {
  const { res: response } = request;
  if (!response) throw new Error('A request without its response has no parts.');
  return new Promise((resolve, reject) => {
    // The published types lack `streamHandler`, which is documented.
    const withStream = {
      ...options,
      streamHandler: (_request: Request, parser: Writable) => void read(parser).catch(reject),
    };
    const parse = multer(withStream).any();
    parse(request, response, (error?: unknown) => (error === undefined || error === null ? resolve() : reject(error)));
  });
}
