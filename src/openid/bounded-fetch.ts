import type { CustomFetchOptions } from 'openid-client';

/** The maximum size of an answer of a provider: keys of a large one are some KiB. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Fetches, and rejects where the answer is longer than an answer of a provider may be. */
export async function boundedFetch(url: string, { body, ...options }: CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, { ...options, body: body ?? null });
  const { status, statusText, headers } = response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(bytes === 0 ? null : await new Blob(chunks).arrayBuffer(), { status, statusText, headers });
}
