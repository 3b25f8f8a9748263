import { type AddressInfo, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { destinationOf, isLoopback, isUnspecified } from '../../lib/public-address.ts';

const portOf = ({ protocol, port }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** A host in one spelling: of an address its destination, of a name the name without a dot at its end. */
const hostOf = ({ hostname }: URL): string => {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return destinationOf(host) ?? host;
};

/** The ports of HTTP and HTTPS count as one: a server of one of them redirects from the other, or serves it too. */
const withItsPair = (port: number): number[] => (port === 80 || port === 443 ? [80, 443] : [port]);

/** The addresses of a host that its text shows. */
function addressesOf(host: string): readonly string[] {
  // Names of the machine itself (RFC 6761, 6.3), and the unspecified address, which connects to the loopback.
  if (/(?:^|\.)localhost$/.test(host) || isUnspecified(host)) return ['127.0.0.1', '::1'];
  return isIP(host) === 0 ? [] : [host];
}

type ServiceAddresses = {
  /** The address of the API. */
  baseUrl: URL;
  /** The address of any page. */
  pagesUrl: URL;
  /** Returns whether a page is served at a custom domain. */
  servesPageAt(host: string): boolean;
  /** Where this process listens; undefined until it does. */
  listening(): AddressInfo | undefined;
};

/** Finds out what leads back to this service. */
export class OwnAddress {
  readonly #options: ServiceAddresses;
  readonly #apiHost: string;
  /** The domain of pages with the dot before it. */
  readonly #pagesDomain: string;

  constructor(options: ServiceAddresses) {
    this.#options = options;
    this.#apiHost = hostOf(options.baseUrl);
    this.#pagesDomain = hostOf(options.pagesUrl).replace(/^[^.]*/, '');
  }

  /**
   * Returns whether the text of a URL shows that it leads to this service: to the API's host, a page's host, or an address
   * that this process listens on.
   */
  isIn(url: URL): boolean {
    const { baseUrl, pagesUrl, servesPageAt, listening } = this.#options;
    const host = hostOf(url);
    const port = portOf(url);
    if (addressesOf(host).some((address) => this.isAt(address, port))) return true;
    const own = listening();
    const ports = [portOf(baseUrl), portOf(pagesUrl), ...(own ? [own.port] : [])].flatMap(withItsPair);
    const isHost = host === this.#apiHost || host.endsWith(this.#pagesDomain) || servesPageAt(host);
    return isHost && ports.includes(port);
  }

  /** Returns whether this process listens on this address (an IP literal, no brackets) and port. */
  isAt(address: string, port: number): boolean {
    const own = this.#options.listening();
    const reached = destinationOf(address);
    if (own === undefined || reached === undefined || port !== own.port) return false;
    if (!isUnspecified(own.address)) return reached === destinationOf(own.address);
    const ours = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    return isLoopback(reached) || ours.some((each) => destinationOf(each.address) === reached);
  }
}
