import { isIP } from 'node:net';
import { connect } from 'node:tls';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Most authorities advise to renew with a third of the time left. */
const LEFT_DAYS = 14;
/** For certificates of a few days, which are renewed later. */
const LEFT_SHARE = 1 / 6;

type Validity = { from: Date; until: Date };
/** `name`: for which host the certificate is; `host` and `port`: the server that has it. */
export type CertificatePlace = { host: string; port: number; name: string };

/** Returns whether a certificate ends so soon that its renewal should have happened. */
export function endsSoon({ from, until }: Validity, now = Date.now()): boolean {
  const left = until.getTime() - now;
  return left < Math.min(LEFT_DAYS * DAY_MS, LEFT_SHARE * (until.getTime() - from.getTime()));
}

/** Reads how long a certificate is valid; whether browsers trust it is not checked. Rejects where none comes within `ms`. */
export function readCertificate({ host, port, name }: CertificatePlace, ms: number): Promise<Validity> {
  const { promise, resolve, reject } = Promise.withResolvers<Validity>();
  const servername = isIP(name) === 0 ? { servername: name } : {};
  const socket = connect({ host, port, ...servername, rejectUnauthorized: false }, () => {
    const { valid_from, valid_to } = socket.getPeerCertificate();
    resolve({ from: new Date(valid_from), until: new Date(valid_to) });
    socket.destroy();
  });
  // The time of the whole, with the look-up of the name. `setTimeout` of the socket starts again with each byte.
  const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), ms);
  socket.on('error', reject).on('close', () => {
    clearTimeout(timer);
    reject(new Error('closed'));
  });
  return promise;
}
