import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { SIZES } from '../../sizes.ts';

/** Of an address with its zone (the name of an interface), brackets and port. */
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

/** `trust`: how many proxies, or the proxies of which networks, are trusted to write X-Forwarded-For. */
export function clientAddressFrom(trust: number | readonly string[]): ClientAddress {
  // Without the zone of a link-local address: it names one of this machine's interfaces.
  const peer = ({ socket: { remoteAddress = '' } }: IncomingMessage): string =>
    plain(remoteAddress.replace(/%.*$/, '')) ?? '';
  if (trust === 0) return peer;
  const trusted =
    typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : proxyAddr.compile([...trust]);
  return (request) => {
    const direct = peer(request);
    // The first address that no trusted proxy has. A text that is not an address can't be a client.
    const [, ...forwarded] = proxyAddr.all(
      request,
      (address, hop) => hop < proxies && trusted(hop === 0 ? direct : (plain(address) ?? address), hop),
    );
    return forwarded.map(plain).findLast((address) => address !== undefined) ?? direct;
  };
}
