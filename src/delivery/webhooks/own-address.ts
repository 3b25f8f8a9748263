import { type AddressInfo, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { destinationOf, isLoopback, isUnspecified } from '../../lib/public-address.ts';

/** Finds out what leads back to this service. */
export type OwnAddress = {
  /**
   * Whether the text of a URL shows that it leads here: the API's host, a page's host, or an address that this process
   * listens on.
   */
  isIn(url: URL): boolean;
  /** Whether this process listens on this address (an IP literal, no brackets) and port. */
  isAt(address: string, port: number): boolean;
};

const portOf = ({ protocol, port }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** A host in one spelling: of an address its destination, of a name the name without a dot at its end. */
const hostOf = ({ hostname }: URL): string => {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return destinationOf(host) ?? host;
};

/** The ports of HTTP and HTTPS count as one: a server of one of them redirects from the other, or serves it too. */
const withItsPair = (port: number): number[] => (port === 80 || port === 443 ? [80, 443] : [port]);

/** `listening`: where this process listens; undefined until it does. */
export function createOwnAddress({
  baseUrl,
  pagesUrl,
  listening,
}: {
  /** Of the API. */
  baseUrl: URL;
  /** Of any page. */
  pagesUrl: URL;
  listening(): AddressInfo | undefined;
}): OwnAddress {
  const api = hostOf(baseUrl);
  const pages = hostOf(pagesUrl).replace(/^[^.]*/, '');

  function isAt(address: string, port: number): boolean {
    const own = listening();
    const reached = destinationOf(address);
    if (own === undefined || reached === undefined || port !== own.port) return false;
    if (!isUnspecified(own.address)) return reached === destinationOf(own.address);
    const ours = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    return isLoopback(reached) || ours.some((each) => destinationOf(each.address) === reached);
  }

  /** The addresses of a host that its text shows. */
  function addressesOf(host: string): readonly string[] {
    // Names of the machine itself (RFC 6761, 6.3), and the unspecified address, which connects to the loopback.
    if (/(?:^|\.)localhost$/.test(host) || isUnspecified(host)) return ['127.0.0.1', '::1'];
    return isIP(host) === 0 ? [] : [host];
  }

  return {
    isAt,
    isIn(url) {
      const host = hostOf(url);
      const port = portOf(url);
      if (addressesOf(host).some((address) => isAt(address, port))) return true;
      const own = listening();
      const ports = [portOf(baseUrl), portOf(pagesUrl), ...(own ? [own.port] : [])].flatMap(withItsPair);
      return (host === api || host.endsWith(pages)) && ports.includes(port);
    },
  };
}
