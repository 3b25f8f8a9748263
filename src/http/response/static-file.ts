import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib';
import type { Response } from 'express';
import type { Limits } from '../../limits.ts';
import type { ChooseEncoding, Encoding } from './accept.ts';

/** Answers of what has an ETag. */
export const notModified = { description: 'The client has this version (If-None-Match).' };

const brotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress);
const gzipped = promisify<Buffer, { level: number }, Buffer>(gzip);

/**
 * Compresses what all requests share, the first of which waits. Swagger UI (1.7 MB) takes 50 ms; quality 9 would take twice as
 * long for 3 % less, quality 10 twenty times as long for a tenth less.
 */
const compress = (body: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> =>
  encoding === 'gzip' ? gzipped(body, { level: 6 }) : brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });

/** Content in an encoding. */
type Variant = { encoding: Encoding; etag: string; body: Buffer };

/** Sends what does not change while the process runs. It is read, hashed and compressed at its first use. */
export function staticFile({
  type,
  headers,
  chooseEncoding,
  read,
  limits,
}: {
  type: string;
  headers: Readonly<Record<string, string>>;
  chooseEncoding: ChooseEncoding;
  read(): Promise<Buffer>;
  limits: Limits;
}): (response: Response) => Promise<void> {
  const variants = new Map<Encoding, Variant | Promise<Variant>>();

  async function make(encoding: Encoding): Promise<Variant> {
    const content = await read();
    // Each encoding has its own (RFC 9110, 8.8.3.3).
    const hash = createHash('sha256').update(content).digest('base64url');
    if (encoding === 'identity') return { encoding, etag: `"${hash}"`, body: content };
    return { encoding, etag: `"${hash}-${encoding}"`, body: await compress(content, encoding) };
  }

  function variant(encoding: Encoding): Variant | Promise<Variant> {
    const known = variants.get(encoding);
    if (known) return known;
    const making = make(encoding);
    variants.set(encoding, making);
    making.then(
      (made) => variants.set(encoding, made),
      () => variants.delete(encoding),
    );
    return making;
  }

  /** The variant in an encoding, or the plain one while a busy machine is still compressing. */
  async function variantInTime(encoding: Encoding): Promise<Variant> {
    const wanted = variant(encoding);
    if (!(wanted instanceof Promise)) return wanted;
    const late = delay(limits.requests.fixedCompressionTimeoutMs, undefined, { ref: false });
    return (await Promise.race([wanted, late])) ?? variant('identity');
  }

  return async (response) => {
    const { encoding, etag, body } = await variantInTime(chooseEncoding(response.req));
    response
      .type(type)
      .vary('Accept-Encoding')
      .set({ ...headers, ETag: etag });
    // A 304 has no body that could be encoded.
    if (encoding !== 'identity' && !response.req.fresh) response.set('Content-Encoding', encoding);
    response.send(body);
  };
}
