import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseContentType } from 'content-type';
import { z } from 'zod';
import { SIZES } from '../../sizes.ts';

/*
 * The beginning of what a receiver has answered, as a text for the owner.
 */

const { maxResponseChars } = SIZES.webhook;
/** A character takes 4 bytes at most in the encodings of the web; a mark of the byte order may come before the first. */
const MAX_BYTES = 4 * (maxResponseChars + 1);
/** A longer Content-Type is not read. */
const MAX_TYPE_CHARS = 200;

/** Keeps the first bytes of an answer. */
export class AnswerHead {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #headers: IncomingHttpHeaders = {};

  begin(headers: IncomingHttpHeaders): void {
    this.#headers = headers;
  }

  add(chunk: Buffer): void {
    if (this.#bytes >= MAX_BYTES) return;
    this.#chunks.push(chunk.subarray(0, MAX_BYTES - this.#bytes));
    this.#bytes += chunk.length;
  }

  /** Returns the first characters (code points); undefined where the answer is compressed. */
  text(): string | undefined {
    const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = this.#headers;
    if (encoding.toLowerCase() !== 'identity') return undefined;
    if (this.#bytes === 0) return '';
    const text = decoderFor(type).decode(Buffer.concat(this.#chunks), { stream: true });
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
