/** Hosts of programs on the person's own machine (RFC 8252, 7.3). */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Returns whether an address is of a program on the person's own machine, which needs no TLS. */
export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname);

/** Returns whether a code may be sent to an address: by https, or to a program on the person's machine. */
export function isRedirectUri(text: string): boolean {
  // A browser would read a backslash as a slash, and leave white space out.
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || /[\\#]/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || `${url.username}${url.password}` !== '') return false;
  return url.protocol === 'https:' || isLoopback(url);
}

/** The port of an address on the person's machine, behind the rest of its origin. */
const LOOPBACK_PORT = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+(?=[/?]|$)/;

const withoutPort = (uri: string): string => uri.replace(LOOPBACK_PORT, '$1');

/**
 * Returns whether an address is one that a client has named. A program on the person's machine listens on any port (RFC 8252,
 * 7.3). All else is compared as text: no two spellings are the same.
 */
export const matchesRedirectUri = (registered: string, text: string): boolean =>
  withoutPort(registered) === withoutPort(text) && isRedirectUri(text);
