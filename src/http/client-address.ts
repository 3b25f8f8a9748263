import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** The address of the client of a request, an IPv4-mapped one written as IPv4. */
export type ClientAddress = (request: IncomingMessage) => string;

/** An address as proxies write it in X-Forwarded-For, without brackets and port; undefined when it is none. */
function plain(address: string): string | undefined {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(address) ?? [];
  const bare = bracketed ?? v4 ?? address;
  const version = isIP(bare);
  if (version === 0) return undefined;
  return version === 4 ? bare : ipaddr.process(bare).toString();
}

/** `trust`: how many proxies, or which networks, are believed about X-Forwarded-For. */
export function clientAddressFrom(trust: number | readonly string[]): ClientAddress {
  const peer = (request: IncomingMessage): string => plain(request.socket.remoteAddress ?? '') ?? '';
  if (trust === 0) return peer;
  const trusted =
    typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : proxyAddr.compile([...trust]);
  return (request) => {
    // The first address that no trusted proxy vouches for; what is not an address was never a client.
    const walked = proxyAddr.all(request, (address, hop) => trusted(plain(address) ?? address, hop));
    return walked.map(plain).findLast((address) => address !== undefined) ?? peer(request);
  };
}
