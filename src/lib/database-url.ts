import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';

/*
 * DATABASE_URL, with the meanings that libpq gives to its parameters
 * (https://www.postgresql.org/docs/current/libpq-connect.html). pg reads the URL; this file adds what pg does not know:
 * several hosts, target_session_attrs, and the defaults of libpq.
 */

/** DATABASE_URL is wrong. The message continues a sentence that begins with it, and has no password. */
export class DatabaseUrlError extends Error {}

const TARGETS = ['any', 'read-write', 'primary'] as const;
/** Which of several servers is used: the first that answers, that takes writes, or that is not a standby. */
export type Target = (typeof TARGETS)[number];

export type DatabaseUrl = {
  /** In the order in which they are tried. The URLs are for pg; `plainUrl`, without TLS, is tried where TLS is only preferred. */
  servers: readonly { host: string; port: string; url: string; plainUrl: string | undefined }[];
  /** The database's name, after a slash. */
  path: string;
  target: Target;
  /** Command-line options of the server's process. */
  options: string | undefined;
  tls: Tls;
};

const SSL_MODES = ['disable', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

/** Names of files in PEM. Without `rootCert`, the authorities that Node trusts. */
type Tls = { mode: SslMode; rootCert?: string | undefined; cert?: string | undefined; key?: string | undefined };

/** In place of a file: the authorities that Node trusts. */
const SYSTEM = 'system';

/** The environment's defaults of parameters, as in libpq. */
const ENVIRONMENT = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
} as const;

const SHAPE = 'must be a URL such as postgres://user:password@host:5432/formhost';

/** A URL with the parameters that libpq takes from the environment, where it does not have them itself. */
export function withEnvironment(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams(text.split('?')[1]);
  const added = Object.entries(ENVIRONMENT).flatMap(([name, variable]) => {
    const value = env[variable];
    const isGiven = given.has(name) || (name === 'sslmode' && given.has('ssl'));
    return !value || isGiven ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  if (added.length === 0) return text;
  return `${text}${text.includes('?') ? '&' : '?'}${added.join('&')}`;
}

function oneOf<Value extends string>(values: readonly Value[], name: string, value: string): Value {
  const found = values.find((each) => each === value);
  if (found === undefined) throw new DatabaseUrlError(`has ${name}=${value}: it must be one of ${values.join(', ')}`);
  return found;
}

/** A person's own file, if there is one, as in libpq. */
function personalFile(name: string): string | undefined {
  const file = join(homedir(), '.postgresql', name);
  return existsSync(file) ? file : undefined;
}

const MODES_OF_SSL: Readonly<Record<string, SslMode>> = {
  true: 'verify-full',
  1: 'verify-full',
  false: 'disable',
  0: 'disable',
  'no-verify': 'no-verify',
};

/** Takes a parameter out. */
function take(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name) ?? undefined;
  parameters.delete(name);
  return value;
}

function takeTls(parameters: URLSearchParams): Tls {
  const [given, ssl, givenRoot, givenCert, givenKey] = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'].map(
    (name) => take(parameters, name),
  );
  const byDefault = givenRoot === undefined && givenCert === undefined ? 'disable' : 'verify-full';
  const mode = given === undefined ? (MODES_OF_SSL[ssl ?? ''] ?? byDefault) : oneOf(SSL_MODES, 'sslmode', given);
  if (mode === 'disable') return { mode };
  const cert = givenCert ?? personalFile('postgresql.crt');
  const key = givenKey ?? (cert === undefined ? undefined : personalFile('postgresql.key'));
  if (cert === undefined && key !== undefined) throw new DatabaseUrlError('has sslkey without sslcert: add it');
  if (cert !== undefined && key === undefined) throw new DatabaseUrlError('has sslcert without sslkey: add it');
  if (givenRoot === SYSTEM && mode !== 'verify-full') {
    throw new DatabaseUrlError(`has sslrootcert=${SYSTEM} with sslmode=${mode}: use verify-full`);
  }
  const rootCert = givenRoot === SYSTEM ? undefined : (givenRoot ?? personalFile('root.crt'));
  if (rootCert === undefined && mode === 'verify-ca') {
    throw new DatabaseUrlError(
      "has sslmode=verify-ca without sslrootcert: add the file of the authority's certificate",
    );
  }
  return { mode, rootCert, cert, key };
}

/** The parameters with which pg does what a mode of libpq means. */
function parametersOf({ mode, rootCert, cert, key }: Tls): Record<string, string> {
  if (mode === 'disable') return { sslmode: mode };
  return {
    // With a file of authorities, `require` checks the server's certificate.
    sslmode: mode === 'prefer' || mode === 'no-verify' ? 'require' : mode,
    uselibpqcompat: 'true',
    ...(rootCert !== undefined && mode !== 'no-verify' && { sslrootcert: rootCert }),
    ...(cert !== undefined && { sslcert: cert }),
    ...(key !== undefined && { sslkey: key }),
  };
}

/** Reads DATABASE_URL. Throws DatabaseUrlError. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, start, hosts, path = '', query] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (start === undefined || hosts === undefined) throw new DatabaseUrlError(SHAPE);
  const parameters = new URLSearchParams(query);
  const tls = takeTls(parameters);
  const target = oneOf(TARGETS, 'target_session_attrs', take(parameters, 'target_session_attrs') ?? 'any');
  const options = take(parameters, 'options');
  const servers = hosts.split(',').map((name, _at, all) => {
    const url = URL.parse(`${start}${name}${path}`);
    if (url === null || (all.length > 1 && name === '')) throw new DatabaseUrlError(SHAPE);
    const host = parameters.get('host') ?? decodeURIComponent(url.hostname.replaceAll(/^\[|\]$/g, ''));
    const urlWith = (mode: SslMode): string => {
      const added = Object.entries(parametersOf({ ...tls, mode }));
      return `${start}${name}${path}?${new URLSearchParams([...parameters, ...added])}`;
    };
    return {
      host,
      port: parameters.get('port') ?? (url.port || '5432'),
      // As in libpq: there is no TLS on a socket of this machine.
      url: urlWith(host.startsWith('/') ? 'disable' : tls.mode),
      plainUrl: tls.mode === 'prefer' ? urlWith('disable') : undefined,
    };
  });
  return { servers, path, target, options, tls };
}

/** Checks DATABASE_URL, and the files that it names. Throws DatabaseUrlError. */
export function checkDatabaseUrl(text: string): void {
  const { rootCert, cert, key } = parseDatabaseUrl(text).tls;
  for (const file of [rootCert, cert]) {
    if (file === undefined) continue;
    try {
      new X509Certificate(readFileSync(file));
    } catch (error) {
      throw new DatabaseUrlError(`names ${file}, which has no certificate in PEM that can be read: ${textOf(error)}`);
    }
  }
  if (cert === undefined || key === undefined) return;
  try {
    createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) });
  } catch (error) {
    throw new DatabaseUrlError(`names ${key}, which is not the key of ${cert}: ${textOf(error)}`);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The same for libpq: what its tools read from the environment. */
export function libpqEnvironment({ servers, target, tls }: DatabaseUrl): Record<string, string | undefined> {
  return {
    PGHOST: servers.map(({ host }) => host).join(','),
    PGPORT: servers.map(({ port }) => port).join(','),
    PGTARGETSESSIONATTRS: target,
    PGSSLMODE: tls.mode === 'no-verify' ? 'require' : tls.mode,
    PGSSLROOTCERT: tls.rootCert ?? (tls.mode === 'verify-full' ? SYSTEM : undefined),
    PGSSLCERT: tls.cert,
    PGSSLKEY: tls.key,
  };
}
