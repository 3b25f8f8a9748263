import { randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, isLocalHost, loadConfig } from '../config.ts';
import { createProbe, findProbeAddress, removeProbe } from '../db/doctor-probe.ts';
import { hasBucketFiles, installationOf } from '../db/files/bucket-files.ts';
import { connect, type Database } from '../db/postgres/connect.ts';
import { type DatabaseServer, openDatabaseServer } from '../db/postgres/database-server.ts';
import { embeddedExists } from '../db/postgres/existing-database.ts';
import { type DatabaseFacts, inspectDatabase } from '../db/postgres/inspect.ts';
import { settingsInForce } from '../db/postgres/transaction-pooler.ts';
import { createResolve, type Resolve } from '../delivery/webhooks/resolve.ts';
import { COMMAND_LIMITS, LIMITS } from '../limits.ts';
import { databasePlace, type Invocation, NO_DATABASE_ADVICE, runProgram } from './command.ts';
import { checkAddress, checkPage, checkReady } from './doctor/answers.ts';
import { checkCertificate } from './doctor/certificate.ts';
import { checkFiles } from './doctor/files.ts';
import { type Finding, fail, ok, reasonOf, skip, warn } from './doctor/finding.ts';
import { checkDatabase, checkDisk } from './doctor/machine.ts';
import { checkApiName, checkDomains, checkPageNames, hostOf } from './doctor/names.ts';
import { checkClock, checkMail, checkOutgoing, checkWebhookNetworks, clockOf, PUBLIC_URL } from './doctor/outside.ts';

const USAGE = 'usage: npm run --silent doctor -- [--json]';
const { nameQueryTimeoutMs, nameQueryTries } = COMMAND_LIMITS.doctor;
const DNS = { timeout: nameQueryTimeoutMs, tries: nameQueryTries, maxTimeout: nameQueryTimeoutMs };

type NamedFinding = { check: string } & Finding;
type Check = (signal: AbortSignal) => Finding | Promise<Finding>;

/** The finding of a check, in time. */
async function runCheck(check: string, run: Check): Promise<NamedFinding> {
  const signal = AbortSignal.timeout(COMMAND_LIMITS.doctor.checkTimeoutMs);
  const late = delay(
    COMMAND_LIMITS.doctor.checkTimeoutMs + COMMAND_LIMITS.doctor.lateFindingMs,
    fail('no answer in time', 'check whether a firewall drops the packets'),
    {
      ref: false,
    },
  );
  try {
    return { check, ...(await Promise.race([run(signal), late])) };
  } catch (error) {
    return { check, ...fail(reasonOf(error), 'look for a line with this time in the log of the service') };
  }
}

/** The findings of checks that run at the same time. */
const runChecks = (checks: Record<string, Check>): Promise<NamedFinding[]> =>
  Promise.all(Object.entries(checks).map(([check, run]) => runCheck(check, run)));

async function examine(config: Config, originOf: Invocation['originOf']): Promise<NamedFinding[]> {
  const settings = { check: 'settings', ...ok(`the API at ${config.baseUrl}, pages under ${config.pagesDomain}`) };
  // The doctor makes no database either.
  if (config.databaseUrl === undefined && !(await embeddedExists(config.dataDir))) {
    const saw = `there is no database of the service in ${databasePlace(config, originOf)}`;
    const database = { check: 'database', ...fail(saw, NO_DATABASE_ADVICE) };
    return [settings, database, ...(await examineRest(config, undefined, undefined))];
  }
  let server: DatabaseServer | undefined;
  let facts: DatabaseFacts;
  try {
    server = await openDatabaseServer(config, LIMITS, () => undefined);
    facts = await inspectDatabase(server.connection, LIMITS);
  } catch (error) {
    await server?.close();
    const mend =
      config.databaseUrl === undefined
        ? 'check DATA_DIR, and run this command as the user who runs the service'
        : 'check DATABASE_URL, that the server runs, and that it accepts this user';
    const database = { check: 'database', ...fail(reasonOf(error), mend) };
    return [settings, database, ...(await examineRest(config, undefined, undefined))];
  }
  const db = connect(server.connection, { limits: LIMITS });
  try {
    const inForce = await settingsInForce(db).catch(() => 'yes' as const);
    const database = { check: 'database', ...checkDatabase(facts, inForce) };
    return [settings, database, ...(await examineRest(config, facts, database.status === 'fail' ? undefined : db))];
  } finally {
    await db.close();
    await server.close();
  }
}

/** All checks except that of the database. Without `db`, the checks that need one are skipped. */
async function examineRest(
  config: Config,
  facts: DatabaseFacts | undefined,
  db: Database | undefined,
): Promise<NamedFinding[]> {
  const dns = new Resolver(DNS);
  const resolve = createResolve(dns, LIMITS);
  try {
    const isLocal = isLocalHost(hostOf(config.baseUrl));
    const outside = runChecks({
      'api-dns': () => (isLocal ? skip('BASE_URL is local') : checkApiName(hostOf(config.baseUrl), resolve)),
      'pages-dns': () =>
        isLocalHost(hostOf(config.pagesDomain))
          ? skip('PAGES_DOMAIN is local')
          : checkPageNames(hostOf(config.pagesDomain), hostOf(config.baseUrl), resolve),
      domains: () =>
        isLocal ? skip('BASE_URL is local') : checkDomains(hostOf(config.pagesDomain), hostOf(config.baseUrl)),
      'api-tls': (signal) =>
        config.baseUrl.startsWith('https:')
          ? checkCertificate(config.baseUrl, hostOf(config.baseUrl), resolve, signal)
          : isLocal
            ? skip('BASE_URL is local, and http')
            : warn(
                'BASE_URL is http: what is sent to it can be read on the way',
                'put a proxy with TLS in front of it',
              ),
      mail: () => checkMail(config.smtpUrl, COMMAND_LIMITS.doctor.checkTimeoutMs),
      outgoing: (signal) => checkOutgoing(PUBLIC_URL, isLocal, resolve, signal),
      'webhook-networks': () => checkWebhookNetworks(config.webhookAllowCidrs),
      files: () =>
        checkFiles(
          config.bucket,
          db && { hasBucketFiles: () => hasBucketFiles(db), installation: () => installationOf(db) },
        ),
      disk: () => checkDisk(config.databaseUrl === undefined ? config.dataDir : '.'),
      clock: async (signal) => {
        const database = facts ? [{ name: 'the database', ...facts.clock }] : [];
        return checkClock([...database, ...(await clockOf(PUBLIC_URL, resolve, signal))]);
      },
    });
    const ready = await runCheck('answers', (signal) => checkReady(config.baseUrl, resolve, signal));
    return [...(await outside), ready, ...(await examineService(config, db, ready, resolve))];
  } finally {
    dns.cancel();
  }
}

/** The checks that need a temporary page. */
const PAGE_CHECKS = ['pages-tls', 'pages', 'visitors'];

async function examineService(
  config: Config,
  db: Database | undefined,
  ready: Finding,
  resolve: Resolve,
): Promise<NamedFinding[]> {
  const all = (finding: Finding): NamedFinding[] => PAGE_CHECKS.map((check) => ({ check, ...finding }));
  if (db === undefined) return all(skip('needs the database'));
  if (ready.status !== 'ok') return all(skip('needs the service, which does not answer'));
  try {
    return await examinePage(config, db, resolve);
  } catch (error) {
    return all(
      fail(
        `no page can be made, or removed, for this check: ${reasonOf(error)}`,
        'check whether the database accepts writes',
      ),
    );
  }
}

/** Makes a page for the checks, and removes it afterwards. */
async function examinePage(config: Config, db: Database, resolve: Resolve): Promise<NamedFinding[]> {
  const html = `<!doctype html><title>formhost doctor</title>${randomUUID()}`;
  const probe = await createProbe(db, html, config.cell);
  try {
    const pageUrl = `${config.pagesScheme}://${probe.slug}.${config.pagesDomain}`;
    return await runChecks({
      'pages-tls': (signal) =>
        config.pagesScheme === 'https'
          ? checkCertificate(pageUrl, `*.${hostOf(config.pagesDomain)}`, resolve, signal)
          : skip('PAGES_SCHEME is http'),
      pages: (signal) => checkPage(`${pageUrl}/`, html, resolve, signal),
      visitors: (signal) =>
        checkAddress(
          {
            baseUrl: config.baseUrl,
            trustProxy: config.trustProxy,
            probe: probe.id,
            storedAddress: () => findProbeAddress(db, probe),
          },
          resolve,
          signal,
        ),
    });
  } finally {
    await removeProbe(db, probe);
  }
}

function show(findings: readonly NamedFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map((finding) => {
      const mend = 'mend' in finding ? ` -> ${finding.mend}` : '';
      return `${finding.status.padEnd(4)}  ${finding.check.padEnd(width)}  ${finding.saw}${mend}\n`;
    })
    .join('');
}

export const main = (): Promise<void> =>
  runProgram(
    USAGE,
    async ({ args, json, originOf }) => {
      parseArgs({ args, options: {} });
      let findings: NamedFinding[];
      try {
        findings = await examine(loadConfig(process.env), originOf);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        findings = [{ check: 'settings', ...fail(error.message, 'change it in the environment or in .env') }];
      }
      process.stdout.write(json ? `${JSON.stringify({ checks: findings })}\n` : show(findings));
      if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1;
    },
    reasonOf,
  );

if (import.meta.main) await main();
