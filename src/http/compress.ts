import { once } from 'node:events';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { SIZES } from '../limits.ts';
import type { Encoding } from './accept.ts';

/*
 * Compresses answers on libuv's threads, so that the event loop is free meanwhile. Pages have their own options
 * (compute/render-page.ts).
 */

type Compressed = Exclude<Encoding, 'identity'>;
type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

const { encoderSliceBytes } = SIZES.internalAnswers;

// For answers that are made for one request. A page of 100 submissions (25 KB) takes 0.3 ms and becomes a fifth as
// long; the highest quality would take a hundred times as long and save a tenth more. The window bounds the memory.
const FAST_GZIP = { level: 3 };
const FAST_BROTLI: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

// For what is compressed once for all requests, the first of which waits. Swagger UI (1.7 MB) takes 50 ms; quality 9
// would take twice as long for 3 % less, quality 10 twenty times as long for a tenth less.
const SHARED_GZIP = { level: 6 };
const SHARED_BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const brotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);
const gzipped = promisify<Buffer, { level: number }, Buffer>(gzip);

/** Compresses an answer to one request. */
export const compressFast = (body: Buffer, encoding: Compressed): Promise<Buffer> =>
  encoding === 'gzip' ? gzipped(body, FAST_GZIP) : brotli(body, FAST_BROTLI);

/** Compresses what all requests share. */
export const compressOnce = (body: Buffer, encoding: Compressed): Promise<Buffer> =>
  encoding === 'gzip' ? gzipped(body, SHARED_GZIP) : brotli(body, SHARED_BROTLI);

/**
 * The pieces of an answer, compressed as they come; some are empty. The next one is read once what is made of the last
 * has been taken.
 */
export async function* compressPieces(pieces: Pieces, encoding: Compressed): AsyncGenerator<Buffer> {
  const encoder = encoding === 'gzip' ? createGzip(FAST_GZIP) : createBrotliCompress(FAST_BROTLI);
  let made: Buffer[] = [];
  encoder.on('data', (bytes: Buffer) => made.push(bytes));
  const ended = once(encoder, 'end');
  // It is awaited at the end only; an error rejects the write as well.
  ended.catch(() => undefined);
  const write = promisify<Buffer, void>((bytes, done) => encoder.write(bytes, done));
  function take(): Buffer {
    const taken = Buffer.concat(made);
    made = [];
    return taken;
  }

  try {
    for await (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      for (let from = 0; from < bytes.length; from += encoderSliceBytes) {
        await write(bytes.subarray(from, from + encoderSliceBytes));
        yield take();
      }
      // Whoever takes the pieces can stop here, such as when the client has left.
      if (bytes.length === 0) yield take();
    }
    encoder.end();
    await ended;
    yield take();
  } finally {
    encoder.destroy();
  }
}
