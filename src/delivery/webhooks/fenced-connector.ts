import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type Cidr, isReachable } from '../../lib/public-address.ts';
import type { Limits } from '../../limits.ts';
import { CUT_OFF, LEADS_HERE, NOT_ALLOWED, PlainError, UNRESOLVED } from '../failure-reasons.ts';
import type { OwnAddress } from './own-address.ts';
import type { Resolve } from './resolve.ts';

/** Makes a connection. `signal` closes it, in any state. */
export type Connect = (options: buildConnector.Options, signal: AbortSignal, callback: buildConnector.Callback) => void;

/** Connects only to addresses that webhooks may reach, and never to this service. */
export function fencedConnector(
  allowedNetworks: readonly Cidr[],
  own: OwnAddress,
  resolve: Resolve,
  { delivery: limits }: Limits,
): Connect {
  const secure = buildConnector({ allowH2: false, timeout: 0 });

  return (options, signal, callback) => {
    const { hostname, protocol, port } = options;
    if (isIP(hostname) !== 0 && !isReachable(hostname, allowedNetworks)) {
      return callback(new PlainError(NOT_ALLOWED), null);
    }

    // Not called for IP literals.
    const lookup: LookupFunction = (name, _options, found) =>
      void resolve(name).then(
        (addresses) => {
          const reachable = addresses.filter(({ address }) => isReachable(address, allowedNetworks));
          found(reachable.length === 0 ? new PlainError(NOT_ALLOWED) : null, reachable);
        },
        () => found(new PlainError(UNRESOLVED), []),
      );

    const socket = connectTcp({
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      lookup,
      signal,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: limits.nextAddressMs,
      noDelay: true,
    });
    const fail = (error: Error): void => callback(error, null);
    socket.once('error', fail);
    socket.once('connect', () => {
      const { remoteAddress, remotePort } = socket;
      // Undefined when the connection has been reset.
      if (remoteAddress === undefined || remotePort === undefined) return void socket.destroy(new PlainError(CUT_OFF));
      if (!isReachable(remoteAddress, allowedNetworks)) return void socket.destroy(new PlainError(NOT_ALLOWED));
      if (own.isAt(remoteAddress, remotePort)) return void socket.destroy(new PlainError(LEADS_HERE));
      socket.off('error', fail);
      if (protocol === 'http:') return callback(null, socket);
      // The TLS socket around this one reports its errors.
      socket.on('error', () => {});
      secure({ ...options, httpSocket: socket }, callback);
    });
  };
}
