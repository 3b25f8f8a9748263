import { randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from './command.ts';
import { type Config, ConfigError, isLocalHost, loadConfig } from './config.ts';
import { connect, type Database } from './db/connect.ts';
import { type DatabaseServer, openDatabaseServer } from './db/database-server.ts';
import { createProbe, type DatabaseFacts, findProbeAddress, inspectDatabase, removeProbe } from './db/inspect.ts';
import { createResolve, type Resolve } from './delivery/resolve.ts';
import { checkAddress, checkPage, checkReady } from './doctor/answers.ts';
import { checkCertificate } from './doctor/certificate.ts';
import { type Finding, fail, ok, reasonOf, skip, warn } from './doctor/finding.ts';
import { checkDatabase, checkDisk } from './doctor/machine.ts';
import { checkApiName, checkDomains, checkPageNames, hostOf } from './doctor/names.ts';
import { checkClock, checkFence, checkMail, checkOutgoing, clockOf, PUBLIC_URL } from './doctor/outside.ts';

const USAGE = 'usage: npm run --silent doctor [-- --json]';
/** The longest that one check may take. */
const CHECK_MS = 4_500;
const DNS = { timeout: 1_500, tries: 2, maxTimeout: 1_500 };

type Named = { check: string } & Finding;
type Look = (signal: AbortSignal) => Finding | Promise<Finding>;

/** What a check finds, within its time. */
async function look(check: string, run: Look): Promise<Named> {
  const signal = AbortSignal.timeout(CHECK_MS);
  const late = delay(CHECK_MS + 300, fail('no answer in time', 'see whether a firewall drops it'), { ref: false });
  try {
    return { check, ...(await Promise.race([run(signal), late])) };
  } catch (error) {
    return { check, ...fail(reasonOf(error), 'see the line of the log of the service for this time, if there is one') };
  }
}

/** All of them, at the same time. */
const lookAtAll = (checks: Record<string, Look>): Promise<Named[]> =>
  Promise.all(Object.entries(checks).map(([check, run]) => look(check, run)));

/** Where there is no database yet, none is made. One that is closed to this user is no missing one. */
function isUnmade({ databaseUrl, dataDir }: Config): boolean {
  if (databaseUrl !== undefined) return false;
  try {
    return statSync(join(dataDir, 'postgres', 'PG_VERSION'), { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

async function examine(config: Config): Promise<Named[]> {
  const settings = { check: 'settings', ...ok(`the API at ${config.baseUrl}, pages under ${config.pagesDomain}`) };
  if (isUnmade(config)) {
    const database = { check: 'database', ...warn(`there is none in ${config.dataDir} yet`, 'start the service') };
    return [settings, database, ...(await examineRest(config, undefined, undefined))];
  }
  let server: DatabaseServer | undefined;
  let facts: DatabaseFacts;
  try {
    server = await openDatabaseServer(config, () => undefined);
    facts = await inspectDatabase(server.connection);
  } catch (error) {
    await server?.close();
    const mend =
      config.databaseUrl === undefined
        ? 'see DATA_DIR, and run this as the user who runs the service'
        : 'see DATABASE_URL, and whether the server runs and lets us in';
    const database = { check: 'database', ...fail(reasonOf(error), mend) };
    return [settings, database, ...(await examineRest(config, undefined, undefined))];
  }
  const database = { check: 'database', ...checkDatabase(facts) };
  const db = connect(server.connection);
  try {
    return [settings, database, ...(await examineRest(config, facts, database.status === 'fail' ? undefined : db))];
  } finally {
    await db.close();
    await server.close();
  }
}

/** All but the database; what needs one is skipped where `db` is not to be had. */
async function examineRest(
  config: Config,
  facts: DatabaseFacts | undefined,
  db: Database | undefined,
): Promise<Named[]> {
  const dns = new Resolver(DNS);
  const resolve = createResolve(dns);
  try {
    const isLocal = isLocalHost(hostOf(config.baseUrl));
    const outside = lookAtAll({
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
      mail: () => checkMail(config.smtpUrl, CHECK_MS),
      outgoing: (signal) => checkOutgoing(PUBLIC_URL, isLocal, resolve, signal),
      'webhook-networks': () => checkFence(config.webhookAllowCidrs),
      disk: () => checkDisk(config.databaseUrl === undefined ? config.dataDir : '.'),
      clock: async (signal) => {
        const database = facts ? [{ name: 'the database', ...facts.clock }] : [];
        return checkClock([...database, ...(await clockOf(PUBLIC_URL, resolve, signal))]);
      },
    });
    const ready = await look('answers', (signal) => checkReady(config.baseUrl, resolve, signal));
    return [...(await outside), ready, ...(await examineService(config, db, ready, resolve))];
  } finally {
    dns.cancel();
  }
}

/** What needs a page of the doctor's own. */
const WITH_PAGE = ['pages-tls', 'pages', 'visitors'];

async function examineService(
  config: Config,
  db: Database | undefined,
  ready: Finding,
  resolve: Resolve,
): Promise<Named[]> {
  const all = (finding: Finding): Named[] => WITH_PAGE.map((check) => ({ check, ...finding }));
  if (db === undefined) return all(skip('needs the database'));
  if (ready.status !== 'ok') return all(skip('needs the service, which does not answer'));
  try {
    return await examinePage(config, db, resolve);
  } catch (error) {
    return all(
      fail(
        `no page can be made, or removed, for this check: ${reasonOf(error)}`,
        'see whether the database takes changes',
      ),
    );
  }
}

/** Makes a page, which is gone afterwards. */
async function examinePage(config: Config, db: Database, resolve: Resolve): Promise<Named[]> {
  const html = `<!doctype html><title>formhost doctor</title>${randomUUID()}`;
  const probe = await createProbe(db, html);
  try {
    const pageUrl = `${config.pagesScheme}://${probe.slug}.${config.pagesDomain}`;
    return await lookAtAll({
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

function show(findings: readonly Named[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map((finding) => {
      const mend = 'mend' in finding ? ` -> ${finding.mend}` : '';
      return `${finding.status.padEnd(4)}  ${finding.check.padEnd(width)}  ${finding.saw}${mend}\n`;
    })
    .join('');
}

await runProgram(
  USAGE,
  async (args) => {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
    let findings: Named[];
    try {
      findings = await examine(loadConfig(process.env));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      findings = [{ check: 'settings', ...fail(error.message, 'change it in the environment or in .env') }];
    }
    process.stdout.write(values.json ? `${JSON.stringify({ checks: findings })}\n` : show(findings));
    if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1;
  },
  reasonOf,
);
