import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseContentType } from 'content-type';
import { z } from 'zod';
import type { Header } from '../../db/deliveries/webhook-queries.ts';
import { SIZES } from '../../sizes.ts';
import { hideHeaders, MAX_SPELLED_BYTES } from './hide-headers.ts';

/*
 * The beginning of what a receiver has answered, as a text for the owner.
 */

const { maxResponseChars, maxHeaderValueChars } = SIZES.webhook;
/** A character takes 4 bytes at most in the encodings of the web; a mark of the byte order may come before the first. */
const MAX_BYTES = 4 * (maxResponseChars + 1);
/** A value that begins before the end of the text is read completely: otherwise it would not be found. */
const MAX_VALUE_BYTES = MAX_SPELLED_BYTES * maxHeaderValueChars;
/** A longer Content-Type is not read. */
const MAX_TYPE_CHARS = 200;

/** Keeps the first bytes of an answer to a request with headers of the owner's. */
export class AnswerHead {
  readonly #ownHeaders: readonly Header[];
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(ownHeaders: readonly Header[]) {
    this.#ownHeaders = ownHeaders;
    this.#maxBytes = MAX_BYTES + (ownHeaders.length > 0 ? MAX_VALUE_BYTES : 0);
  }

  begin(headers: IncomingHttpHeaders): void {
    this.#headers = headers;
  }

  add(chunk: Buffer): void {
    if (this.#bytes >= this.#maxBytes) return;
    this.#chunks.push(chunk.subarray(0, this.#maxBytes - this.#bytes));
    this.#bytes += chunk.length;
  }

  /** Returns the first characters (code points), without the values of the owner's headers; undefined where the answer is compressed. */
  text(): string | undefined {
    const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = this.#headers;
    if (encoding.toLowerCase() !== 'identity') return undefined;
    if (this.#bytes === 0) return '';
    const whole = decoderFor(type).decode(Buffer.concat(this.#chunks), { stream: true });
    const text = hideHeaders(whole, this.#ownHeaders);
    // Postgres stores no NUL.
    return [...text].slice(0, maxResponseChars).join('').replaceAll('\0', '\ufffd').toWellFormed();
  }
}

function decoderFor(contentType: string): InstanceType<typeof TextDecoder> {
  const { charset = '' } = contentType.length > MAX_TYPE_CHARS ? {} : parseContentType(contentType).parameters;
  try {
    return new TextDecoder(charset || 'utf-8');
  } catch {
    // The platform does not know the encoding.
    return new TextDecoder();
  }
}

const Wait = z.object({
  retry_after: z.number().min(0).optional(),
  parameters: z.object({ retry_after: z.number().min(0) }).optional(),
});

/** Returns the seconds after which Discord and Telegram want the next request, as their answers with 429 say; undefined where they say nothing. */
export function secondsIn(response: string): number | undefined {
  try {
    const { data } = Wait.safeParse(JSON.parse(response));
    const seconds = data?.retry_after ?? data?.parameters?.retry_after;
    return seconds === undefined ? undefined : Math.ceil(seconds);
  } catch {
    return undefined;
  }
}
