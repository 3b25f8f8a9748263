import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type BucketCredentials, type BucketLocation, parseFilesUrl } from './environment/files-url.ts';
import {
  addresses,
  baseUrl,
  byteSize,
  contact,
  count,
  credential,
  databaseUrl,
  decimal,
  dnsServers,
  domain,
  host,
  integer,
  isDomain,
  issuer,
  labels,
  list,
  mailbox,
  mailDomains,
  network,
  pagesDomain,
  plans,
  reads,
  seconds,
  smtpUrl,
  trustProxy,
} from './environment/setting-values.ts';
import { misspeltName } from './lib/misspelt.ts';
import { DEFAULT_DATA_DIR } from './lib/project.ts';
import { isLoopback } from './lib/public-address.ts';
import { SIZES } from './sizes.ts';

/** A setting is wrong; the message names it and fits on one line. */
export class ConfigError extends Error {}

/** Every setting, by its name in camel case. docs/settings.md and .env.example list the same; a test compares them. */
const settings = z.object({
  host: reads('an address or a name of this machine, without a port', host).default('127.0.0.1'),
  port: integer(1, 65_535).default(3000),
  /** The origin of the API; in Config without a slash at its end. */
  baseUrl: reads('an http or https URL without a path, such as https://forms.example.org', baseUrl).optional(),
  /** Host (and port) under which every deployment is one label. */
  pagesDomain: reads('a domain with an optional port, such as pages.example.net', pagesDomain).optional(),
  pagesScheme: z.enum(['http', 'https'], 'must be http or https').optional(),
  /** The host to which the CNAME records of custom domains lead; undefined: that of the page. */
  domainsTarget: reads('a domain such as edge.example.net', domain).optional(),
  /** Name servers that look custom domains up, each with an optional port; undefined: the system's. */
  dnsServers: reads('a list of addresses such as 9.9.9.9,[2620:fe::fe]:53', dnsServers).optional(),
  /** A custom domain is looked up again so often. */
  domainCheckSeconds: integer(1, 30 * 86_400).default(86_400),
  /** A custom domain is served for so long after its proof has gone. */
  domainGraceSeconds: integer(0, 365 * 86_400).default(259_200),
  /** undefined: an embedded Postgres in `dataDir`. */
  databaseUrl: databaseUrl.optional(),
  /** The kind of pooler between this process and the database of `databaseUrl`. */
  databasePooler: z.enum(['none', 'transaction'], 'must be none or transaction').default('none'),
  dataDir: z.string().default(DEFAULT_DATA_DIR),
  filesUrl: reads(
    'a URL such as s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-central-1',
    parseFilesUrl,
  ).optional(),
  awsAccessKeyId: reads('a key id of printable ASCII characters', credential).optional(),
  awsSecretAccessKey: reads('a key of printable ASCII characters', credential).optional(),
  awsSessionToken: reads('a token of printable ASCII characters', credential).optional(),
  /** Live deployments that an owner on a plan may have; Infinity for no limit. */
  planLimits: reads(
    'a list such as free:3,pro:100,unlimited:none, each plan with a number of deployments or none',
    plans(count),
  ).prefault('free:3,pro:100,unlimited:none'),
  /** Bytes that an owner on a plan may store; Infinity for no limit, which a plan that is not listed has too. */
  storageLimits: reads(
    'a list such as free:1GB,pro:100GB,unlimited:none, each plan with bytes (KB, MB, GB or TB) or none',
    plans(byteSize),
  ).prefault('free:1GB,pro:100GB,unlimited:none'),
  /** Whether an address that signs in by mail for the first time becomes an owner. */
  signUp: z.enum(['closed', 'open'], 'must be closed or open').default('closed'),
  /** The plan of owners who sign up. */
  defaultPlan: z.string().default('free'),
  /** The provider of OpenID Connect; undefined: none. */
  oidcIssuer: reads(
    'an https URL such as https://login.example.org/realms/main; http is for localhost only',
    issuer((hostname) => isLocalHost(hostname)),
  ).optional(),
  oidcClientId: reads('an id of printable ASCII characters', credential).optional(),
  /** undefined: the provider knows this service as a public client. */
  oidcClientSecret: reads('a secret of printable ASCII characters', credential).optional(),
  /** Domains whose addresses become owners at their first sign-in with OpenID Connect. */
  oidcDomains: reads('a list of domains such as example.org,example.net', mailDomains).prefault(''),
  reservedSlugs: reads('a list of names made of lowercase letters and hyphens', labels).prefault(''),
  maxHtmlBytes: integer(1, 256 * 1024 * 1024).default(2 * 1024 * 1024),
  maxSubmissionBytes: integer(1, 64 * 1024 * 1024).default(256 * 1024),
  /** The maximum size of one file. `maxFilesBytes` is that of all files of a submission. */
  maxFileBytes: integer(0, 1024 * 1024 * 1024).default(10 * 1024 * 1024),
  maxFilesBytes: integer(0, 1024 * 1024 * 1024).default(25 * 1024 * 1024),
  /** Files of a site, with index.html; bytes of one that is no page; bytes of all. */
  maxSiteFiles: integer(1, 10_000).default(500),
  maxSiteFileBytes: integer(1, 64 * 1024 * 1024).default(10 * 1024 * 1024),
  maxSiteBytes: integer(1, 256 * 1024 * 1024).default(50 * 1024 * 1024),
  /** The highest limit of submissions in a minute that an owner may set for a form. */
  maxSubmissionsPerMinute: integer(SIZES.submissionRate.max, SIZES.submissionRate.maxOfOperator).default(600),
  /** The number of versions of a page that are kept, the live one included. */
  pageVersions: integer(1, 1_000).default(20),
  /** The number of days in which a deleted deployment can be restored. */
  trashDays: integer(1, 3_650).default(30),
  /** The number of hours for which a page that was published without a key is there, unless somebody claims it; 0: none is. */
  anonymousHours: decimal(0, 8_760).default(0),
  pageCacheMb: integer(1, 65_536).default(128),
  /** The number of proxies, or the networks, that are trusted to set X-Forwarded-For. */
  trustProxy: reads(
    'a number of proxies, or a list of their networks such as 10.0.0.0/8,192.168.0.1',
    trustProxy,
  ).default(0),
  /** Networks that webhooks may reach although they are not public. */
  webhookAllowCidrs: reads('a list of networks such as 10.0.0.0/8,fd00::/8', (text) =>
    list(text).map(network),
  ).optional(),
  /** Seconds between an attempt of a delivery that failed and the next; one more attempt than there are delays. */
  deliveryRetryDelays: reads('a list of seconds such as 5,300,1800', seconds).prefault(
    '5,300,1800,7200,18000,36000,36000',
  ),
  /** Bounds a whole attempt. */
  deliveryTimeoutMs: integer(1, 600_000).default(15_000),
  /** The time for which a delivery is leased to the process that attempts it. */
  deliveryLeaseMs: integer(1, 3_600_000).default(60_000),
  /** The number of days for which a finished delivery is kept. */
  deliveryLogDays: integer(1, 3_650).default(30),
  /** Addresses of owners who are operators. */
  adminEmails: reads('a list of addresses such as ops@example.org,you@example.org', addresses).prefault(''),
  /** The number of days for which entries of the audit are kept. */
  auditDays: integer(1, 3_650).default(365),
  /** undefined: no mail is sent. */
  smtpUrl: reads('a URL such as smtps://user:password@mail.example.org', smtpUrl).optional(),
  mailFrom: reads('an address such as formhost@example.org or Forms <forms@example.org>', mailbox).optional(),
  /** Mails to visitors of all forms of an owner, in a day of UTC. */
  confirmationsPerDay: integer(0, 1_000_000).default(500),
  /** For reports of abuse; undefined: none is shown. */
  abuseContact: reads('an address such as abuse@example.org, or an https URL', contact).optional(),
  /** For Prometheus, on `host`; undefined: no metrics. */
  metricsPort: integer(1, 65_535).optional(),
  /** The time in which a process that is told to stop accepts connections, while `/readyz` says that it stops. */
  shutdownDelayMs: integer(0, 300_000).default(0),
  /** Processes on the same port. */
  workers: integer(1, 64).default(1),
  logLevel: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be one of fatal, error, warn, info, debug, trace, silent',
    )
    .default('info'),
});

/** The name of a setting in the environment. */
const nameOf = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export const SETTING_NAMES: readonly string[] = Object.keys(settings.shape).map(nameOf);

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Where the page of a slug is: its origin. */
export const pageUrl = ({ pagesScheme, pagesDomain }: Config, slug: string): string =>
  `${pagesScheme}://${slug}.${pagesDomain}`;

/** The host to which the CNAME record of a page's custom domain leads. */
export const domainsTarget = ({ domainsTarget: target, pagesDomain: domain }: Config, slug: string): string =>
  target ?? `${slug}.${domain.replace(/:.*$/, '')}`;

/** The address that a deployment's forms post to, without the deployment's id at its end. */
export const submitUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => `${baseUrl}/submit/`;

/** The link that signs a browser in with a token. */
export const signInUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>, token: string): string =>
  `${baseUrl}/session/mail/${token}`;

/** Returns whether a name or address can only mean this machine. */
export const isLocalHost = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopback(hostname.replace(/^\[|\]$/g, ''));

/** The label before `domain` in `hostname`, if `hostname` is under it. */
const labelUnder = (domain: string, hostname: string): string[] => {
  const suffix = `.${domain.replace(/:.*$/, '')}`;
  return hostname.endsWith(suffix) ? [hostname.slice(0, -suffix.length)] : [];
};

type Values = z.infer<typeof settings>;

/** The credentials of buckets. These alone mean nothing: other programs use them. */
function credentialsOf({
  awsAccessKeyId: accessKeyId,
  awsSecretAccessKey: secretAccessKey,
  awsSessionToken: sessionToken,
}: Values): BucketCredentials | undefined {
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** The bucket of FILES_URL, with its credentials. */
function bucketOf(values: Values): BucketLocation | undefined {
  if (values.filesUrl === undefined) return undefined;
  if (values.awsAccessKeyId === undefined) throw new ConfigError('AWS_ACCESS_KEY_ID must be set when FILES_URL is');
  const credentials = credentialsOf(values);
  if (!credentials) throw new ConfigError('AWS_SECRET_ACCESS_KEY must be set when FILES_URL is');
  return { ...values.filesUrl, ...credentials };
}

/** The provider of OIDC_ISSUER. */
function oidcOf({ oidcIssuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcDomains }: Values) {
  if (oidcIssuer === undefined) {
    const others = {
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_DOMAINS: oidcDomains.length > 0 || undefined,
    };
    const [name] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (name !== undefined) throw new ConfigError(`OIDC_ISSUER must be set when ${name} is`);
    return undefined;
  }
  if (clientId === undefined) throw new ConfigError('OIDC_CLIENT_ID must be set when OIDC_ISSUER is');
  return { issuer: oidcIssuer, clientId, clientSecret };
}

/** Throws where a plan is named that PLAN_LIMITS does not have. */
function checkPlans(
  { planLimits, storageLimits, signUp, smtpUrl: mailServer, defaultPlan, oidcDomains }: Values,
  given: Readonly<Record<string, string>>,
): void {
  const refuse = (setting: string, unknown: string): never => {
    const plans = [...planLimits.keys()].join(', ');
    throw new ConfigError(`${setting} has the plan ${unknown}, which PLAN_LIMITS does not have: it has ${plans}`);
  };
  const unknownPlan = given.storageLimits && [...storageLimits.keys()].find((plan) => !planLimits.has(plan));
  if (unknownPlan) refuse('STORAGE_LIMITS', unknownPlan);
  // The default need not be a plan where nobody gets it.
  const isUsed = given.defaultPlan !== undefined || signUp === 'open' || oidcDomains.length > 0;
  if (isUsed && !planLimits.has(defaultPlan)) refuse('DEFAULT_PLAN', defaultPlan);
  if (signUp === 'open' && mailServer === undefined)
    throw new ConfigError('SMTP_URL must be set when SIGN_UP is open: people sign up by mail');
}

function readConfig(given: Readonly<Record<string, string>>) {
  const read = settings.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ConfigError(`${nameOf(String(issue?.path[0]))} ${issue?.message}`);
  }
  checkPlans(read.data, given);
  const { filesUrl, awsAccessKeyId, awsSecretAccessKey, awsSessionToken, pageCacheMb, ...others } = read.data;
  const { oidcIssuer, oidcClientId, oidcClientSecret, ...values } = others;
  const base = values.baseUrl ?? new URL(`http://localhost:${values.port}`);
  const isLocal = isLocalHost(base.hostname);
  if (values.pagesDomain === undefined && !isLocal) {
    throw new ConfigError('PAGES_DOMAIN must be set, such as pages.example.net, when BASE_URL is not local');
  }
  if (values.deliveryLeaseMs <= values.deliveryTimeoutMs) {
    throw new ConfigError('DELIVERY_LEASE_MS must be longer than DELIVERY_TIMEOUT_MS');
  }
  const domain = values.pagesDomain ?? `localhost:${values.port}`;
  const sender = { name: 'formhost', address: `formhost@${isDomain(base.hostname) ? base.hostname : 'localhost'}` };
  return {
    ...values,
    /** Origin of the API, without a slash at its end. */
    baseUrl: base.origin,
    /** Host (and port) under which every deployment is one label. */
    pagesDomain: domain,
    pagesScheme: values.pagesScheme ?? (/(^|\.)localhost(:|$)/.test(domain) ? ('http' as const) : ('https' as const)),
    bucket: bucketOf(read.data),
    oidc: oidcOf(read.data),
    /** Of a bucket for backups, with or without FILES_URL. */
    awsCredentials: credentialsOf(read.data),
    // A page at the API's own host would never be served.
    reservedSlugs: [...values.reservedSlugs, ...labelUnder(domain, base.hostname)],
    pageCacheBytes: pageCacheMb * 1024 * 1024,
    webhookAllowCidrs: values.webhookAllowCidrs ?? (isLocal ? ['127.0.0.0/8', '::1/128'].map(network) : []),
    mailFrom: values.mailFrom ?? sender,
  };
}

/**
 * The text of a setting: the environment has it, or a file that NAME_FILE names, so that a secret need not be in the environment.
 * undefined if neither is set. White space around it, such as a file's last newline, is removed.
 */
function textOf(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const text = env[name]?.trim() || undefined;
  const file = env[`${name}_FILE`]?.trim();
  if (!file) return text;
  if (text !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set: remove one of them`);
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content !== '') return content;
  } catch (error) {
    throw new ConfigError(
      `${name}_FILE names ${file}, which can't be read: ${error instanceof Error ? error.message : error}`,
    );
  }
  throw new ConfigError(`${name}_FILE names ${file}, which is empty: write the value of ${name} into it`);
}

/** Throws where the environment sets a variable whose name is a setting's with a typing error: it would have no effect. */
function refuseMisspelt(env: Readonly<Record<string, string | undefined>>): void {
  const names = [...SETTING_NAMES, ...SETTING_NAMES.map((name) => `${name}_FILE`)];
  const known = new Set(names);
  for (const [name, value] of Object.entries(env)) {
    if (known.has(name) || !value?.trim()) continue;
    const meant = misspeltName(name, names);
    if (meant !== undefined) throw new ConfigError(`${name} is no setting: rename it to ${meant}, or remove it`);
  }
}

/** Reads the settings from an environment; an empty value counts as absent. Throws ConfigError. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  refuseMisspelt(env);
  const given = Object.fromEntries(
    Object.keys(settings.shape).flatMap((key) => {
      const text = textOf(nameOf(key), env);
      return text === undefined ? [] : [[key, text]];
    }),
  );
  return Object.freeze(readConfig(given));
}
