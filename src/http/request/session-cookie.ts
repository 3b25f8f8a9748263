import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TOKEN } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** The cookies of this name, each as `name=value`. All others were set by other hosts under the same domain. */
export const cookiesNamed = (name: string, { cookie = '' }: IncomingHttpHeaders): string[] =>
  cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));

/** The cookie of a session. Its name says over https that no other host can have set it (RFC 6265bis, 4.1.3.2). */
export class SessionCookie {
  readonly name: string;
  readonly #ownOrigin: string;
  readonly #attributes: string;

  /** `baseUrl`: the origin of the API. */
  constructor(baseUrl: string) {
    const { origin, protocol } = new URL(baseUrl);
    const isSecure = protocol === 'https:';
    this.name = isSecure ? '__Host-formhost' : 'formhost';
    this.#ownOrigin = origin;
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** Returns whether the request comes from a page of the service itself. */
  isSameOrigin({ headers }: IncomingMessage): boolean {
    // Browsers that send no Sec-Fetch-Site (over plain http, except to localhost) send an Origin with what changes anything.
    return headers['sec-fetch-site'] === 'same-origin' || headers.origin === this.#ownOrigin;
  }

  /**
   * The session's token; undefined when the request has none, or several, or comes from a page of another origin, which
   * may neither use a session nor begin one.
   */
  tokenOf(request: IncomingMessage): string | undefined {
    if (request.headers.cookie === undefined || !this.isSameOrigin(request)) return undefined;
    const [pair = '', ...others] = cookiesNamed(this.name, request.headers);
    const token = pair.slice(this.name.length + 1);
    // Several: another host under the same domain may have set one of them.
    return others.length === 0 && TOKEN.test(token) ? token : undefined;
  }

  /** The value of Set-Cookie that keeps the token for SIZES.session.lifetimeDays from now. */
  keep(token: string): string {
    return `${this.name}=${token}; Max-Age=${SIZES.session.lifetimeDays * DAY_SECONDS}; ${this.#attributes}`;
  }

  /** The value of Set-Cookie that removes it. */
  get remove(): string {
    return `${this.name}=; Max-Age=0; ${this.#attributes}`;
  }
}
