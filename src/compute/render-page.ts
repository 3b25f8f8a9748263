import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';

/** A stored page, and the address that its forms post to. */
export type RenderInput = { html: Uint8Array; action: string };

/** A page as visitors get it, compressed with brotli. `hash` and `bytes`, its length, are those of the uncompressed page. */
export type RenderedPage = { hash: string; bytes: number; br: Uint8Array };

/** Stands in a page for the address that its forms post to. */
export const PLACEHOLDER = '{{FORM_ACTION}}';

/** The bytes that brotli's window needs besides a page's length (RFC 7932, 9.1). */
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
  if (!text.includes(PLACEHOLDER)) return html;
  return Buffer.from(
    text.replaceAll(PLACEHOLDER, () => Buffer.from(action).toString('latin1')),
    'latin1',
  );
}

/** Its result is stored (src/http/pages/page-renderer.ts): a change of this function has to make the stored results anew. */
export function renderPage({ html, action }: RenderInput): RenderedPage {
  const body = withFormAction(html, action);
  return { hash: hashOf(body), bytes: body.length, br: brotliCompressSync(body, brotliOptions(body)) };
}
