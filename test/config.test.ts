import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig, SETTING_NAMES } from '../src/config.ts';
import { isReachable } from '../src/lib/public-address.ts';
import { PROJECT } from './support/process.ts';
import { emptyFolder } from './support/run-formhost.ts';

/** The message about settings that are wrong; undefined where they are right. */
function complaint(env: Record<string, string>): string | undefined {
  try {
    loadConfig(env);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}

const mapOf = (object: Record<string, number>) => new Map(Object.entries(object));
const aLineNaming = (name: string) => expect.stringMatching(new RegExp(`^(?!.*secret).*\\b${name}\\b.*$`));

describe('loadConfig', () => {
  it('has what follows from other settings, and nothing of what must be set, when nothing is set', () => {
    const { databaseUrl, smtpUrl } = loadConfig({});
    expect([databaseUrl, smtpUrl]).toEqual([undefined, undefined]);
    expect(loadConfig({})).toMatchObject({
      baseUrl: 'http://localhost:3000',
      pagesDomain: 'localhost:3000',
      pagesScheme: 'http',
      mailFrom: { name: 'formhost', address: 'formhost@localhost' },
    });
  });

  it.each([
    ['forms/a/b?endpoint=https://s3.test&region=eu-1', 'forms', 'a/b/', 'eu-1', 'https://s3.test/forms/', false],
    ['forms?endpoint=http://[::1]:9000', 'forms', '', 'us-east-1', 'http://[::1]:9000/forms/', false],
    ['forms/a/?region=eu-west-3', 'forms', 'a/', 'eu-west-3', 'https://forms.s3.eu-west-3.amazonaws.com/', false],
    ['my.fs?region=eu-west-3', 'my.fs', '', 'eu-west-3', 'https://s3.eu-west-3.amazonaws.com/my.fs/', false],
    ['abc?endpoint=https://s3.test&style=virtual&new=database', 'abc', '', 'us-east-1', 'https://abc.s3.test/', true],
  ])('reads FILES_URL=s3://%s', (rest, bucket, prefix, region, url, isForOldFiles) => {
    const key = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'x/y+z', AWS_SESSION_TOKEN: 't' };
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'x/y+z', sessionToken: 't' };
    const location = { bucket, prefix, region, url, isForOldFiles, ...credentials };
    expect(loadConfig({ FILES_URL: `s3://${rest}`, ...key }).bucket).toEqual(location);
  });

  it.each([
    ...['forms', 's3://forms', 's3://user:pass@forms?region=eu-west-3', 's3://forms/a b?region=eu-west-3'],
    ...['s3://forms?region=eu-west-3&region=eu-west-1', 's3://forms?region=eu-west-3&key=x'],
    ...['s3://forms?endpoint=https://s3.example.org/path', 's3://forms?endpoint=https://10.0.0.1&style=virtual'],
    's3://forms?endpoint=https://s3.example.org&new=both',
    's3://forms?endpoint=https://s3.example.org&region=eu%0Awest',
  ])('refuses FILES_URL=%s', (url) => {
    const key = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'x' };
    expect(complaint({ FILES_URL: url, ...key })).toBe(
      'FILES_URL must be a URL such as s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-central-1',
    );
  });

  it('wants the key of FILES_URL, and nothing of a key alone', () => {
    const FILES_URL = 's3://forms?region=eu-west-3';
    expect(complaint({ FILES_URL })).toBe('AWS_ACCESS_KEY_ID must be set when FILES_URL is');
    expect(complaint({ FILES_URL, AWS_ACCESS_KEY_ID: 'AKIA' })).toBe(
      'AWS_SECRET_ACCESS_KEY must be set when FILES_URL is',
    );
    expect(complaint({ FILES_URL, AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'a b' })).toBe(
      'AWS_SECRET_ACCESS_KEY must be a key of printable ASCII characters',
    );
    expect(loadConfig({ AWS_ACCESS_KEY_ID: 'AKIA' }).bucket).toBeUndefined();
  });

  it.each(SETTING_NAMES)('takes an empty %s as none', (name) => {
    for (const value of ['', ' ']) expect(loadConfig({ [name]: value })).toEqual(loadConfig({}));
  });

  it('ignores what is no setting of it', () => {
    const others = { PATH: '/bin', port: '80', PORTS: '80', HOME: '/root', HOSTNAME: 'x', POST: 'x', WORKER_ID: '1' };
    const ofPrograms = {
      PGPORT: '5432',
      DATABASE: 'x',
      SMTP_HOST: 'x',
      FORMHOST_PORT: '80',
      AWS_REGION: 'x',
      URL: 'x',
    };
    expect(loadConfig({ ...others, ...ofPrograms })).toEqual(loadConfig({}));
  });

  it.each([
    ['SMPT_URL', 'SMTP_URL'],
    ['BASEURL', 'BASE_URL'],
    ['BASE_URI', 'BASE_URL'],
    ['PAGES_DOMIAN', 'PAGES_DOMAIN'],
    ['PAGE_DOMAIN', 'PAGES_DOMAIN'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['PROT', 'PORT'],
    ['WROKERS', 'WORKERS'],
    ['STORAGE_LIMIT', 'STORAGE_LIMITS'],
    ['SMPT_URL_FILE', 'SMTP_URL_FILE'],
    ['DATABASE_URL_FLIE', 'DATABASE_URL_FILE'],
  ])('stops where %s is meant to be %s', (name, meant) => {
    expect(complaint({ [name]: 'secret' })).toBe(`${name} is no setting: rename it to ${meant}, or remove it`);
    expect(complaint({ [name]: ' ' })).toBeUndefined();
  });

  it('knows the plans of STORAGE_LIMITS', () => {
    const STORAGE_LIMITS = 'free:1GB,por:100GB';
    expect(complaint({ STORAGE_LIMITS })).toBe(
      'STORAGE_LIMITS has the plan por, which PLAN_LIMITS does not have: it has free, pro, unlimited',
    );
    expect(complaint({ STORAGE_LIMITS, PLAN_LIMITS: 'free:3,por:5' })).toBeUndefined();
    // Its default may have more plans than the operator has.
    expect(complaint({ PLAN_LIMITS: 'one:1' })).toBeUndefined();
  });

  it.each([
    [{ HOST: '::' }, { host: '::' }],
    [{ PORT: '8080' }, { port: 8080, baseUrl: 'http://localhost:8080', pagesDomain: 'localhost:8080' }],
    [{ BASE_URL: 'http://app.localhost:3000/' }, { baseUrl: 'http://app.localhost:3000' }],
    [{ BASE_URL: 'http://127.0.0.1:80', PORT: '81' }, { baseUrl: 'http://127.0.0.1' }],
    [{ BASE_URL: 'http://[::1]:8080' }, { baseUrl: 'http://[::1]:8080', pagesDomain: 'localhost:3000' }],
    [
      { BASE_URL: 'https://A.Test', PAGES_DOMAIN: 'P.test' },
      { baseUrl: 'https://a.test', pagesDomain: 'p.test' },
    ],
    [{ PAGES_DOMAIN: 'localhost:81' }, { pagesDomain: 'localhost:81', pagesScheme: 'http' }],
    [{ PAGES_DOMAIN: 'p.localhost' }, { pagesDomain: 'p.localhost', pagesScheme: 'http' }],
    [{ PAGES_DOMAIN: 'localhost', PAGES_SCHEME: 'https' }, { pagesScheme: 'https' }],
    [{ PAGES_DOMAIN: 'p.example:8080' }, { pagesDomain: 'p.example:8080', pagesScheme: 'https' }],
    [{ PAGES_DOMAIN: 'notlocalhost' }, { pagesScheme: 'https' }],
    [{ PAGES_DOMAIN: 'localhost.example' }, { pagesScheme: 'https' }],
    [{ PAGES_DOMAIN: 'p.example', PAGES_SCHEME: 'http' }, { pagesScheme: 'http' }],
    [
      { DOMAINS_TARGET: 'Edge.Test', DNS_SERVERS: '127.0.0.1:5353, ::1,[::1]:53' },
      { domainsTarget: 'edge.test', dnsServers: ['127.0.0.1:5353', '::1', '[::1]:53'] },
    ],
    [
      { DOMAIN_CHECK_SECONDS: '1', DOMAIN_GRACE_SECONDS: '0' },
      { domainCheckSeconds: 1, domainGraceSeconds: 0 },
    ],
    [{ DATABASE_URL: 'postgres://u:p@h:5433/db?a=b' }, { databaseUrl: 'postgres://u:p@h:5433/db?a=b' }],
    [{ PLAN_LIMITS: 'a:0, b-c:none' }, { planLimits: mapOf({ a: 0, 'b-c': Number.POSITIVE_INFINITY }) }],
    [
      { STORAGE_LIMITS: 'a:0,b:500, c:2KB,d:3MB,e:4GB,f:5TB,g:none', PLAN_LIMITS: 'a:0,b:0,c:0,d:0,e:0,f:0,g:0' },
      { storageLimits: mapOf({ a: 0, b: 500, c: 2e3, d: 3e6, e: 4e9, f: 5e12, g: Number.POSITIVE_INFINITY }) },
    ],
    [{ RESERVED_SLUGS: 'shop, my-blog' }, { reservedSlugs: ['shop', 'my-blog'] }],
    [{ MAX_HTML_BYTES: '1000' }, { maxHtmlBytes: 1000 }],
    [{ MAX_SITE_FILES: '1' }, { maxSiteFiles: 1 }],
    [
      { MAX_SITE_FILE_BYTES: '1000', MAX_SITE_BYTES: '2000' },
      { maxSiteFileBytes: 1000, maxSiteBytes: 2000 },
    ],
    [{ MAX_SUBMISSIONS_PER_MINUTE: '1000' }, { maxSubmissionsPerMinute: 1_000 }],
    [{ ANONYMOUS_HOURS: '0.5' }, { anonymousHours: 0.5 }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: '10.0.0.0/8, fd00::/8' }, { trustProxy: ['10.0.0.0/8', 'fd00::/8'] }],
    [{ DELIVERY_RETRY_DELAYS: '1, 0.25,0' }, { deliveryRetryDelays: [1, 0.25, 0] }],
    [{ DELIVERY_LEASE_MS: '15001' }, { deliveryLeaseMs: 15_001, deliveryTimeoutMs: 15_000 }],
    [{ SMTP_URL: 'smtps://u:p%40@h:465/?pool=true' }, { smtpUrl: 'smtps://u:p%40@h:465/?pool=true' }],
    [{ MAIL_FROM: 'forms@example.org' }, { mailFrom: { name: '', address: 'forms@example.org' } }],
    [{ MAIL_FROM: 'Our Forms <forms@example.org>' }, { mailFrom: { name: 'Our Forms', address: 'forms@example.org' } }],
    [{ MAIL_FROM: 'Buch <a@bücher.example>' }, { mailFrom: { name: 'Buch', address: 'a@xn--bcher-kva.example' } }],
    [{ MAIL_FROM: '"Forms, Ltd." <f@e.example>' }, { mailFrom: { name: 'Forms, Ltd.', address: 'f@e.example' } }],
    [
      { BASE_URL: 'https://a.test', PAGES_DOMAIN: 'p.test' },
      { mailFrom: { name: 'formhost', address: 'formhost@a.test' } },
    ],
    [{ BASE_URL: 'http://[::1]:3000' }, { mailFrom: { name: 'formhost', address: 'formhost@localhost' } }],
    [
      { ABUSE_CONTACT: "o'neil&a?b%+x@e.example" },
      { abuseContact: { uri: "mailto:o'neil%26a%3Fb%25%2Bx@e.example", text: "o'neil&a?b%+x@e.example" } },
    ],
    [
      { ABUSE_CONTACT: 'https://A.test/?a=1&b="2"' },
      { abuseContact: { uri: 'https://a.test/?a=1&b=%222%22', text: 'https://a.test/?a=1&b=%222%22' } },
    ],
    [
      { SIGN_UP: 'open', SMTP_URL: 'smtp://h', DEFAULT_PLAN: 'pro' },
      { signUp: 'open', defaultPlan: 'pro' },
    ],
    [
      { PLAN_LIMITS: 'own:1', STORAGE_LIMITS: 'own:1GB' },
      { signUp: 'closed', defaultPlan: 'free' },
    ],
    [
      { OIDC_ISSUER: 'https://a.test/o/b/', OIDC_CLIENT_ID: 'f', OIDC_DOMAINS: 'A.example, bücher.example' },
      {
        oidc: { issuer: new URL('https://a.test/o/b/'), clientId: 'f', clientSecret: undefined },
        oidcDomains: ['a.example', 'xn--bcher-kva.example'],
      },
    ],
    [{ OIDC_ISSUER: 'http://localhost:8080/realms/a', OIDC_CLIENT_ID: 'f' }, { oidcDomains: [] }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  ])('reads %j', (env, expected) => {
    expect(loadConfig(env)).toMatchObject(expected);
  });

  it.each([
    ['PORT', ['0', '65536', '-1', '3e3', '80.5', '0x50', 'http', '80\n81']],
    ['HOST', ['two words', 'http://localhost', '127.0.0.1:3000']],
    ['BASE_URL', ['forms.example.org', 'ftp://forms.example.org', 'http://', '/forms', 'https://f.example/?secret=1']],
    ['PAGES_DOMAIN', ['https://p.example', 'p.example/x', 'two words', 'p..example', '.', ':3000', '*.p.example']],
    // URLs take these for an address, or for nothing.
    ['PAGES_DOMAIN', ['p.1', '1.2.3', 'pages.0x7f']],
    ['PAGES_DOMAIN', ['p.example:port', 'p.example:99999', 'p.example:0', '-p.example', `${'p'.repeat(64)}.example`]],
    ['DOMAINS_TARGET', ['10.0.0.1', 'edge.test:443', 'https://edge.test', '*.edge.test']],
    ['DNS_SERVERS', ['dns.example', '9.9.9.9:', '9.9.9.9:0', '9.9.9.9:70000', '9.9.9', ',']],
    ['DOMAIN_CHECK_SECONDS', ['0', '2592001', '1d']],
    ['DOMAIN_GRACE_SECONDS', ['-1', '31536001']],
    ['PAGES_SCHEME', ['ftp', 'https://', 'none']],
    ['DATABASE_URL', ['mysql://u:secret@h/db', 'h:5432', 'postgres://u:secret@h:port/db', 'postgres://u:secret@[h/db']],
    ['PLAN_LIMITS', ['free', 'free:', ':3', 'free:-1', 'free:1.5', 'free:many', 'free:3;pro:4', '3', ',']],
    ['STORAGE_LIMITS', ['free', 'free:', 'free:-1', 'free:1.5GB', 'free:1GiB', 'free:GB', 'free:99999TB', '1GB', ',']],
    ['ANONYMOUS_HOURS', ['-1', '1,5', '.5', '1e3', '8761', 'never']],
    ['TRASH_DAYS', ['0', '-1', '1.5', '3651', 'never']],
    ['RESERVED_SLUGS', ['two words', 'under_score', 'ümlaut']],
    ['MAX_HTML_BYTES', ['0', '-1', '2MB', '1e6', '1.5', 'none', '99999999999999999999']],
    ['MAX_SUBMISSION_BYTES', ['0', '-1', '256k', 'none']],
    ['MAX_FILE_BYTES', ['-1', '10MB', 'none']],
    ['MAX_FILES_BYTES', ['-1', '25MB', 'none']],
    ['MAX_SITE_FILES', ['0', '10001', 'none']],
    ['MAX_SITE_FILE_BYTES', ['0', '10MB', '67108865']],
    ['MAX_SITE_BYTES', ['0', '50MB', '268435457']],
    ['TRUST_PROXY', ['-1', 'yes', '1.5', '10.0.0.0/33', '10.0.0.0/8;10.1.0.0/16', '1,10.0.0.0/8', 'proxy.example']],
    ['WEBHOOK_ALLOW_CIDRS', ['10.0.0.0/33', '10/8', 'localhost', 'fd00::/129', '10.0.0.0/8 fd00::/8', 'all']],
    ['DELIVERY_RETRY_DELAYS', ['5;300', '-1', '1e3', 'none', ',', '5,,x', '1.2345', '99999999']],
    ['DELIVERY_TIMEOUT_MS', ['0', '-1', '15s', '1.5', '600001']],
    ['DELIVERY_LEASE_MS', ['0', '-1', '1m', '15000', '14999', '3600001']],
    ['MAX_SUBMISSIONS_PER_MINUTE', ['9', '-1', '10.5', '1001', 'none']],
    ['PAGE_VERSIONS', ['0', '-1', '1.5', '1001', 'all']],
    ['PAGE_CACHE_MB', ['0', '-1', '1.5', '65537', '128MB', 'all']],
    ['DELIVERY_LOG_DAYS', ['0', '-1', '1.5', 'forever']],
    ['ADMIN_EMAILS', ['ops', 'ops@example.org you@example.org', 'Ops <ops@example.org>']],
    ['AUDIT_DAYS', ['0', '-1', '1.5', '3651', 'forever']],
    ['SHUTDOWN_DELAY_MS', ['-1', '1.5', '300001', '5s']],
    ['SMTP_URL', ['mail.example', 'mail.example:25', 'http://u:secret@mail.example', 'smtp://', 'smtp://u:secret@a b']],
    ['MAIL_FROM', ['forms', 'a@b@c', 'Forms forms@example.org', 'a@e.example, b@e.example', 'X <a@e.example> y', '<>']],
    ['ABUSE_CONTACT', ['abuse', 'http://abuse.example', 'https://', 'https://u:secret@abuse.example', 'javascript:x']],
    ['ABUSE_CONTACT', ['abuse@a.example, b@b.example', 'A <abuse@a.example>', 'mailto:a@a.example', 'tel:112']],
    ['CONFIRMATIONS_PER_DAY', ['-1', '1.5', '1000001', 'none']],
    ['METRICS_PORT', ['0', '65536', 'none']],
    ['SIGN_UP', ['yes', 'OPEN', 'true']],
    ['OIDC_ISSUER', ['login.test', 'http://login.test', 'https://u:p@login.test', 'https://a.test/?b', 'ftp://a.test']],
    ['OIDC_CLIENT_ID', ['a\u00e9', 'a\nb']],
    ['OIDC_DOMAINS', ['@a.test', 'a@b.test', '*', 'a b', 'https://a.test']],
    ['DEFAULT_PLAN', ['gold', 'FREE']],
    ['WORKERS', ['0', '65', 'auto', '1.5']],
    ['LOG_LEVEL', ['loud', '5', 'info,debug']],
  ])('stops with one line that names %s when it is one of %j', (name, values) => {
    const said = values.map((value) => [value, complaint({ [name]: value })]);
    expect(said).toEqual(values.map((value) => [value, aLineNaming(name)]));
  });

  it('wants a lease that is longer than the time-out', () => {
    expect(complaint({ DELIVERY_TIMEOUT_MS: '60000' })).toEqual(aLineNaming('DELIVERY_LEASE_MS'));
    expect(complaint({ DELIVERY_TIMEOUT_MS: '60000', DELIVERY_LEASE_MS: '60001' })).toBeUndefined();
  });

  it('says one line when much is wrong', () => {
    expect(complaint({ PORT: 'x', LOG_LEVEL: 'x', BASE_URL: 'x' })).toMatch(/^.*\b(PORT|LOG_LEVEL|BASE_URL)\b.*$/);
  });

  it.each(['https://forms.example.org', 'http://localhost.example.org', 'http://127.0.0.1.example', 'http://10.0.0.1'])(
    'requires PAGES_DOMAIN once BASE_URL is not local: %s',
    (url) => {
      expect(complaint({ BASE_URL: url })).toEqual(aLineNaming('PAGES_DOMAIN'));
      expect(complaint({ BASE_URL: url, PAGES_DOMAIN: 'pages.example.org' })).toBeUndefined();
    },
  );

  it.each([
    ...['http://localhost:3000', 'http://forms.localhost', 'http://127.0.0.1', 'http://127.8.8.8', 'http://[::1]'].map(
      (url) => [url, true] as const,
    ),
    ...['https://forms.example.org', 'http://10.0.0.1', 'http://localhost.example.org'].map(
      (url) => [url, false] as const,
    ),
  ])('lets webhooks reach loopback when BASE_URL is %s: %s; and nothing else', (url, local) => {
    const { webhookAllowCidrs } = loadConfig({ BASE_URL: url, PAGES_DOMAIN: 'pages.example.org' });
    const addresses = ['127.0.0.1', '127.9.9.9', '::1', '10.0.0.1', '192.168.0.1', 'fd00::1', '0.0.0.0', '::'];
    expect(addresses.filter((address) => isReachable(address, webhookAllowCidrs))).toEqual(
      local ? ['127.0.0.1', '127.9.9.9', '::1'] : [],
    );
  });

  it('opens with WEBHOOK_ALLOW_CIDRS just what it lists', () => {
    const { webhookAllowCidrs } = loadConfig({ WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8' });
    const addresses = ['127.0.0.1', '::1', '10.0.0.1', '192.168.0.1', 'fd00::1', '169.254.169.254'];
    expect(addresses.filter((address) => isReachable(address, webhookAllowCidrs))).toEqual(['10.0.0.1', 'fd00::1']);
  });
});

describe('the file of a setting', () => {
  const fileOf = async (content: string): Promise<string> => {
    const file = join(await emptyFolder(), 'secret');
    await writeFile(file, content);
    return file;
  };

  it('has its value, without the newline at its end', async () => {
    const url = 'postgres://u:secret@h/db';
    for (const content of [url, `${url}\n`, `${url}\r\n`]) {
      expect(loadConfig({ DATABASE_URL_FILE: await fileOf(content), DATABASE_URL: '' }).databaseUrl).toBe(url);
    }
  });

  it('is read for every setting', async () => {
    const file = await fileOf('\n');
    const said = SETTING_NAMES.map((name) => complaint({ [`${name}_FILE`]: file }));
    expect(said).toEqual(
      SETTING_NAMES.map((name) => `${name}_FILE names ${file}, which is empty: write the value of ${name} into it`),
    );
  });

  it('counts as absent when it has no name', () => {
    for (const value of ['', ' ']) expect(loadConfig({ PORT_FILE: value, PORT: '81' }).port).toBe(81);
  });

  it('is refused beside the setting, and when it cannot be read', async () => {
    const file = await fileOf('81');
    expect(complaint({ PORT_FILE: file, PORT: '82' })).toBe('PORT and PORT_FILE are both set: remove one of them');
    expect(complaint({ PORT_FILE: `${file}s` })).toBe(
      `PORT_FILE names ${file}s, which can't be read: ENOENT: no such file or directory, open '${file}s'`,
    );
  });

  it('is not shown when its value is wrong', async () => {
    expect(complaint({ DATABASE_URL_FILE: await fileOf('mysql://u:secret@h/db') })).toEqual(
      aLineNaming('DATABASE_URL'),
    );
  });
});

describe('every setting', () => {
  const read = (file: string) => readFile(join(PROJECT, file), 'utf8');

  it('has a row with its default in docs/settings.md, and nothing else has', async () => {
    const rows = [...(await read('docs/settings.md')).matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (?:`([^`]+)` \|)?/gm)];
    expect(rows.map(([, name]) => name)).toEqual(SETTING_NAMES);
    const isDerived = (name: string) => ['BASE_URL', 'PAGES_DOMAIN'].includes(name);
    const defaults = rows.flatMap(([, name = '', value]) => (value && !isDerived(name) ? [[name, value]] : []));
    expect(defaults.length).toBeGreaterThan(20);
    expect(loadConfig(Object.fromEntries(defaults))).toEqual(loadConfig({}));
  });

  it('has a line with its default in .env.example, and nothing else has', async () => {
    // A setting whose default is none has an example there.
    const withoutDefault = [
      ...['FILES_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
      ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
      ...['DATABASE_URL', 'SMTP_URL', 'MAIL_FROM', 'ABUSE_CONTACT', 'METRICS_PORT'],
    ];
    const all = [...(await read('.env.example')).matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)];
    // The rest is docker-compose.yml's, and test/install/image.test.ts'.
    const lines = all.slice(0, SETTING_NAMES.length);
    expect(lines.map(([line]) => line).filter((line) => !line.startsWith('#'))).toEqual([]);
    expect(lines.map(([, name]) => name).toSorted()).toEqual(SETTING_NAMES.toSorted());

    const values = lines.map(([, name = '', value = '']): [string, string] => [name, value]);
    const defaults = Object.fromEntries(values.filter(([name]) => !withoutDefault.includes(name)));
    expect(loadConfig(defaults)).toEqual(loadConfig({}));
    expect(complaint(Object.fromEntries(values))).toBeUndefined();
    const empty = values.filter(([, value]) => value === '').map(([name]) => name);
    expect(empty.toSorted()).toEqual([
      'ADMIN_EMAILS',
      'DNS_SERVERS',
      'DOMAINS_TARGET',
      'OIDC_DOMAINS',
      'RESERVED_SLUGS',
      'WEBHOOK_ALLOW_CIDRS',
    ]);
  });
});
