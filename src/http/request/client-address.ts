import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { SIZES } from '../../sizes.ts';

/** The maximum length of an address with its zone (the name of an interface), brackets and port. */
const ADDRESS_CHARS = 100;

/** The address of a request's client. An IPv4-mapped address is written as IPv4. */
export type ClientAddress = (request: IncomingMessage) => string;

const { proxies } = SIZES.internalHeaders;

/** An address from X-Forwarded-For, without brackets and port; undefined when it is not an address. */
function plain(address: string): string | undefined {
  if (address.length > ADDRESS_CHARS) return undefined;
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(address) ?? [];
  const bare = bracketed ?? v4 ?? address;
  const version = isIP(bare);
  if (version === 4) return bare;
  // node:net accepts zones (`%br-1`) that ipaddr.js can't read.
  return version === 6 && ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}

/** The address at the other end of a connection, without its zone: that names one of this machine's interfaces. */
export const peerAddress = ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string =>
  plain(remoteAddress.replace(/%.*$/, '')) ?? '';

/** How many proxies, or the proxies of which networks, are trusted to write X-Forwarded-For. */
type Trust = number | readonly string[];

/**
 * Returns a function that says if an address belongs to a trusted proxy. `hop` counts the proxies between it and this
 * service.
 */
function isTrustedBy(trust: Trust): (address: string, hop: number) => boolean {
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return proxyAddr.compile([...trust]);
}

/** Returns whether connections from an address are those of a proxy. */
export function proxiesOf(trust: Trust): (address: string) => boolean {
  const isTrusted = isTrustedBy(trust);
  return (address) => isTrusted(address, 0);
}

export function clientAddressFrom(trust: Trust): ClientAddress {
  if (trust === 0) return ({ socket }) => peerAddress(socket);
  const isTrusted = isTrustedBy(trust);
  return (request) => {
    const direct = peerAddress(request.socket);
    // The first address that no trusted proxy has. A text that is not an address can't be a client.
    const [, ...forwarded] = proxyAddr.all(
      request,
      (address, hop) => hop < proxies && isTrusted(hop === 0 ? direct : (plain(address) ?? address), hop),
    );
    return forwarded.map(plain).findLast((address) => address !== undefined) ?? direct;
  };
}
