import { describe, expect, it } from 'vitest';
import { inspectDatabase } from '../../src/db/postgres/inspect.ts';
import { checkBackups, checkDatabase, checkMail, checkOpenid, findDisk } from '../../src/health/check-machine.ts';
import { checkCustomDomains, checkDomains, checkProxy } from '../../src/health/check-service.ts';
import { summary } from '../support/doctor.ts';
import { emptyDatabase, openDatabase, testDatabase } from '../support/fresh-database.ts';
import { testOpenidProvider } from '../support/openid-provider.ts';
import { freePort } from '../support/process.ts';
import { testSmtpServer } from '../support/smtp.ts';
import { testService } from '../support/test-service.ts';

describe('the domains of pages and the API', () => {
  it.each([
    ['pages.example.org', 'forms.example.org', 'warn'],
    ['example.org', 'forms.example.org', 'warn'],
    ['pages.example.co.uk', 'forms.example.co.uk', 'warn'],
    // Two owners under one public suffix.
    ['pages.co.uk', 'forms.co.uk', 'ok'],
    ['example-pages.org', 'forms.example.org', 'ok'],
    // In the list's private part.
    ['github.io', 'api.github.io', 'ok'],
    ['pages.example.org', '192.0.2.1', 'ok'],
    ['pages', 'forms', 'skip'],
  ])('of pages under %s and the API at %s: %s', (pages, api, status) => {
    expect(checkDomains(pages, api).status).toBe(status);
  });
});

describe('mail', () => {
  const LOGIN = { user: 'forms', password: 'p@ss-w0rd' };

  it('is skipped when it is off', async () => {
    expect(summary(await checkMail(undefined, 500))).toEqual(['skip', 'mail is off: SMTP_URL is not set']);
  });

  it('can be sent where the server takes the login; none is', async () => {
    const { url, received } = await testSmtpServer({ login: LOGIN });
    expect(summary(await checkMail(url, 60_000))).toEqual(['ok', '127.0.0.1 accepts connections and the login']);
    expect(received).toEqual([]);
  });

  it('cannot be sent with a wrong password, which is not shown', async () => {
    const { url } = await testSmtpServer({ login: LOGIN });
    const wrong = url.replace(encodeURIComponent(LOGIN.password), 'wr0ng-one');
    const found = await checkMail(wrong, 60_000);
    expect(summary(found)).toEqual(['fail', expect.stringContaining('refused the user name or password')]);
    expect(JSON.stringify(found)).not.toContain('wr0ng-one');
  });

  it('cannot be sent where the certificate is not valid', async () => {
    const { url } = await testSmtpServer({ tls: 'smtps' });
    expect(summary(await checkMail(url, 60_000))).toEqual([
      'fail',
      '127.0.0.1: the certificate of the mail server is not valid',
    ]);
  });

  it('cannot be sent where the server says nothing, which is known in time', async () => {
    const hanging = await testSmtpServer();
    hanging.makeTrouble({ at: 'greeting', does: 'hang' });
    expect(summary(await checkMail(hanging.url, 300))).toEqual([
      'fail',
      expect.stringContaining('did not answer in time'),
    ]);
  });
});

describe('this machine', () => {
  const GIB = 1024 ** 3;
  it.each([
    [50 * GIB, 100 * GIB, 'ok', '53.7 GB (50 %) free where ./data is'],
    [0.5 * GIB, GIB, 'warn', '536.9 MB (50 %) free where ./data is'],
  ])('with %d of %d bytes free: %s', (free, total, status, saw) => {
    expect(summary(findDisk('./data', free, total))).toEqual([status, saw]);
  });

  const FACTS = {
    version: 150_004,
    encoding: 'UTF8',
    standby: false,
    missing: [],
    unknown: [],
    size: 1024 ** 2,
  };
  it.each([
    [{}, 'ok', 'Postgres 15.4, 1 MB, all migrations have been run'],
    [{ version: 140_011 }, 'fail', 'Postgres 14.11, 1 MB'],
    [{ encoding: 'SQL_ASCII' }, 'fail', 'Postgres 15.4, 1 MB, encoded in SQL_ASCII'],
    [{ standby: true }, 'fail', 'Postgres 15.4, 1 MB, a standby, which takes no writes'],
    [{ missing: ['0002-deliveries'] }, 'fail', 'Postgres 15.4, 1 MB, without the migrations 0002-deliveries'],
    [{ unknown: ['9999-x'] }, 'warn', 'Postgres 15.4, 1 MB, migrated by a newer version (9999-x)'],
  ])('with a database %j: %s', (facts, status, saw) => {
    expect(summary(checkDatabase({ ...FACTS, ...facts }, 'yes'))).toEqual([status, saw]);
  });

  it('has a database whose migrations are looked at, and not run', async () => {
    const database = await testDatabase(emptyDatabase);
    const connection = { connectionString: database.url };
    const [first, again] = [await inspectDatabase(connection), await inspectDatabase(connection)];
    expect(first.missing.slice(0, 2)).toEqual(['0001-owners-and-pages', '0002-submissions-and-deliveries']);
    expect(again.missing).toEqual(first.missing);
  });
});

describe('OpenID Connect', () => {
  const settingsFor = (issuer: string) => ({ issuer: new URL(issuer), clientId: 'formhost', clientSecret: undefined });

  it('is good where the provider names its addresses under the name of OIDC_ISSUER', async () => {
    const provider = await testOpenidProvider('http://api.test');
    const { issuer } = provider;
    expect(summary(await checkOpenid(settingsFor(issuer), 60_000))).toEqual(['ok', `${issuer}/`]);
    const [status, saw] = summary(await checkOpenid(settingsFor(`${issuer}/tenant`), 60_000));
    expect([status, saw.startsWith(`${issuer}/tenant: `)]).toEqual(['fail', true]);
  });

  it('fails where nobody listens', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const [status, saw] = summary(await checkOpenid(settingsFor(issuer), 60_000));
    expect([status, saw.startsWith(`${issuer}/: `), saw.includes('ECONNREFUSED')]).toEqual(['fail', true, true]);
  });
});

describe('backups', () => {
  it('are old after two days; without one, only the embedded database has none', async () => {
    const db = openDatabase((await testDatabase()).url);
    const check = async (isEmbedded = true) => summary(await checkBackups(db, isEmbedded));
    expect(await check()).toEqual(['warn', 'no backup was made']);
    expect((await check(false))[0]).toBe('skip');
    await db.raw("INSERT INTO last_backup (taken_at) VALUES (now() - interval '47.5 hours')");
    expect(await check()).toEqual(['ok', 'the last backup is 47 hours old']);
    await db.raw("UPDATE last_backup SET taken_at = now() - interval '48.5 hours'");
    expect(await check(false)).toEqual(['warn', 'the last backup is 48 hours old']);
    expect((await checkBackups(undefined, true)).status).toBe('skip');
  });
});

describe('custom domains', () => {
  it('are named when they are about to end', async () => {
    const service = await testService();
    const { id } = await (await service.owner()).deploy();
    expect(summary(await checkCustomDomains(service.db))).toEqual(['ok', 'no custom domain is about to end']);
    await service.db('domains').insert(
      [1, 2, 3, 4, 5, 6].map((n) => ({
        ...{ deployment_id: id, domain: `${n}.example`, status: 'live' },
        proof_gone_at: new Date(n * 1_000),
      })),
    );
    expect(summary(await checkCustomDomains(service.db))).toEqual([
      'warn',
      '6 custom domains are about to end, without a proof in DNS: 1.example, 2.example, 3.example, 4.example, 5.example, …',
    ]);
  });
});

describe('the proxy', () => {
  it.each([
    ['https://forms.example.org', 0, 'warn'],
    ['https://forms.example.org', 1, 'ok'],
    ['https://forms.example.org', ['10.0.0.0/8'], 'ok'],
    ['http://localhost:3000', 0, 'skip'],
    ['http://127.0.0.1:3000', 0, 'skip'],
  ])('of %s with TRUST_PROXY=%s: %s', (baseUrl, trustProxy, status) => {
    expect(checkProxy({ baseUrl, trustProxy }).status).toBe(status);
  });
});
