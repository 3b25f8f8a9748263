import type { Rendering } from '../../db/deployments/page-version-queries.ts';
import type { Encoding } from '../response/accept.ts';

/** Memory of content in an encoding, apart from its body. */
const ENTRY_BYTES = 2_048;

/** The properties of content that its headers state. */
export type Content = {
  /** The hash of the content without an encoding; `bytes` is the length of that content. */
  hash: string;
  bytes: number;
  /** Its Content-Type. */
  type: string;
  /** True if clients get the content compressed. */
  isCompressed: boolean;
  /** How it was compressed before it was sent: all clients get it so. */
  storedEncoding?: 'gzip' | undefined;
  /** True if clients may ask for a part of the content. */
  hasRanges: boolean;
};

/** Content in one encoding, with its headers. */
export type Variant = {
  /** The entity tag with its quotes; each encoding has its own. */
  etag: string;
  /**
   * Names and values alternate. The last value, the request's id, is set before each use: a new list would cost more.
   */
  okHeaders: string[];
  notModifiedHeaders: string[];
  body: Buffer;
};

/** Content in memory: compressed with brotli if that is of use, and in the other encodings that clients have asked for. */
export type ReadyBody = Content & { variants: Map<Encoding, Variant> };

/** Gives the body of a variant memory of its own before it is kept: a part of a shared piece of memory would keep all of that. */
export function ownMemory(variant: Variant): void {
  const { body } = variant;
  if (body.buffer.byteLength !== body.length) variant.body = Buffer.from(new Uint8Array(body).buffer);
}

export const etagOf = (hash: string, encoding: Encoding): string =>
  encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`;

/** The headers of an answer with the content, or with a part of it, without type and length. */
export const headersOf = ({ hash, isCompressed, hasRanges }: Content, encoding: Encoding): string[] => [
  ...['ETag', etagOf(hash, encoding)],
  ...(isCompressed ? ['Vary', 'Accept-Encoding'] : []),
  ...['Cache-Control', 'public, max-age=0, must-revalidate'],
  ...['X-Content-Type-Options', 'nosniff', 'Origin-Agent-Cluster', '?1'],
  ...(hasRanges ? ['Accept-Ranges', 'bytes'] : []),
];

/** The header that names the encoding in which content is sent. */
export function encodingHeader({ storedEncoding }: Content, encoding: Encoding): string[] {
  const sent = encoding === 'identity' ? storedEncoding : encoding;
  return sent ? ['Content-Encoding', sent] : [];
}

export function createVariant(content: Content, encoding: Encoding, body: Buffer): Variant {
  const headers = headersOf(content, encoding);
  const bodyHeaders = [
    ...['Content-Type', content.type, 'Content-Length', String(body.length)],
    ...encodingHeader(content, encoding),
  ];
  const requestId = ['x-request-id', ''];
  return {
    etag: etagOf(content.hash, encoding),
    okHeaders: [...headers, ...bodyHeaders, ...requestId],
    notModifiedHeaders: [...headers, ...requestId],
    body,
  };
}

export const toReadyBody = (content: Content, encoding: Encoding, body: Buffer): ReadyBody => ({
  ...content,
  variants: new Map([[encoding, createVariant(content, encoding, body)]]),
});

/** HTML as it was rendered. */
export const toReadyHtml = ({ hash, bytes, br }: Rendering, hasRanges: boolean): ReadyBody =>
  toReadyBody({ hash, bytes, type: 'text/html; charset=utf-8', isCompressed: true, hasRanges }, 'br', br);

/** The memory of content in one encoding, in bytes. */
export const sizeOfVariant = ({ body }: Variant): number => ENTRY_BYTES + body.length;

/** The memory of a body in all of its encodings, in bytes. */
export const sizeOfBody = ({ variants }: ReadyBody): number =>
  [...variants.values()].reduce((sum, variant) => sum + sizeOfVariant(variant), 0);
