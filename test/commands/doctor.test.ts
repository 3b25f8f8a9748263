import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, request as requestHttp } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask, connectionProblem } from '../../src/commands/doctor/ask.ts';
import { checkDomains } from '../../src/commands/doctor/domains.ts';
import type { Finding } from '../../src/commands/doctor/finding.ts';
import { checkClock, checkDatabase, checkMail, clockOf, findDisk } from '../../src/commands/doctor/machine.ts';
import { checkCertificate, checkPage, checkReady } from '../../src/commands/doctor/service.ts';
import { createProbe, removeProbe } from '../../src/db/doctor-probe.ts';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { inspectDatabase } from '../../src/db/postgres/inspect.ts';
import { storeSubmissions } from '../../src/db/submissions/store-submissions.ts';
import { createResolve, type Resolve } from '../../src/delivery/webhooks/resolve.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { trust } from '../support/certificates.ts';
import { formhost } from '../support/command.ts';
import { cloneDatabase, emptyDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { freePort } from '../support/process.ts';
import {
  type Certificate,
  closesAtOnce,
  makeCertificate,
  neverAnswers,
  says,
  startNameServer,
  startRawReceiver,
  startReceiver,
  type Zone,
} from '../support/receivers.ts';
import { startTestService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp.ts';

/** A resolver that asks a name server of the test's own, and nobody else. */
async function resolverFor(zone: Zone): Promise<Resolve> {
  const { address } = await startNameServer(zone);
  const dns = new Resolver({ timeout: 500, tries: 1 });
  dns.setServers([address]);
  onTestFinished(() => dns.cancel());
  return createResolve(dns, testLimits(), { hosts: '/dev/null', resolvConf: '/dev/null' });
}

/** How to ask servers of this test. */
const here = async (signal = AbortSignal.timeout(60_000)) => ({
  resolve: await resolverFor({ 'api.test': ['127.0.0.1'], '*.pages.test': ['127.0.0.1'] }),
  signal,
});

/** Status and what was seen; whether there is something to do about it follows from the status. */
function summary(finding: Finding): [string, string] {
  const isBad = finding.status === 'warn' || finding.status === 'fail';
  expect('mend' in finding && finding.mend !== '').toBe(isBad);
  return [finding.status, finding.saw];
}

describe('a certificate', () => {
  async function check(certificate: Certificate, host: string) {
    const { port } = await startReceiver(undefined, { certificate });
    return summary(await checkCertificate(`https://${host}:${port}`, host, await here()));
  }

  it.each<[string, { hosts: string[]; expired?: boolean; lasts: number }, string, RegExp]>([
    [
      'that is good for long',
      { hosts: ['*.pages.test'], lasts: 24 * 20 + 1 },
      'ok',
      /^a certificate for \*\.pages\.test, until \d{4}-\d\d-\d\d \(20 days\)$/,
    ],
    ['that ends soon', { hosts: ['*.pages.test'], lasts: 24 * 13 + 1 }, 'warn', /\(13 days\)$/],
    ['that has ended', { hosts: ['*.pages.test'], lasts: 30, expired: true }, 'fail', /not valid: it has expired$/],
    [
      'for another name',
      { hosts: ['pages.test', 'api.test'], lasts: 1_000 },
      'fail',
      /^a certificate for pages\.test, api\.test, .*not valid: it is for another name$/,
    ],
  ])('%s', async (_name, { hosts, ...options }, status, saw) => {
    const certificate = makeCertificate(hosts, options);
    trust(certificate.cert);
    expect(await check(certificate, 'x.pages.test')).toEqual([status, expect.stringMatching(saw)]);
  });

  it('that nobody signed', async () => {
    const found = await check(makeCertificate(['*.pages.test'], { lasts: 1_000 }), 'x.pages.test');
    expect(found).toEqual([
      'fail',
      expect.stringMatching(/not valid: its authority is not known.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/),
    ]);
  });

  it.each([
    ['closes', closesAtOnce, /^port \d+ of api\.test speaks no TLS for api\.test \(.+\)$/],
    ['speaks plain http', says('HTTP/1.1 200 OK\r\n\r\n'), /^port \d+ of api\.test speaks no TLS for /],
    ['says nothing', neverAnswers, /^port \d+ of api\.test gives no answer in time$/],
  ])('is missing where the server %s', async (_does, conduct, what) => {
    const { port } = await startRawReceiver(conduct);
    const route = await here(conduct === neverAnswers ? AbortSignal.timeout(100) : undefined);
    const found = await checkCertificate(`https://api.test:${port}`, 'api.test', route);
    expect(summary(found)).toEqual(['fail', expect.stringMatching(what)]);
  });
});

describe('a connection that fails', () => {
  it('tells a name without an address from a port where nobody listens', async () => {
    const port = await freePort();
    const problemOf = async (host: string) => {
      const url = `https://${host}:${port}`;
      return connectionProblem(await ask(url, await here()).catch((error: unknown) => error), url);
    };
    expect(await problemOf('nowhere.test')).toEqual({
      saw: 'the name nowhere.test does not resolve (queryA ENOTFOUND nowhere.test)',
      mend: expect.stringMatching(/^add an A or AAAA record for nowhere\.test/),
    });
    expect(await problemOf('api.test')).toEqual({
      saw: `port ${port} of api.test refuses connections (connect ECONNREFUSED 127.0.0.1:${port})`,
      mend: 'start the program that listens there, such as the proxy',
    });
  });

  const withCode = (code: string, syscall?: string) => Object.assign(new Error(`${code} happened`), { code, syscall });
  it.each<[string, unknown, RegExp]>([
    ['ECONNREFUSED of a name server', withCode('ECONNREFUSED', 'queryA'), /^the name api\.test does not resolve/],
    ['ECONNREFUSED at all addresses', new AggregateError([withCode('ECONNREFUSED', 'connect')]), /refuses connections/],
    ['ETIMEDOUT', withCode('ETIMEDOUT', 'connect'), /gives no answer in time$/],
    ['ENETUNREACH', withCode('ENETUNREACH', 'connect'), /cannot be reached \(ENETUNREACH happened\)$/],
  ])('names %s', (_name, error, saw) => {
    expect(connectionProblem(error, 'https://api.test')).toMatchObject({ saw: expect.stringMatching(saw) });
  });
});

describe('the answer at BASE_URL', () => {
  it.each([
    [200, '{"status":"ready"}', 'ok', 'answers 200'],
    [200, '<h1>Welcome to nginx!</h1>', 'fail', 'answers 200, but not as the service does'],
    [503, '{"error":"…"}', 'fail', 'answers 503'],
    [404, '', 'fail', 'answers 404, but not as the service does'],
  ])('%d %s: %s', async (code, body, status, saw) => {
    const { url, received } = await startReceiver((response) => void response.writeHead(code).end(body));
    expect(summary(await checkReady(url, await here()))).toEqual([status, `${url}/readyz ${saw}`]);
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /readyz']);
  });

  it('is missed where nobody listens', async () => {
    const url = `http://api.test:${await freePort()}`;
    const found = await checkReady(url, await here());
    expect(summary(found)).toEqual([
      'fail',
      expect.stringMatching(/readyz does not answer: port \d+ of api\.test refuses connections \(.*ECONNREFUSED.*\)$/),
    ]);
  });
});

/** A proxy that passes everything on, with the visitor's address after those in X-Forwarded-For, as most do. */
async function startProxy(certificate?: Certificate) {
  let target = '';
  const server = certificate ? createTlsServer(certificate) : createServer();
  server.on('request', (request, response) => {
    const forwarded = [request.headers['x-forwarded-for'] ?? [], request.socket.remoteAddress ?? ''].flat().join(', ');
    const headers = { ...request.headers, 'x-forwarded-for': forwarded };
    const onward = requestHttp(target + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return {
    port: address.port,
    leadTo(url: string) {
      target = url;
    },
  };
}

describe('a page', () => {
  it.each([
    [200, 'mine', 'ok', /shows the page/],
    [200, 'another', 'fail', /does not show the page .*, but answers 200$/],
    [301, '', 'fail', /does not show the page .*, but answers 301$/],
  ])('%d %s: %s', async (code, body, status, saw) => {
    const { port } = await startReceiver((response) => void response.writeHead(code).end(body));
    const url = `http://x.pages.test:${port}/`;
    const found = await checkPage(url, 'mine', await here());
    expect(summary(found)).toEqual([status, expect.stringMatching(saw)]);
  });

  it('is asked for again while it is a 404, until the check ends', async () => {
    const ending = new AbortController();
    const { port, received } = await startReceiver((response) => {
      response.writeHead(404).end();
      if (received.length === 3) ending.abort();
    });
    const found = await checkPage(`http://x.pages.test:${port}/`, 'mine', await here(ending.signal));
    expect(summary(found)).toEqual([
      'fail',
      expect.stringMatching(/does not show the page that was made for this check \(404, /),
    ]);
  });
});

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
  const server = async (settings?: Parameters<typeof startSmtpServer>[0]) => {
    const started = await startSmtpServer(settings);
    onTestFinished(() => started.close());
    return started;
  };

  it('is skipped when it is off', async () => {
    expect(summary(await checkMail(undefined, 500))).toEqual(['skip', 'mail is off: SMTP_URL is not set']);
  });

  it('can be sent where the server takes the login; none is', async () => {
    const { url, received } = await server({ login: LOGIN });
    expect(summary(await checkMail(url, 60_000))).toEqual(['ok', '127.0.0.1 accepts connections and the login']);
    expect(received).toEqual([]);
  });

  it('cannot be sent with a wrong password, which is not shown', async () => {
    const { url } = await server({ login: LOGIN });
    const wrong = url.replace(encodeURIComponent(LOGIN.password), 'wr0ng-one');
    const found = await checkMail(wrong, 60_000);
    expect(summary(found)).toEqual(['fail', expect.stringContaining('refused the user name or password')]);
    expect(JSON.stringify(found)).not.toContain('wr0ng-one');
  });

  it('cannot be sent where the certificate is not valid', async () => {
    const { url } = await server({ tls: 'smtps' });
    expect(summary(await checkMail(url, 60_000))).toEqual([
      'fail',
      '127.0.0.1: the certificate of the mail server is not valid',
    ]);
  });

  it('cannot be sent where the server says nothing, which is known in time', async () => {
    const hanging = await server();
    hanging.makeTrouble({ at: 'greeting', does: 'hang' });
    expect(summary(await checkMail(hanging.url, 300))).toEqual([
      'fail',
      expect.stringContaining('did not answer in time'),
    ]);
  });
});

describe('what lies outside', () => {
  it.each([
    [[], 'skip', 'there is no other clock within reach'],
    [[4_900, -4_900], 'ok', 'this clock is 4.9 s from a, 4.9 s from b'],
    [[0, -5_100], 'fail', 'this clock is 0.0 s from a, 5.1 s from b'],
    [[86_400_000], 'fail', 'this clock is 86400.0 s from a'],
  ])('clocks %j ms away: %s', (away, status, saw) => {
    const others = away.map((ms, at) => ({ name: 'ab'.charAt(at), theirs: 1_000_000 + ms, ours: 1_000_000 }));
    expect(summary(checkClock(others))).toEqual([status, saw]);
  });

  it('tells its time in an answer', async () => {
    const { url } = await startReceiver(
      (response) => void response.writeHead(200, { Date: 'Tue, 15 Nov 1994 08:12:31 GMT' }).end(),
    );
    expect(await clockOf(url, await here())).toEqual([
      { name: new URL(url).host, theirs: Date.UTC(1994, 10, 15, 8, 12, 31, 500), ours: expect.any(Number) },
    ]);
  });
});

describe('this machine', () => {
  const GIB = 1024 ** 3;
  it.each([
    [50 * GIB, 100 * GIB, 'ok', '50.0 GiB (50 %) free where ./data is'],
    [0.5 * GIB, GIB, 'warn', '512.0 MiB (50 %) free where ./data is'],
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
    clock: { theirs: 0, ours: 0 },
  };
  it.each([
    [{}, 'ok', 'Postgres 15.4, 1.0 MiB, all migrations have been run'],
    [{ version: 140_011 }, 'fail', 'Postgres 14.11, 1.0 MiB'],
    [{ encoding: 'SQL_ASCII' }, 'fail', 'Postgres 15.4, 1.0 MiB, encoded in SQL_ASCII'],
    [{ standby: true }, 'fail', 'Postgres 15.4, 1.0 MiB, a standby, which takes no writes'],
    [{ missing: ['0002-deliveries'] }, 'fail', 'Postgres 15.4, 1.0 MiB, without the migrations 0002-deliveries'],
    [{ unknown: ['9999-x'] }, 'warn', 'Postgres 15.4, 1.0 MiB, migrated by a newer version (9999-x)'],
  ])('with a database %j: %s', (facts, status, saw) => {
    expect(summary(checkDatabase({ ...FACTS, ...facts }, 'yes'))).toEqual([status, saw]);
  });

  it('has a database whose migrations are looked at, and not run', async () => {
    const database = await emptyDatabase();
    onTestFinished(() => database.drop());
    const connection = { connectionString: database.url };
    const [first, again] = [
      await inspectDatabase(connection, testLimits()),
      await inspectDatabase(connection, testLimits()),
    ];
    expect(first.missing.slice(0, 2)).toEqual(['0001-service', '0002-deliveries']);
    expect(again.missing).toEqual(first.missing);
    expect(Math.abs(first.clock.theirs - first.clock.ours)).toBeLessThan(60_000);
  });
});

describe('npm run doctor', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'formhost-doctor-'));
    return () => rm(folder, { recursive: true });
  });

  const doctor = (args: string[], settings: Record<string, string>) => formhost(['doctor', ...args], { settings });

  /** The statuses by check, and the rest of what a run came to. */
  async function examine(settings: Record<string, string>) {
    const { code, stdout, stderr } = await doctor(['--json'], settings);
    const { checks }: { checks: { check: string; status: string }[] } = JSON.parse(stdout);
    return { code, stderr, statuses: Object.fromEntries(checks.map(({ check, status }) => [check, status])), stdout };
  }

  it('finds a whole installation behind TLS well, leaves no trace in it, and sees when it takes no changes', async () => {
    const certificate = makeCertificate(['localhost', '*.pages.localhost'], { lasts: 1_000 });
    trust(certificate.cert);
    const proxy = await startProxy(certificate);
    const settings = {
      BASE_URL: `https://localhost:${proxy.port}`,
      PAGES_DOMAIN: `pages.localhost:${proxy.port}`,
      PAGES_SCHEME: 'https',
      TRUST_PROXY: '1',
    };
    const service = await startTestService(settings);
    onTestFinished(() => service.close());
    proxy.leadTo(service.url);
    const before = await rowsIn(service.db);
    const there = { ...settings, DATABASE_URL: service.databaseUrl };
    const good = {
      ...{ settings: 'ok', domains: 'ok', database: 'ok', 'api-tls': 'ok', mail: 'skip', files: 'skip' },
      ...{ disk: expect.stringMatching(/^(ok|warn)$/), clock: 'ok', answers: 'ok', 'pages-tls': 'ok', pages: 'ok' },
    };
    expect(await examine(there)).toMatchObject({ code: 0, stderr: '', statuses: good });
    expect(await rowsIn(service.db)).toEqual(before);
    const { pathname } = new URL(service.databaseUrl);
    await service.db.raw('ALTER DATABASE ?? SET default_transaction_read_only = on', [pathname.slice(1)]);
    expect(await examine(there)).toMatchObject({
      code: 1,
      stderr: '',
      statuses: { ...good, 'pages-tls': 'fail', pages: 'fail' },
    });
  });

  it('makes no database where there is none, and says in lines what to do', async () => {
    const DATA_DIR = join(folder, 'none');
    const { code, stdout, stderr } = await doctor([], { DATA_DIR, PORT: String(await freePort()) });
    expect([code, stderr, existsSync(DATA_DIR)]).toEqual([1, '', false]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual(lines.map(() => expect.stringMatching(/^(ok {2}|skip|warn|fail) {2}[a-z-]+ +\S.*$/)));
    expect(lines.filter((line) => /^(warn|fail)/.test(line) && !line.includes(' -> '))).toEqual([]);
    const failed = lines.filter((line) => line.startsWith('fail'));
    expect(failed.map((line) => line.split(/ +/)[1])).toEqual(['database', 'answers']);
    expect(failed[0]).toBe(
      `fail  database   there is no database of the service in ${DATA_DIR} (DATA_DIR, which the environment sets) -> set ` +
        'DATA_DIR or DATABASE_URL as the service has it, or run npm start first, which makes the database',
    );
  });

  it('tells of a database that it cannot look at, as of one that another user keeps closed', async () => {
    const DATA_DIR = await mkdtemp(join(folder, 'closed-'));
    await symlink('postgres', join(DATA_DIR, 'postgres'));
    const { code, statuses } = await examine({ DATA_DIR, PORT: String(await freePort()) });
    expect([code, statuses.database]).toEqual([1, 'fail']);
  });

  it('tells of a database that is out of reach, and no password', async () => {
    const { code, statuses, stdout } = await examine({
      DATABASE_URL: 'postgres://nobody:s3cret@127.0.0.1:1/nothing',
      SMTP_URL: 'smtp://forms:s3cret@127.0.0.1:1',
      PORT: String(await freePort()),
    });
    expect([code, statuses.database, statuses.mail]).toEqual([1, 'fail', 'fail']);
    expect(stdout).not.toContain('s3cret');
  });

  it('tells of a wrong setting as of any other failure', async () => {
    expect(await doctor([], { PORT: 'http' })).toEqual({
      code: 1,
      stdout:
        'fail  settings  PORT must be a whole number from 1 to 65535 -> change it in the environment or in .env\n',
      stderr: '',
    });
  });
});

describe("the doctor's page", () => {
  let database: FreshDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await cloneDatabase();
    db = connect({ connectionString: database.url }, { limits: testLimits() });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });
  const submit = (on: Knex, deploymentId: string) =>
    storeSubmissions(on, [{ id: newSubmissionId(), deploymentId, data: '{}', ipAddress: '127.0.0.1' }]);

  it('is removed by the next doctor, with what was submitted, when its own was killed', async () => {
    const left = await createProbe(db, 'left');
    await submit(db, left.id);
    await db.raw(
      `INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
       SELECT 'file_1', deployment_id, id, 'a', 'text/plain', 1 FROM submissions`,
    );
    await db.raw("UPDATE deployments SET created_at = created_at - interval '2 minutes'");
    const next = await createProbe(db, 'next');
    expect(next).toEqual({ id: expect.not.stringMatching(left.id), slug: left.slug });
    const beside = await createProbe(db, 'beside');
    expect(beside.slug).not.toBe(next.slug);
    await removeProbe(db, next);
    await removeProbe(db, beside);
    expect(await rowsIn(db)).toEqual(NOTHING);
  });

  it('is removed with what is submitted meanwhile', async () => {
    const probe = await createProbe(db, 'probe');
    let removing: Promise<void> | undefined;
    await db.transaction(async (transaction) => {
      await submit(transaction, probe.id);
      removing = removeProbe(db, probe);
      await untilBlocked(db);
    });
    await removing;
    expect(await rowsIn(db)).toEqual(NOTHING);
  });

  it('is removed while another doctor begins', async () => {
    const first = await createProbe(db, 'first');
    let removing: Promise<void> | undefined;
    const second = await db.transaction(async (transaction) => {
      const probe = await createProbe(transaction, 'second');
      removing = removeProbe(db, first);
      await untilBlocked(db);
      return probe;
    });
    await removing;
    expect(await rowsIn(db)).toEqual({ ...NOTHING, owners: 1, deployments: 1, pages: 1 });
    await removeProbe(db, second);
    expect(await rowsIn(db)).toEqual(NOTHING);
  });
});

const NOTHING = { owners: 0, deployments: 0, pages: 0, submissions: 0, files: 0, deliveries: 0 };

/** Settles when a statement waits for another transaction. */
const untilBlocked = (db: Database): Promise<void> =>
  vi.waitFor(async () => {
    const { rows } = await db.raw(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(rows).toHaveLength(1);
  }, 10_000);

/** How many rows each table has that the doctor could leave something in. */
async function rowsIn(db: Database): Promise<Record<string, number>> {
  const { rows } = await db.raw(
    `SELECT (SELECT count(*) FROM owners) AS owners, (SELECT count(*) FROM deployments) AS deployments,
            (SELECT count(*) FROM pages) AS pages, (SELECT count(*) FROM submissions) AS submissions,
            (SELECT count(*) FROM submission_files) AS files, (SELECT count(*) FROM deliveries) AS deliveries`,
  );
  return rows[0];
}
