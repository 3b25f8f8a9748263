import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { get as getHttps, type RequestOptions } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Resolve } from '../delivery/webhooks/resolve.ts';
import { reasonOf } from './finding.ts';

const { get: getHttp } = process.getBuiltinModule('node:http');

/** The maximum number of characters that are read of an answer, because a page may be longer. */
const MAX_ANSWER_CHARS = 64 * 1024;

/** `problem`: the code of OpenSSL or Node, if browsers would not trust the certificate. */
type Certificate = { names: string; until: Date; problem: string | undefined };

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** About MAX_ANSWER_CHARS of it at most. */
  body: string;
  /** Only of https. */
  certificate: Certificate | undefined;
};

/** How a request is sent, and for how long an answer is waited for. */
export type Route = { resolve: Resolve; signal: AbortSignal };

function certificateOf(socket: TLSSocket): Certificate {
  const { subjectaltname = '', valid_to } = socket.getPeerCertificate();
  return {
    names: subjectaltname.replaceAll(/DNS:|IP Address:/g, ''),
    until: new Date(valid_to),
    problem: socket.authorized ? undefined : reasonOf(socket.authorizationError),
  };
}

/**
 * Sends one request, and follows no redirects. The answer says whether the certificate is valid. Rejects where no answer comes
 * before the signal fires.
 */
export async function ask(url: string, { resolve: resolveName, signal }: Route): Promise<Answer> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  const options: RequestOptions = {
    ...{ signal, agent: false, rejectUnauthorized: false },
    lookup: (hostname, { all }, callback) => {
      resolveName(hostname).then(
        (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error) => callback(error, ''),
      );
    },
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, options, resolve).on('error', reject);
  });
  const { socket, statusCode: status = 0, headers } = response;
  const certificate = socket instanceof TLSSocket ? certificateOf(socket) : undefined;
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_ANSWER_CHARS) break;
  }
  return { status, headers, body, certificate };
}

/** A fault, and what to do about it. */
type Problem = { saw: string; mend: string };

/** Why there was no answer: the name, the connection, a time-out or TLS, which need different remedies. */
export function connectionProblem(error: unknown, url: string): Problem {
  const { protocol, hostname: host, port } = new URL(url);
  const at = `port ${port || (protocol === 'https:' ? 443 : 80)} of ${host}`;
  // Several addresses may have been tried. The error of the first is reported.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', syscall = '' }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error();
  const detail = reasonOf(error);
  if (syscall.startsWith('query')) {
    return {
      saw: `the name ${host} does not resolve (${detail})`,
      mend: `add an A or AAAA record for ${host} to its DNS zone (for pages: a wildcard record), and check the name servers of this machine`,
    };
  }
  if (code === 'ECONNREFUSED') {
    const mend = 'start the service, and the proxy in front of it';
    return { saw: `${at} refuses connections (${detail})`, mend };
  }
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT') {
    const mend = 'check whether a firewall drops the packets, and whether the address in DNS is the right one';
    return { saw: `${at} gives no answer in time`, mend };
  }
  if (protocol === 'https:' && /^(?:EPROTO$|ERR_SSL_|ECONNRESET$)/.test(code)) {
    const mend = `run a proxy with a certificate for ${host} there; one on demand may take a minute: try again`;
    return { saw: `${at} speaks no TLS for ${host} (${detail})`, mend };
  }
  return { saw: `${at} cannot be reached (${detail})`, mend: 'look in the log of the proxy, and of the service' };
}
