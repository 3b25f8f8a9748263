import { attribute, type HtmlElement, isElement, isHtml } from '../../forms/html-tree.ts';
import type { AddressReader } from './addresses.ts';
import type { PageParts } from './read-page.ts';

/*
 * The policies that a page gives itself: which addresses its forms and scripts may be sent to (Content Security Policy), and
 * whether browsers say where a form comes from (Referrer Policy).
 */

/** Sources of one directive, and directives of all policies, that are compared. */
const MAX_SOURCES = 100;
const MAX_DIRECTIVES = 200;
const MAX_SOURCE_CHARS = 2_048;

type Directive = { meta: HtmlElement; name: string; sources: readonly string[] };

/** The directive that blocks an address, and its name: `default-src` stands for `connect-src` where that is missing. */
export type Block = Pick<Directive, 'meta' | 'name' | 'sources'>;

const isInHead = ({ parentNode }: HtmlElement): boolean =>
  parentNode !== null && isElement(parentNode) && isHtml(parentNode, 'head');

/** The directives of a policy by their names; the first of each counts. */
function directivesOf(meta: HtmlElement, policy: string): Map<string, Directive> {
  const directives = new Map<string, Directive>();
  for (const text of policy.split(';', MAX_DIRECTIVES)) {
    const [given = '', ...sources] = text.trim().split(/\s+/, MAX_SOURCES + 1);
    const name = given.toLowerCase();
    if (name !== '' && !directives.has(name)) directives.set(name, { meta, name, sources });
  }
  return directives;
}

/** The parts of a source that is a host ("host-source" in the standard). */
const HOST_SOURCE =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^/:*\s[\]']+|\[[0-9a-f:]+\])(?::(\d+|\*))?(\/[^?#]*)?(?:[?#].*)?$/i;
const WEB_SCHEME = /^(?:https?|wss?)$/i;
const DEFAULT_PORTS = new Set(['', '80', '443']);

const isHostLike = (pattern: string, host: string): boolean => {
  const [one, other] = [pattern.toLowerCase(), host.toLowerCase()];
  return one.startsWith('*.') ? other.endsWith(one.slice(1)) : one === other;
};

/** A path is that of a folder, with all that is in it, or of one file. */
const isPathLike = (pattern: string, path: string): boolean =>
  pattern.endsWith('/') ? path.startsWith(pattern) : path === pattern;

/** Returns whether a source names an address. http and https count as the same, because a page may be reached by both. */
function isNamed(source: string, url: URL, address: AddressReader): boolean {
  const isOwn = address.isOwn(url);
  if (/^'self'$/i.test(source)) return isOwn;
  if (source === '*' || /^https?:$/i.test(source)) return true;
  const [, scheme = 'https', host = '', port = '', path = '/'] =
    HOST_SOURCE.exec(address.replaced(source).slice(0, MAX_SOURCE_CHARS)) ?? [];
  if (host === '' || !WEB_SCHEME.test(scheme)) return false;
  if (isOwn && address.mayBecomeOwn(host)) return true;
  const isPort = port === '*' || port === url.port || (DEFAULT_PORTS.has(port) && DEFAULT_PORTS.has(url.port));
  return (host === '*' || isHostLike(host, url.hostname)) && isPort && isPathLike(path, url.pathname);
}

/** The directive that decides on what a form, or a script, sends to. */
const DECIDING = { form: ['form-action'], script: ['connect-src', 'default-src'] } as const;

export class PagePolicies {
  readonly #policies: readonly ReadonlyMap<string, Directive>[];
  readonly #address: AddressReader;
  /** The results by the sender and the address, without its query. */
  readonly #found = new Map<string, Block | undefined>();
  /** The referrer policy of the page, and where it is set; undefined: it has none of its own. */
  readonly referrer: { policy: string; meta: HtmlElement } | undefined;

  constructor({ metas }: PageParts, address: AddressReader) {
    this.#address = address;
    const policies = metas.filter(
      (meta) => /^content-security-policy$/i.test(attribute(meta, 'http-equiv') ?? '') && isInHead(meta),
    );
    // Chromium reads several policies in one element, as in one header.
    this.#policies = policies
      .flatMap((meta) => (attribute(meta, 'content') ?? '').split(',').map((policy) => directivesOf(meta, policy)))
      .slice(0, MAX_DIRECTIVES);
    this.referrer = metas.map(referrerOf).findLast((found) => found !== undefined);
  }

  /** Returns what blocks a form, or a script, that is sent to an address; undefined: nothing. */
  blockOf(sender: keyof typeof DECIDING, url: URL): Block | undefined {
    const key = `${sender} ${url.host}${url.pathname}`;
    if (!this.#found.has(key)) this.#found.set(key, this.#findBlock(sender, url));
    return this.#found.get(key);
  }

  #findBlock(sender: keyof typeof DECIDING, url: URL): Block | undefined {
    for (const directives of this.#policies) {
      const name = DECIDING[sender].find((one) => directives.has(one));
      const directive = name && directives.get(name);
      if (directive && !directive.sources.some((source) => isNamed(source, url, this.#address))) return directive;
    }
    return undefined;
  }
}

const REFERRER_POLICIES = new Set([
  ...['no-referrer', 'no-referrer-when-downgrade', 'origin', 'origin-when-cross-origin', 'same-origin'],
  ...['strict-origin', 'strict-origin-when-cross-origin', 'unsafe-url'],
]);
/** The old names of policies ("standard metadata names" in the HTML standard). */
const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['never', 'no-referrer'],
  ['default', 'strict-origin-when-cross-origin'],
  ['always', 'unsafe-url'],
  ['origin-when-crossorigin', 'origin-when-cross-origin'],
]);

function referrerOf(meta: HtmlElement): { policy: string; meta: HtmlElement } | undefined {
  if (!/^referrer$/i.test(attribute(meta, 'name') ?? '')) return undefined;
  const given = (attribute(meta, 'content') ?? '').slice(0, 100).toLowerCase();
  const policy = OLD_NAMES.get(given) ?? given;
  return REFERRER_POLICIES.has(policy) ? { policy, meta } : undefined;
}
