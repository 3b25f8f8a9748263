import { reasonOf } from './finding.ts';

/** What went wrong with a connection, and what to do about it. */
export type Problem = { saw: string; mend: string };

/** How far a connection came, if that is known. */
export type Stage = 'name' | 'connection' | 'handshake';

type Failure = { code: string; syscall: string };

/** The code of an error, or of the first of several. */
function failureOf(error: unknown): Failure {
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', syscall: '' };
  const code = 'code' in error ? String(error.code) : error.name;
  return { code, syscall: 'syscall' in error ? String(error.syscall) : '' };
}

/** Whether an error of a resolver says that there is no such name, or no address for it. */
export const isUnknownName = (error: unknown): boolean => /^(?:ENOTFOUND|ENODATA|ENONAME)$/.test(failureOf(error).code);

const isTimeout = ({ code }: Failure): boolean => /^(?:ABORT_ERR|AbortError|TimeoutError|ETIMEDOUT)$/.test(code);

/**
 * Says why a URL could not be reached: its name, the connection, a time-out or TLS, which need different remedies.
 * `error`: of the resolver, of the socket, or of TLS.
 */
export function connectionProblem(error: unknown, url: string, stage?: Stage): Problem {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = `port ${port || (protocol === 'https:' ? 443 : 80)} of ${host}`;
  const failure = failureOf(error);
  const detail = reasonOf(error);

  if (isUnknownName(error)) {
    return {
      saw: `the name ${host} does not resolve (${detail})`,
      mend: `add an A or AAAA record for ${host} to its DNS zone, and wait until it is known here`,
    };
  }
  // The errors of a resolver: ETIMEOUT, ESERVFAIL, EREFUSED; ECONNREFUSED, of the name server.
  if (failure.syscall.startsWith('query') || stage === 'name') {
    return {
      saw: `the name ${host} does not resolve: the name server has no answer (${detail})`,
      mend: `check the name servers of this machine (/etc/resolv.conf), and those of the zone of ${host}`,
    };
  }
  if (failure.code === 'ECONNREFUSED') {
    return {
      saw: `${at} refuses connections (${detail})`,
      mend: 'start the program that listens there, such as the proxy',
    };
  }
  if (/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)$/.test(failure.code)) {
    return {
      saw: `${at} cannot be reached (${detail})`,
      mend: `check the address that ${host} has in DNS, and the routes of this machine; an AAAA record needs IPv6 here`,
    };
  }
  if (stage === 'connection' || (isTimeout(failure) && stage === undefined)) {
    return {
      saw: `${at} gives no answer in time`,
      mend: 'see whether a firewall drops the packets, and whether the address in DNS is the right one',
    };
  }
  if (/ALERT/.test(failure.code)) {
    return {
      saw: `${at} refuses TLS for the name ${host} (${failure.code})`,
      mend: `give the proxy a certificate for ${host}; one on demand may take a minute: try again`,
    };
  }
  if (stage === 'handshake' || /^(?:EPROTO$|ERR_SSL_)/.test(failure.code)) {
    return {
      saw: `${at} accepts connections and speaks no TLS (${detail})`,
      mend: `run a proxy with a certificate for ${host} there, and see that no plain http listens on the port`,
    };
  }
  return { saw: `${at} closes the connection (${detail})`, mend: 'look in the log of the proxy, and of the service' };
}
