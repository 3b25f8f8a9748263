import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Resolve } from '../../delivery/webhooks/resolve.ts';
import { COMMAND_LIMITS } from '../../limits.ts';
import { lookupBy } from './ask.ts';
import { connectionProblem, type Problem, type Stage } from './connection.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `problem`: the code of OpenSSL or Node for what is wrong with it. */
type Certificate = { names: string; from: Date; until: Date; problem: string | undefined };

/** The certificate of the server at an origin, or why there is none. */
function certificateOf(origin: string, resolve: Resolve, signal: AbortSignal): Promise<Certificate | Problem> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  let stage: Stage = isIP(host) === 0 ? 'name' : 'connection';
  return new Promise((settle) => {
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
    socket.on('lookup', (error: Error | null) => {
      if (!error) stage = 'connection';
    });
    socket.on('connect', () => {
      stage = 'handshake';
    });
    socket.on('error', (error) => settle(connectionProblem(error, origin, stage)));
    socket.on('secureConnect', () => {
      const { subjectaltname = '', valid_from, valid_to } = socket.getPeerCertificate();
      settle({
        names: subjectaltname.replaceAll(/DNS:|IP Address:/g, ''),
        from: new Date(valid_from),
        until: new Date(valid_to),
        problem: socket.authorized ? undefined : reasonOf(socket.authorizationError),
      });
      socket.destroy();
    });
  });
}

const dateOf = (time: Date): string => time.toISOString().slice(0, 10);

/** What is wrong with a certificate, and what to do about it. `wanted`: the name that it has to be for. */
function certificateProblem({ from, until, problem = '' }: Certificate, wanted: string): Problem {
  switch (problem) {
    case 'CERT_HAS_EXPIRED':
      return { saw: `it expired on ${dateOf(until)}`, mend: 'renew it, and see why that was not done automatically' };
    case 'CERT_NOT_YET_VALID':
      return { saw: `it is not valid before ${dateOf(from)}`, mend: 'set the clock of this machine' };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        saw: 'it is for another name',
        mend: `get one for ${wanted}, and see that the proxy uses it for this host`,
      };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { saw: `nobody but its maker signed it (${problem})`, mend: `get one for ${wanted} from an authority` };
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return {
        saw: `its authority is not known, or its chain is not complete (${problem})`,
        mend: `serve the whole chain (fullchain.pem), or get one for ${wanted} from an authority that browsers know; for one of your own set NODE_EXTRA_CA_CERTS`,
      };
    default:
      return { saw: problem, mend: `get one for ${wanted}` };
  }
}

/**
 * Checks that browsers trust the certificate at an https origin, for at least COMMAND_LIMITS.doctor.certificateDays. `wanted`: the name that it has
 * to be for.
 */
export async function checkCertificate(
  origin: string,
  wanted: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Finding> {
  const found = await certificateOf(origin, resolve, signal);
  if ('mend' in found) return fail(found.saw, found.mend);
  const { names, until, problem } = found;
  const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
  const saw = `a certificate for ${names || 'no name'}, until ${dateOf(until)} (${days} days)`;
  if (problem !== undefined) {
    const { saw: what, mend } = certificateProblem(found, wanted);
    return fail(`${saw}, which is not valid: ${what}`, mend);
  }
  if (days < COMMAND_LIMITS.doctor.certificateDays) return warn(saw, 'see why it has not been renewed');
  return ok(saw);
}
