import type { IncomingMessage } from 'node:http';
import { SESSION_DAYS } from '../db/sessions.ts';
import { TOKEN } from '../ids.ts';

/** The cookie of a session. Its name says over https that no other host can have set it (RFC 6265bis, 4.1.3.2). */
export type SessionCookie = {
  name: string;
  /**
   * The session's token; undefined when the request has none, or several, or comes from a page of another origin, which
   * may neither use a session nor begin one.
   */
  tokenOf(request: IncomingMessage): string | undefined;
  /** Whether the request comes from a page of the service itself. */
  isSameOrigin(request: IncomingMessage): boolean;
  /** The value of Set-Cookie that keeps the token for SESSION_DAYS from now. */
  keep(token: string): string;
  /** The value of Set-Cookie that removes it. */
  remove: string;
};

const DAY_SECONDS = 24 * 60 * 60;

/** `baseUrl`: the origin of the API. */
export function createSessionCookie(baseUrl: string): SessionCookie {
  const { origin: ownOrigin, protocol } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const name = isSecure ? '__Host-formhost' : 'formhost';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

  // Browsers that send no Sec-Fetch-Site (over plain http, except to localhost) send an Origin with what changes anything.
  const isSameOrigin = ({ headers }: IncomingMessage): boolean =>
    headers['sec-fetch-site'] === 'same-origin' || headers.origin === ownOrigin;

  return {
    name,
    isSameOrigin,
    tokenOf(request) {
      const { cookie } = request.headers;
      if (cookie === undefined || !isSameOrigin(request)) return undefined;
      const [token = '', ...others] = cookie
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      // Several: another host under the same domain may have set one of them.
      return others.length === 0 && TOKEN.test(token) ? token : undefined;
    },
    keep: (token) => `${name}=${token}; Max-Age=${SESSION_DAYS * DAY_SECONDS}; ${attributes}`,
    remove: `${name}=; Max-Age=0; ${attributes}`,
  };
}
