import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, createSecureContext } from 'node:tls';

/*
 * DATABASE_URL, with the meanings that libpq gives to its parameters
 * (https://www.postgresql.org/docs/current/libpq-connect.html).
 */

/** DATABASE_URL is wrong. The message continues a sentence that begins with it, and has no password. */
export class DatabaseUrlError extends Error {}

const SSL_MODES = ['disable', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

const TARGETS = ['any', 'read-write', 'primary'] as const;
/** Which of several servers is used: the first that answers, that takes writes, or that is not a standby. */
export type Target = (typeof TARGETS)[number];

/** In place of a file: the authorities that Node trusts. */
const SYSTEM = 'system';

/** Names of files in PEM; `rootCert` may be SYSTEM. */
export type Tls = {
  mode: SslMode;
  rootCert: string | undefined;
  cert: string | undefined;
  key: string | undefined;
};

export type DatabaseUrl = {
  /** Each server, in the order in which they are tried. `url` has no parameter of those below. */
  servers: readonly { host: string; port: string; url: string }[];
  /** The database's name, after a slash. */
  path: string;
  target: Target;
  tls: Tls;
  /** Command-line options of the server's process. */
  options: string | undefined;
};

/** The environment's defaults of parameters, as in libpq. */
const ENVIRONMENT = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
} as const;

const DEFAULT_PORT = '5432';
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

/** The file of a person's own, if there is one, as libpq has it. */
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

function readTls(parameters: URLSearchParams): Tls {
  const take = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined;
    parameters.delete(name);
    return value;
  };
  const [mode, ssl, givenRoot, givenCert, givenKey] = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'].map(take);
  const byDefault = givenRoot === undefined && givenCert === undefined ? 'disable' : 'verify-full';
  const chosen = mode === undefined ? (MODES_OF_SSL[ssl ?? ''] ?? byDefault) : oneOf(SSL_MODES, 'sslmode', mode);
  if (chosen === 'disable') return { mode: chosen, rootCert: undefined, cert: undefined, key: undefined };
  const cert = givenCert ?? personalFile('postgresql.crt');
  const key = cert === undefined ? undefined : (givenKey ?? personalFile('postgresql.key'));
  if (cert === undefined && givenKey !== undefined) throw new DatabaseUrlError('has sslkey without sslcert: add it');
  if (cert !== undefined && key === undefined) throw new DatabaseUrlError('has sslcert without sslkey: add it');
  const rootCert = givenRoot ?? personalFile('root.crt') ?? (chosen === 'verify-full' ? SYSTEM : undefined);
  if (rootCert === undefined && chosen === 'verify-ca') {
    throw new DatabaseUrlError(
      "has sslmode=verify-ca without sslrootcert: add the file of the authority's certificate",
    );
  }
  if (rootCert === SYSTEM && chosen !== 'verify-full') {
    throw new DatabaseUrlError(`has sslrootcert=${SYSTEM} with sslmode=${chosen}: use verify-full`);
  }
  return { mode: chosen, rootCert, cert, key };
}

/** Reads DATABASE_URL. Throws DatabaseUrlError. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, start, hosts, path, query] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (start === undefined || hosts === undefined) throw new DatabaseUrlError(SHAPE);
  const parameters = new URLSearchParams(query);
  const tls = readTls(parameters);
  const target = oneOf(TARGETS, 'target_session_attrs', parameters.get('target_session_attrs') ?? 'any');
  const options = parameters.get('options') ?? undefined;
  for (const name of ['target_session_attrs', 'options']) parameters.delete(name);
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const servers = hosts.split(',').map((each, _at, all) => {
    const url = `${start}${each}${path ?? ''}${rest}`;
    const parsed = URL.parse(url);
    if (parsed === null || (all.length > 1 && each === '')) throw new DatabaseUrlError(SHAPE);
    const host = parameters.get('host') ?? decodeURIComponent(parsed.hostname.replaceAll(/^\[|\]$/g, ''));
    return { host, port: parameters.get('port') ?? (parsed.port || DEFAULT_PORT), url };
  });
  return { servers, path: path ?? '', target, tls, options };
}

/** Checks DATABASE_URL, and the files that it names. Throws DatabaseUrlError. */
export function checkDatabaseUrl(text: string): void {
  const url = parseDatabaseUrl(text);
  const { rootCert, cert, key } = url.tls;
  for (const file of [rootCert === SYSTEM ? undefined : rootCert, cert]) {
    if (file === undefined) continue;
    try {
      new X509Certificate(readFileSync(file));
    } catch (error) {
      throw new DatabaseUrlError(`names ${file}, which has no certificate in PEM that can be read: ${textOf(error)}`);
    }
  }
  try {
    if (cert !== undefined) createSecureContext(tlsOf(url, '') || {});
  } catch (error) {
    throw new DatabaseUrlError(`names ${key}, which is not the key of ${cert}: ${textOf(error)}`);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The options of TLS for a connection to a host of this URL; false for none. The files are read each time, because they
 * are renewed.
 */
export function tlsOf(
  { tls: { mode, rootCert, cert, key } }: Pick<DatabaseUrl, 'tls'>,
  host: string,
): false | ConnectionOptions {
  // As in libpq: there is no TLS on a socket of this machine.
  if (mode === 'disable' || host.startsWith('/')) return false;
  return {
    // A file of authorities is used in every mode.
    rejectUnauthorized: mode !== 'no-verify' && rootCert !== undefined,
    ...(rootCert !== undefined && rootCert !== SYSTEM && { ca: readFileSync(rootCert, 'utf8') }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(cert !== undefined && { cert: readFileSync(cert, 'utf8') }),
    ...(key !== undefined && { key: readFileSync(key, 'utf8') }),
  };
}

/** The same for libpq: what its tools read from the environment. */
export function libpqEnvironment({ servers, target, tls }: DatabaseUrl): Record<string, string | undefined> {
  return {
    PGHOST: servers.map(({ host }) => host).join(','),
    PGPORT: servers.map(({ port }) => port).join(','),
    PGTARGETSESSIONATTRS: target,
    PGSSLMODE: tls.mode === 'no-verify' ? 'require' : tls.mode,
    PGSSLROOTCERT: tls.rootCert,
    PGSSLCERT: tls.cert,
    PGSSLKEY: tls.key,
  };
}
