import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

/** A stored page, the address that its forms post to, and the encoding to compress it in. */
export type RenderInput = { html: Uint8Array; action: string; encoding: Encoding };

/** A page as it is served: its bytes, their hash, and the bytes compressed unless `encoding` was identity. */
export type RenderedPage = { body: Uint8Array; hash: string; compressed: Uint8Array | undefined };

/** Stands in a page for the address that its forms post to. */
export const PLACEHOLDER = '{{FORM_ACTION}}';

/** What brotli's window adds to a page's length (RFC 7932, 9.1). */
const WINDOW_GAP = 16;

/** The smallest window, as a power of two, that holds a body. */
function windowBits({ length }: Uint8Array): number {
  const { BROTLI_MIN_WINDOW_BITS: min, BROTLI_DEFAULT_WINDOW: max } = constants;
  return Math.min(max, Math.max(min, Math.ceil(Math.log2(length + WINDOW_GAP))));
}

/**
 * Brotli at quality 5: 11, the best, takes a hundred times as long and saves a tenth more. The default window is 4 MiB: to
 * allocate it takes longer than to compress a small page.
 */
export const brotliOptions = (body: Uint8Array) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    [constants.BROTLI_PARAM_LGWIN]: windowBits(body),
  },
});

const hashOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url').slice(0, 27);

/** A page as given, except for the address that its forms post to. */
function withFormAction(html: Uint8Array, action: string): Uint8Array {
  // latin1 has a character for each byte, and a string is searched several times as fast as a buffer.
  const text = Buffer.from(html.buffer, html.byteOffset, html.byteLength).toString('latin1');
  const found: number[] = [];
  for (let at = text.indexOf(PLACEHOLDER); at !== -1; at = text.indexOf(PLACEHOLDER, at + PLACEHOLDER.length)) {
    found.push(at);
  }
  if (found.length === 0) return html;
  const replacement = Buffer.from(action);
  // Every byte is written below.
  const page = Buffer.allocUnsafeSlow(html.length + found.length * (replacement.length - PLACEHOLDER.length));
  let from = 0;
  let to = 0;
  for (const at of found) {
    page.set(html.subarray(from, at), to);
    to += at - from;
    page.set(replacement, to);
    to += replacement.length;
    from = at + PLACEHOLDER.length;
  }
  page.set(html.subarray(from), to);
  return page;
}

function compress(body: Uint8Array, encoding: Encoding): Uint8Array | undefined {
  if (encoding === 'identity') return undefined;
  return encoding === 'gzip' ? gzipSync(body) : brotliCompressSync(body, brotliOptions(body));
}

/** What it makes of small pages is stored (src/http/new-page.ts): a change of it has to make what is stored anew. */
export function renderPage({ html, action, encoding }: RenderInput): RenderedPage {
  const body = withFormAction(html, action);
  return { body, hash: hashOf(body), compressed: compress(body, encoding) };
}
