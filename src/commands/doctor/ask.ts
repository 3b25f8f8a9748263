import type { IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Resolve } from '../../delivery/webhooks/resolve.ts';
import { COMMAND_LIMITS } from '../../limits.ts';

const { request: requestHttp } = process.getBuiltinModule('node:http');

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** At most COMMAND_LIMITS.doctor.answerBytes of it. */
  body: string;
  /** The local address of the connection; an IPv4-mapped one is written as IPv4. */
  localAddress: string;
};

/** Looks names up by `resolve` instead of the system's resolver. */
export const lookupBy =
  (resolve: Resolve): LookupFunction =>
  (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (all) callback(null, addresses);
        else if (first) callback(null, first.address, first.family);
        else callback(new Error(`${hostname} has no address`), '');
      },
      (error) => callback(error, ''),
    );
  };

/**
 * Sends one request, and follows no redirects. Certificates are not verified, because another check does that. Rejects
 * where no answer comes before the signal fires.
 */
export function ask(
  url: string,
  {
    resolve,
    signal,
    method = 'GET',
    headers = {},
    body = '',
  }: { resolve: Resolve; signal: AbortSignal; method?: string; headers?: Record<string, string>; body?: string },
): Promise<Answer> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const options = { method, headers, signal, agent: false, lookup: lookupBy(resolve), rejectUnauthorized: false };
  return new Promise((settle, reject) => {
    const request = send(url, options, (response) => {
      const localAddress = (response.socket.localAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
      const chunks: Buffer[] = [];
      let length = 0;
      const finish = (): void => {
        const { statusCode = 0, headers: had } = response;
        settle({ status: statusCode, headers: had, body: Buffer.concat(chunks).toString(), localAddress });
        response.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > COMMAND_LIMITS.doctor.answerBytes) finish();
      });
      response.on('end', finish).on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
