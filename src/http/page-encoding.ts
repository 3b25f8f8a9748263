import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, gunzip, gzip } from 'node:zlib';
import { brotliOptions, type Encoding } from '../compute/render-page.ts';
import { SIZES } from '../limits.ts';

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);
const unbrotli = promisify(brotliDecompress);
const gunzipped = promisify(gunzip);

export function encode(body: Uint8Array, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return toBuffer(body);
  if (encoding === 'gzip') return gzipped(body);
  return body.length > SIZES.internalPages.syncCompressedBytes
    ? brotli(body, brotliOptions(body))
    : brotliCompressSync(body, brotliOptions(body));
}

/** Decompresses on libuv's threads. */
export function decode(body: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  return encoding === 'gzip' ? gunzipped(body) : unbrotli(body);
}

/** zlib takes no less (Z_MIN_CHUNK). */
const MIN_CHUNK_BYTES = 64;

/** The body of at most `SIZES.internalPages.largeBytes` that is compressed in `br`; `bytes`: its length. */
export const decodeSmall = (br: Buffer, bytes: number): Buffer =>
  // One piece of the right length: otherwise zlib allocates 16 KiB each, and joins them.
  brotliDecompressSync(br, { chunkSize: Math.max(MIN_CHUNK_BYTES, bytes) });

/** The same bytes, not copied. */
export const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** A copy, unless the bytes are alone in their memory: a part of a shared piece would keep all of that. */
export function withOwnMemory(body: Buffer): Buffer {
  if (body.byteLength === body.buffer.byteLength) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  body.copy(copy);
  return copy;
}
