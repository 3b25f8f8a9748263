import { randomBytes } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decompressSmall } from '../../../src/http/pages/small-decompression.ts';

const bodies = [Buffer.from('x'), Buffer.alloc(8_192, 'a page '), randomBytes(40_000), randomBytes(64 * 1024)];

it('decompresses into memory that nothing else uses', () => {
  for (const body of bodies) {
    const plain = decompressSmall(brotliCompressSync(body), body.length);
    expect([plain.equals(body), plain.buffer.byteLength]).toEqual([true, body.length]);
  }
});

it('decompresses what is longer or shorter than was said', () => {
  const body = randomBytes(300_000);
  expect(decompressSmall(brotliCompressSync(body), 10).equals(body)).toBe(true);
  expect(decompressSmall(brotliCompressSync('x'), 100_000).toString()).toBe('x');
});
