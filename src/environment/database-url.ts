import { readFileSync } from 'node:fs';

/*
 * DATABASE_URL. pg reads it, with the meanings that libpq gives to sslmode, sslrootcert, sslcert and sslkey
 * (https://www.postgresql.org/docs/current/libpq-connect.html). This file adds what pg does not know: several hosts,
 * target_session_attrs, and that `prefer` also connects without TLS.
 */

/** DATABASE_URL is wrong. The message continues a sentence that begins with it, and has no password. */
export class DatabaseUrlError extends Error {}

const TARGETS = ['any', 'read-write', 'primary'] as const;
/** Which of several servers is used: the first that answers, that takes writes, or that is not a standby. */
export type Target = (typeof TARGETS)[number];

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

export type DatabaseUrl = {
  /** The hosts as they are written, with their ports. */
  hosts: string;
  /** The database's name, after a slash. */
  path: string;
  /** The URLs for pg, in the order in which they are tried. */
  urls: readonly string[];
  target: Target;
  /** Command-line options of the server's process. */
  options: string | undefined;
};

const SHAPE = 'must be a URL such as postgres://user:password@host:5432/formhost';

function oneOf<Value extends string>(values: readonly Value[], name: string, value: string): Value {
  const found = values.find((each) => each === value);
  if (found === undefined) throw new DatabaseUrlError(`has ${name}=${value}: it must be one of ${values.join(', ')}`);
  return found;
}

/** Takes a parameter out. */
function take(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name) ?? undefined;
  parameters.delete(name);
  return value;
}

/** Reads DATABASE_URL. Throws DatabaseUrlError. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, start, hosts, path = '', query] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (start === undefined || hosts === undefined) throw new DatabaseUrlError(SHAPE);
  const parameters = new URLSearchParams(query);
  const target = oneOf(TARGETS, 'target_session_attrs', take(parameters, 'target_session_attrs') ?? 'any');
  const options = take(parameters, 'options');
  const sslMode = take(parameters, 'sslmode');
  const mode = sslMode === undefined ? undefined : oneOf(SSL_MODES, 'sslmode', sslMode);
  const modes = mode === 'prefer' ? ['require', 'disable'] : [mode];
  const names = hosts.split(',');
  const urls = names.flatMap((host) => {
    const address = `${start}${host}${path}`;
    if (!URL.canParse(address) || (names.length > 1 && host === '')) throw new DatabaseUrlError(SHAPE);
    return modes.map((sslmode) => {
      const tls = sslmode === undefined ? [] : Object.entries({ sslmode, uselibpqcompat: 'true' });
      return `${address}?${new URLSearchParams([...parameters, ...tls])}`;
    });
  });
  return { hosts, path, urls, target, options };
}

/** Checks DATABASE_URL, and that the files which it names can be read. Throws DatabaseUrlError. */
export function checkDatabaseUrl(text: string): void {
  parseDatabaseUrl(text);
  const parameters = new URLSearchParams(text.split('?')[1]);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    try {
      const file = parameters.get(name);
      if (file) readFileSync(file);
    } catch (error) {
      throw new DatabaseUrlError(`names a file that cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }
}
