import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type BareAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer };
export type BareRequest = { method?: string; headers?: Record<string, string>; body?: string | Buffer | undefined };

/** Sends no other headers than these, also a Host, and takes the bytes as they come: supertest and fetch would not. */
export async function bareRequest(url: string, { body, ...options }: BareRequest = {}): Promise<BareAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, options).on('response', resolve).on('error', reject).end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}
