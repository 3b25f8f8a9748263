import type { IncomingMessage } from 'node:http';
import type { SiteFile } from '../../db/deployments/site-file-queries.ts';
import { networkOf } from '../../lib/public-address.ts';
import { SIZES } from '../../sizes.ts';
import type { ClientAddress } from '../request/client-address.ts';
import type { Exchange } from '../request/exchange.ts';
import { type Range, rangeOf } from '../response/byte-range.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { type Content, encodingHeader, etagOf, headersOf, type Variant } from './ready-body.ts';
import { contentOf, type SiteFiles } from './site-file-reader.ts';

/** If-None-Match (RFC 9110, 13.1.2): a list of tags compared weakly, or `*`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  // A tag has its quotes, and none inside. Splitting a list of thousands would take many times as long.
  return header.includes(etag) || header.trim() === '*';
}

/** The part of content that a request asks for. It is a part of the content without an encoding. */
export const partOf = (request: IncomingMessage, { hash, bytes, hasRanges }: Content): ReturnType<typeof rangeOf> =>
  hasRanges && request.headers.range !== undefined
    ? rangeOf(request, { etag: etagOf(hash, 'identity'), bytes })
    : undefined;

/** The headers of content without an encoding, or of a part of it. */
const identityHeaders = (content: Content, part: Range | undefined, requestId: string): string[] => [
  ...headersOf(content, 'identity'),
  ...['Content-Type', content.type],
  ...encodingHeader(content, 'identity'),
  ...['Content-Length', String(part ? part.end + 1 - part.start : content.bytes)],
  ...(part ? ['Content-Range', `bytes ${part.start}-${part.end}/${content.bytes}`] : []),
  ...['x-request-id', requestId],
];

/** `part`: of the content without an encoding; undefined: the whole, which has this status. */
type Answer = { content: Content; part: ReturnType<typeof partOf>; status: number };

/** Sends pages and files: the whole, a part of it, or that the client has it. */
export class ContentSender {
  readonly #files: SiteFiles;
  readonly #writer: ResponseWriter;
  readonly #clientAddress: ClientAddress;

  constructor(files: SiteFiles, writer: ResponseWriter, clientAddress: ClientAddress) {
    this.#files = files;
    this.#writer = writer;
    this.#clientAddress = clientAddress;
  }

  /** Sends content from memory. */
  send(
    { request, response, requestId }: Exchange,
    { content, part, status }: Answer,
    { etag, okHeaders, notModifiedHeaders, body }: Variant,
  ): void | Promise<void> {
    if (status === 200 && matches(request.headers['if-none-match'], etag)) {
      notModifiedHeaders[notModifiedHeaders.length - 1] = requestId;
      response.writeHead(304, notModifiedHeaders).end();
      return;
    }
    if (part === 'unsatisfiable') return this.#refusePart({ response, requestId }, content);
    const sent = part ? body.subarray(part.start, part.end + 1) : body;
    const isLarge = request.method !== 'HEAD' && sent.length > SIZES.internalPages.largeBytes;
    if (isLarge && !response.closed) {
      response.once('close', this.#writer.countShared(networkOf(this.#clientAddress(request)), body));
    }
    okHeaders[okHeaders.length - 1] = requestId;
    if (part) response.writeHead(206, identityHeaders(content, part, requestId));
    else response.writeHead(status, okHeaders);
    if (isLarge && sent.length > SIZES.internalAnswers.sliceBytes) return this.#writer.stream(response, [sent]);
    response.end(request.method === 'HEAD' ? undefined : sent);
  }

  /** Sends a file that is too large for the memory, piece by piece. */
  async sendStored({ request, response, requestId }: Exchange, ownerId: number, file: SiteFile): Promise<void> {
    const content = contentOf(file);
    if (matches(request.headers['if-none-match'], etagOf(content.hash, 'identity'))) {
      response.writeHead(304, [...headersOf(content, 'identity'), 'x-request-id', requestId]).end();
      return;
    }
    const part = partOf(request, content);
    if (part === 'unsatisfiable') return this.#refusePart({ response, requestId }, content);
    const headers = identityHeaders(content, part, requestId);
    if (request.method === 'HEAD') {
      response.writeHead(200, headers).end();
      return;
    }
    const network = networkOf(this.#clientAddress(request));
    // The piece that is being sent.
    const memory = this.#writer.reserve(response, network, SIZES.file.chunkBytes);
    const range = part ?? { start: 0, end: content.bytes - 1 };
    const pieces = await this.#files.read({ ownerId, network, memory }, file, range);
    response.writeHead(part ? 206 : 200, headers);
    await this.#writer.stream(response, pieces);
  }

  #refusePart({ response, requestId }: Pick<Exchange, 'response' | 'requestId'>, { bytes }: Content): void {
    response.writeHead(416, { 'Content-Range': `bytes */${bytes}`, 'Content-Length': 0, 'x-request-id': requestId });
    response.end();
  }
}
