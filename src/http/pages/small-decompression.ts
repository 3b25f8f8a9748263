import { brotliDecompressSync } from 'node:zlib';

/**
 * Returns a small body as it was before brotli; `bytes`: its length. zlib's object for this call, and with it the memory of its output,
 * would stay until the next full garbage collection: at a high rate that is as much as all pages in memory. The output is copied, and
 * its memory is freed at once.
 */
export function decompressSmall(br: Buffer, bytes: number): Buffer {
  // A smaller output would be a part of memory that others share, which can't be freed.
  const chunkSize = Math.max(bytes + 1, Buffer.poolSize);
  const output = brotliDecompressSync(br, { chunkSize });
  if (output.buffer.byteLength !== chunkSize) return output;
  const copy = Buffer.from(new Uint8Array(output).buffer);
  output.buffer.transfer(0);
  return copy;
}
