import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Resolve } from '../../delivery/resolve.ts';
import { lookupBy } from './ask.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SOON_DAYS = 14;

type Certificate = { names: string; until: Date; problem: string | undefined };

/** The certificate of the server at an origin. Rejects when the handshake fails. */
function certificateOf({ hostname, port }: URL, resolve: Resolve, signal: AbortSignal): Promise<Certificate> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((settle, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      lookup: lookupBy(resolve),
      // Verified below.
      rejectUnauthorized: false,
    });
    const abort = (): void => void socket.destroy(new Error('no handshake in time'));
    signal.addEventListener('abort', abort);
    socket.on('close', () => signal.removeEventListener('abort', abort));
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      const { subjectaltname = '', valid_to } = socket.getPeerCertificate();
      settle({
        names: subjectaltname.replaceAll(/DNS:|IP Address:/g, ''),
        until: new Date(valid_to),
        problem: socket.authorized ? undefined : reasonOf(socket.authorizationError),
      });
      socket.destroy();
    });
  });
}

/**
 * Checks that browsers trust the certificate at an https origin, for at least SOON_DAYS. `wanted`: the name that it has
 * to be for.
 */
export async function checkCertificate(
  origin: string,
  wanted: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Finding> {
  let found: Certificate;
  try {
    found = await certificateOf(new URL(origin), resolve, signal);
  } catch (error) {
    return fail(
      `${origin} cannot be reached over TLS (${reasonOf(error)})`,
      `run a proxy with a certificate for ${wanted} there; a certificate on demand may take a minute: try again`,
    );
  }
  const { names, until, problem } = found;
  const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
  const saw = `a certificate for ${names || 'no name'}, until ${until.toISOString().slice(0, 10)} (${days} days)`;
  if (problem !== undefined) return fail(`${saw}, which is not valid: ${problem}`, `get one for ${wanted}`);
  if (days < SOON_DAYS) return warn(saw, 'see why it has not been renewed');
  return ok(saw);
}
