import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { type BucketLocation, parseFilesUrl } from './files/location.ts';
import { checkDatabaseUrl, DatabaseUrlError, withEnvironment } from './lib/database-url.ts';
import { CELL } from './lib/ids.ts';
import { isMailAddress } from './lib/mail-address.ts';
import { type Cidr, isLoopback, parseCidr } from './lib/public-address.ts';
import { SIZES } from './limits.ts';

/** A setting is wrong; the message names it and fits on one line. */
export class ConfigError extends Error {}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const integer = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, error)
    .transform(Number)
    .pipe(z.number(error).min(min, error).max(max, error));
};

/** A string setting that `read` parses; an error of `read` becomes `must be <expected>`. */
const reads = <T>(expected: string, read: (text: string) => T) =>
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

const baseUrl = (text: string): URL => {
  const url = new URL(text);
  assert(url.protocol === 'http:' || url.protocol === 'https:');
  assert(url.href === `${url.origin}/`);
  return url;
};

/** A domain name: labels of letters, digits and hyphens (RFC 1123). */
const isDomain = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));

const host = (text: string): string => {
  assert(isIP(text) !== 0 || isDomain(text));
  return text;
};

const pagesDomain = (text: string): string => {
  const [, name = '', port] = /^([^:]*?)\.?(?::([0-9]{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  assert(isDomain(name) && isIP(name) === 0);
  // A name whose last label is a number is parsed as an address.
  assert(URL.parse(`http://page.${name}/`)?.hostname === `page.${name}`);
  assert(port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
  return port === undefined ? name : `${name}:${port}`;
};

const databaseUrl = z.string().superRefine((text, context) => {
  try {
    checkDatabaseUrl(text);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

const network = (text: string): Cidr => {
  const [address = ''] = text.split('/');
  assert(isIP(address) !== 0);
  return parseCidr(text);
};

/** A list of plans, each with a limit or `none`, which is Infinity. */
const plans =
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

const count = (text: string): number => {
  assert(/^[0-9]{1,9}$/.test(text));
  return Number(text);
};

const BYTES_OF_UNIT: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Such as `500MB`. */
const byteSize = (text: string): number => {
  const [, digits = '', unit = ''] = /^([0-9]{1,15})(|KB|MB|GB|TB)$/.exec(text) ?? [];
  const bytes = Number(digits) * (BYTES_OF_UNIT[unit] ?? Number.NaN);
  assert(digits !== '' && Number.isSafeInteger(bytes));
  return bytes;
};

const labels = (text: string): readonly string[] => {
  const names = list(text.toLowerCase());
  assert(names.every((name) => /^[a-z-]{1,63}$/.test(name)));
  return names;
};

const seconds = (text: string): readonly number[] => {
  const delays = list(text);
  assert(delays.length > 0 && delays.length <= 100 && delays.every((item) => /^[0-9]{1,7}(\.[0-9]{1,3})?$/.test(item)));
  return delays.map(Number);
};

const smtpUrl = (text: string): string => {
  const url = new URL(text);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  assert(/^smtps?:$/.test(url.protocol) && (isIP(hostname) !== 0 || isDomain(hostname)));
  return text;
};

/** `you@example.org`, or `Name <you@example.org>` (RFC 5322, 3.4), the name plain or in quotes. */
const mailbox = (text: string): Mailbox => {
  const [, quoted = '', plain = '', address = text] = /^(?:"([^"\\]*)"|([^"<>]*?))\s*<([^<>]*)>$/.exec(text) ?? [];
  assert(isMailAddress(address) && !/\p{Cc}/u.test(text));
  return { name: quoted || plain, address };
};

/** A mail address, or the https URL of a contact page (RFC 9116, 2.5.3). */
const contact = (text: string): { uri: string; text: string } => {
  if (isMailAddress(text)) {
    const at = text.lastIndexOf('@');
    return { uri: `mailto:${encodeURIComponent(text.slice(0, at))}${text.slice(at)}`, text };
  }
  const { protocol, username, password, href } = new URL(text);
  assert(protocol === 'https:' && username === '' && password === '');
  return { uri: href, text: href };
};

const trustProxy = (text: string): number | string[] => {
  if (/^[0-9]{1,2}$/.test(text)) return Number(text);
  const networks = list(text);
  assert(networks.length > 0 && networks.every((item) => isIP(item.replace(/\/.*$/, '')) !== 0));
  proxyAddr.compile(networks);
  return networks;
};

/** Part of a header, so that nothing has to be escaped. */
const credential = (text: string): string => {
  assert(/^[!-~]+$/.test(text));
  return text;
};

/** Every setting. README.md and .env.example list the same; a test compares them. */
export const settings = z.object({
  HOST: reads('an address or a name of this machine, without a port', host).default('127.0.0.1'),
  PORT: integer(1, 65_535).default(3000),
  BASE_URL: reads('an http or https URL without a path, such as https://forms.example.org', baseUrl).optional(),
  PAGES_DOMAIN: reads('a domain with an optional port, such as pages.example.net', pagesDomain).optional(),
  PAGES_SCHEME: z.enum(['http', 'https'], 'must be http or https').optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_POOLER: z.enum(['none', 'transaction'], 'must be none or transaction').default('none'),
  DATA_DIR: z.string().default('./data'),
  CELL: z
    .string()
    .regex(
      CELL,
      `must be a lowercase letter, then lowercase letters and digits, ${SIZES.cell.maxChars} characters in all`,
    )
    .default(''),
  FILES_URL: reads(
    'a URL such as s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-central-1',
    parseFilesUrl,
  ).optional(),
  AWS_ACCESS_KEY_ID: reads('a key id of printable ASCII characters', credential).optional(),
  AWS_SECRET_ACCESS_KEY: reads('a key of printable ASCII characters', credential).optional(),
  AWS_SESSION_TOKEN: reads('a token of printable ASCII characters', credential).optional(),
  PLAN_LIMITS: reads(
    'a list such as free:3,pro:100,unlimited:none, each plan with a number of deployments or none',
    plans(count),
  ).prefault('free:3,pro:100,unlimited:none'),
  STORAGE_LIMITS: reads(
    'a list such as free:1GB,pro:100GB,unlimited:none, each plan with bytes (KB, MB, GB or TB) or none',
    plans(byteSize),
  ).prefault('free:1GB,pro:100GB,unlimited:none'),
  RESERVED_SLUGS: reads('a list of names made of lowercase letters and hyphens', labels).prefault(''),
  MAX_HTML_BYTES: integer(1, 256 * 1024 * 1024).default(2 * 1024 * 1024),
  MAX_SUBMISSION_BYTES: integer(1, 64 * 1024 * 1024).default(256 * 1024),
  MAX_FILE_BYTES: integer(0, 1024 * 1024 * 1024).default(10 * 1024 * 1024),
  MAX_FILES_BYTES: integer(0, 1024 * 1024 * 1024).default(25 * 1024 * 1024),
  PAGE_VERSIONS: integer(1, 1_000).default(20),
  TRASH_DAYS: integer(1, 3_650).default(30),
  PAGE_CACHE_MB: integer(1, 65_536).default(128),
  TRUST_PROXY: reads(
    'a number of proxies, or a list of their networks such as 10.0.0.0/8,192.168.0.1',
    trustProxy,
  ).default(0),
  WEBHOOK_ALLOW_CIDRS: reads('a list of networks such as 10.0.0.0/8,fd00::/8', (text) =>
    list(text).map(network),
  ).optional(),
  DELIVERY_RETRY_DELAYS: reads('a list of seconds such as 5,300,1800', seconds).prefault(
    '5,300,1800,7200,18000,36000,36000',
  ),
  DELIVERY_TIMEOUT_MS: integer(1, 600_000).default(15_000),
  DELIVERY_LEASE_MS: integer(1, 3_600_000).default(60_000),
  DELIVERY_LOG_DAYS: integer(1, 3_650).default(30),
  SMTP_URL: reads('a URL such as smtps://user:password@mail.example.org', smtpUrl).optional(),
  MAIL_FROM: reads('an address such as formhost@example.org or Forms <forms@example.org>', mailbox).optional(),
  ABUSE_CONTACT: reads('an address such as abuse@example.org, or an https URL', contact).optional(),
  METRICS_PORT: integer(1, 65_535).optional(),
  SHUTDOWN_DELAY_MS: integer(0, 300_000).default(0),
  WORKERS: integer(1, 64).default(1),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be one of fatal, error, warn, info, debug, trace, silent',
    )
    .default('info'),
});

/** `name` may be empty. */
export type Mailbox = { name: string; address: string };

export type Config = Readonly<{
  host: string;
  port: number;
  /** Origin of the API, no slash at its end. */
  baseUrl: string;
  /** Host (and port) under which every deployment is one label. */
  pagesDomain: string;
  pagesScheme: 'http' | 'https';
  /** undefined: an embedded Postgres in `dataDir`. */
  databaseUrl: string | undefined;
  /** What is between this process and the database of `databaseUrl`. */
  databasePooler: z.infer<typeof settings>['DATABASE_POOLER'];
  dataDir: string;
  /** What new ids of deployments, keys and tokens begin with; empty in the default cell. */
  cell: string;
  /** The bucket that has the content of files, with its credentials; undefined: they are in the database. */
  bucket: BucketLocation | undefined;
  /** Live deployments that an owner on a plan may have; Infinity for no limit. */
  planLimits: ReadonlyMap<string, number>;
  /** Bytes that an owner on a plan may store; Infinity for no limit, which a plan that is not listed has too. */
  storageLimits: ReadonlyMap<string, number>;
  reservedSlugs: readonly string[];
  maxHtmlBytes: number;
  maxSubmissionBytes: number;
  /** Of one file, and of all files of a submission. */
  maxFileBytes: number;
  maxFilesBytes: number;
  /** How many versions of a page are kept, the live one included. */
  pageVersions: number;
  /** For how many days a deleted deployment can be restored. */
  trashDays: number;
  /** Of pages in memory, for each process. */
  pageCacheBytes: number;
  /** How many proxies, or which networks, are trusted to set X-Forwarded-For. */
  trustProxy: number | readonly string[];
  /** Networks that webhooks may reach although they are not public. */
  webhookAllowCidrs: readonly Cidr[];
  /** Seconds between an attempt of a delivery that failed and the next; one more attempt than there are delays. */
  deliveryRetryDelays: readonly number[];
  /** Bounds a whole attempt, in milliseconds. */
  deliveryTimeoutMs: number;
  /** For how long a delivery is leased to the process that attempts it, in milliseconds. */
  deliveryLeaseMs: number;
  /** For how many days a finished delivery is kept. */
  deliveryLogDays: number;
  /** undefined: no mail is sent. */
  smtpUrl: string | undefined;
  mailFrom: Mailbox;
  /** The contact for reports of abuse: a URI (mailto: or https:), and its text; undefined: none is shown. */
  abuseContact: { uri: string; text: string } | undefined;
  /** The port for Prometheus, on `host`; undefined: no metrics. */
  metricsPort: number | undefined;
  /** How long a process that is told to stop accepts connections, while `/readyz` says that it stops. */
  shutdownDelayMs: number;
  /** Processes on the same port. */
  workers: number;
  logLevel: z.infer<typeof settings>['LOG_LEVEL'];
}>;

/** Where the page of a slug is: its origin. */
export const pageUrl = ({ pagesScheme, pagesDomain }: Config, slug: string): string =>
  `${pagesScheme}://${slug}.${pagesDomain}`;

/** What precedes a deployment's id in the address that its forms post to. */
export const submitUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => `${baseUrl}/submit/`;

/** Whether a name or address can only mean this machine. */
export const isLocalHost = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopback(hostname.replace(/^\[|\]$/g, ''));

/** The label before `domain` in `hostname`, if `hostname` is under it. */
const labelUnder = (domain: string, hostname: string): string[] => {
  const suffix = `.${domain.replace(/:.*$/, '')}`;
  return hostname.endsWith(suffix) ? [hostname.slice(0, -suffix.length)] : [];
};

type Given = Pick<
  z.output<typeof settings>,
  'FILES_URL' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN'
>;

/** The bucket of FILES_URL. The credentials alone mean nothing: other programs use them. */
function bucketOf(given: Given): BucketLocation | undefined {
  const { FILES_URL: url, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = given;
  if (url === undefined) return undefined;
  if (accessKeyId === undefined) throw new ConfigError('AWS_ACCESS_KEY_ID must be set when FILES_URL is');
  if (secretAccessKey === undefined) throw new ConfigError('AWS_SECRET_ACCESS_KEY must be set when FILES_URL is');
  return { ...url, accessKeyId, secretAccessKey, sessionToken: given.AWS_SESSION_TOKEN };
}

/** Reads the settings from an environment; an empty value counts as absent. Throws ConfigError. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])),
  );
  if (given.DATABASE_URL !== undefined) given.DATABASE_URL = withEnvironment(given.DATABASE_URL, env);
  const read = settings.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}`);
  }
  const value = read.data;
  const base = value.BASE_URL ?? new URL(`http://localhost:${value.PORT}`);
  const local = isLocalHost(base.hostname);
  if (value.PAGES_DOMAIN === undefined && !local) {
    throw new ConfigError('PAGES_DOMAIN must be set, such as pages.example.net, when BASE_URL is not local');
  }
  if (value.DELIVERY_LEASE_MS <= value.DELIVERY_TIMEOUT_MS) {
    throw new ConfigError('DELIVERY_LEASE_MS must be longer than DELIVERY_TIMEOUT_MS');
  }
  const domain = value.PAGES_DOMAIN ?? `localhost:${value.PORT}`;
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    baseUrl: base.origin,
    pagesDomain: domain,
    pagesScheme: value.PAGES_SCHEME ?? (/(^|\.)localhost(:|$)/.test(domain) ? 'http' : 'https'),
    databaseUrl: value.DATABASE_URL,
    databasePooler: value.DATABASE_POOLER,
    dataDir: value.DATA_DIR,
    cell: value.CELL,
    bucket: bucketOf(value),
    planLimits: value.PLAN_LIMITS,
    storageLimits: value.STORAGE_LIMITS,
    // A page at the API's own host would never be served.
    reservedSlugs: [...value.RESERVED_SLUGS, ...labelUnder(domain, base.hostname)],
    maxHtmlBytes: value.MAX_HTML_BYTES,
    maxSubmissionBytes: value.MAX_SUBMISSION_BYTES,
    maxFileBytes: value.MAX_FILE_BYTES,
    maxFilesBytes: value.MAX_FILES_BYTES,
    pageVersions: value.PAGE_VERSIONS,
    trashDays: value.TRASH_DAYS,
    pageCacheBytes: value.PAGE_CACHE_MB * 1024 * 1024,
    trustProxy: value.TRUST_PROXY,
    webhookAllowCidrs: value.WEBHOOK_ALLOW_CIDRS ?? (local ? ['127.0.0.0/8', '::1/128'].map(network) : []),
    deliveryRetryDelays: value.DELIVERY_RETRY_DELAYS,
    deliveryTimeoutMs: value.DELIVERY_TIMEOUT_MS,
    deliveryLeaseMs: value.DELIVERY_LEASE_MS,
    deliveryLogDays: value.DELIVERY_LOG_DAYS,
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM ?? {
      name: 'formhost',
      address: `formhost@${isDomain(base.hostname) ? base.hostname : 'localhost'}`,
    },
    abuseContact: value.ABUSE_CONTACT,
    metricsPort: value.METRICS_PORT,
    shutdownDelayMs: value.SHUTDOWN_DELAY_MS,
    workers: value.WORKERS,
    logLevel: value.LOG_LEVEL,
  });
}
