import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { toMailAddress } from '../lib/mail-address.ts';
import { type Cidr, parseCidr } from '../lib/public-address.ts';
import { checkDatabaseUrl, DatabaseUrlError } from './database-url.ts';

/*
 * Readers of the values of settings, for src/config.ts. Each throws when the value is wrong.
 */

export const list = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export const integer = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, error)
    .transform(Number)
    .pipe(z.number(error).min(min, error).max(max, error));
};

/** As `integer`, with a fraction of up to six digits. */
export const decimal = (min: number, max: number) => {
  const error = `must be a number from ${min} to ${max}, such as 24 or 0.5`;
  return z
    .string()
    .regex(/^[0-9]{1,15}(?:\.[0-9]{1,6})?$/, error)
    .transform(Number)
    .pipe(z.number(error).min(min, error).max(max, error));
};

/** A string setting that `read` parses; an error of `read` becomes `must be <expected>`. */
export const reads = <T>(expected: string, read: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch {
      context.addIssue({ code: 'custom', message: `must be ${expected}` });
      return z.NEVER;
    }
  });

const assert = (isValid: boolean): void => {
  if (!isValid) throw new Error();
};

export const baseUrl = (text: string): URL => {
  const url = new URL(text);
  assert(url.protocol === 'http:' || url.protocol === 'https:');
  assert(url.href === `${url.origin}/`);
  return url;
};

/** An https URL, or an http URL of this machine, without a query. A slash at its end counts. */
export const issuer =
  (isLocalHost: (hostname: string) => boolean) =>
  (text: string): URL => {
    const url = new URL(text);
    assert(url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname)));
    assert(url.username === '' && url.password === '' && !/[?#]/.test(text));
    return url;
  };

/** Domains of mail addresses, in ASCII. */
export const mailDomains = (text: string): readonly string[] =>
  list(text).map((item) => {
    const address = toMailAddress(`a@${item}`);
    assert(address !== undefined && isDomain(item.includes('@') ? '' : address.slice(2)));
    return String(address).slice(2).toLowerCase();
  });

/** A domain name: labels of letters, digits and hyphens (RFC 1123). */
export const isDomain = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));

export const host = (text: string): string => {
  assert(isIP(text) !== 0 || isDomain(text));
  return text;
};

export const pagesDomain = (text: string): string => {
  const [, name = '', port] = /^([^:]*?)\.?(?::([0-9]{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  assert(isDomain(name) && isIP(name) === 0);
  // A name whose last label is a number is parsed as an address.
  assert(URL.parse(`http://page.${name}/`)?.hostname === `page.${name}`);
  assert(port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
  return port === undefined ? name : `${name}:${port}`;
};

/** In lower case. */
export const domain = (text: string): string => {
  assert(isDomain(text) && isIP(text) === 0);
  return text.toLowerCase();
};

/** Addresses with optional ports. */
export const dnsServers = (text: string): readonly string[] => {
  const servers = list(text);
  assert(servers.length > 0 && servers.every((server) => !/:0*$/.test(server) || isIP(server) === 6));
  new Resolver().setServers(servers);
  return servers;
};

export const databaseUrl = z.string().superRefine((text, context) => {
  try {
    checkDatabaseUrl(text);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

export const network = (text: string): Cidr => {
  const [address = ''] = text.split('/');
  assert(isIP(address) !== 0);
  return parseCidr(text);
};

/** A list of plans, each with a limit or `none`, which is Infinity. */
export const plans =
  (readLimit: (text: string) => number) =>
  (text: string): ReadonlyMap<string, number> => {
    const items = list(text);
    const limits = new Map(
      items.map((item) => {
        const [, name = '', limit = ''] = /^([A-Za-z0-9_-]+):(.+)$/.exec(item) ?? [];
        assert(name !== '');
        return [name, limit === 'none' ? Number.POSITIVE_INFINITY : readLimit(limit)];
      }),
    );
    assert(limits.size > 0 && limits.size === items.length);
    return limits;
  };

export const count = (text: string): number => {
  assert(/^[0-9]{1,9}$/.test(text));
  return Number(text);
};

const BYTES_OF_UNIT: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Such as `500MB`. */
export const byteSize = (text: string): number => {
  const [, digits = '', unit = ''] = /^([0-9]{1,15})(|KB|MB|GB|TB)$/.exec(text) ?? [];
  const bytes = Number(digits) * (BYTES_OF_UNIT[unit] ?? Number.NaN);
  assert(digits !== '' && Number.isSafeInteger(bytes));
  return bytes;
};

export const labels = (text: string): readonly string[] => {
  const names = list(text.toLowerCase());
  assert(names.every((name) => /^[a-z-]{1,63}$/.test(name)));
  return names;
};

export const seconds = (text: string): readonly number[] => {
  const delays = list(text);
  assert(delays.length > 0 && delays.length <= 100 && delays.every((item) => /^[0-9]{1,7}(\.[0-9]{1,3})?$/.test(item)));
  return delays.map(Number);
};

export const smtpUrl = (text: string): string => {
  const url = new URL(text);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  assert(/^smtps?:$/.test(url.protocol) && (isIP(hostname) !== 0 || isDomain(hostname)));
  return text;
};

/** `name` may be empty. */
export type Mailbox = { name: string; address: string };

const mailAddress = (text: string): string => {
  const address = toMailAddress(text);
  if (address === undefined) throw new Error();
  return address;
};

/** `you@example.org`, or `Name <you@example.org>` (RFC 5322, 3.4), the name plain or in quotes. */
export const mailbox = (text: string): Mailbox => {
  const [, quoted = '', plain = '', address = text] = /^(?:"([^"\\]*)"|([^"<>]*?))\s*<([^<>]*)>$/.exec(text) ?? [];
  assert(!/\p{Cc}/u.test(text));
  return { name: quoted || plain, address: mailAddress(address) };
};

/** A mail address, or the https URL of a contact page (RFC 9116, 2.5.3). */
/** Mail addresses, in lower case. */
export const addresses = (text: string): string[] =>
  list(text).map((item) => {
    const address = toMailAddress(item);
    if (address === undefined) throw new Error();
    return address.toLowerCase();
  });

export const contact = (text: string): { uri: string; text: string } => {
  const address = toMailAddress(text);
  if (address !== undefined) {
    const at = address.lastIndexOf('@');
    return { uri: `mailto:${encodeURIComponent(address.slice(0, at))}${address.slice(at)}`, text };
  }
  const { protocol, username, password, href } = new URL(text);
  assert(protocol === 'https:' && username === '' && password === '');
  return { uri: href, text: href };
};

export const trustProxy = (text: string): number | string[] => {
  if (/^[0-9]{1,2}$/.test(text)) return Number(text);
  const networks = list(text);
  assert(networks.length > 0 && networks.every((item) => isIP(item.replace(/\/.*$/, '')) !== 0));
  proxyAddr.compile(networks);
  return networks;
};

/** Part of a header, so that nothing has to be escaped. */
export const credential = (text: string): string => {
  assert(/^[!-~]+$/.test(text));
  return text;
};
