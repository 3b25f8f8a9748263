import { Resolver } from 'node:dns/promises';
import type { Command } from '@commander-js/extra-typings';
import { ConfigError, pageUrl } from '../config.ts';
import { findLiveSlug } from '../db/deployments/take-down-queries.ts';
import { connect, type Database } from '../db/postgres/connect.ts';
import { type DatabaseServer, openDatabaseServer } from '../db/postgres/database-server.ts';
import { embeddedExists } from '../db/postgres/existing-database.ts';
import { inspectDatabase } from '../db/postgres/inspect.ts';
import { settingsInForce } from '../db/postgres/transaction-pooler.ts';
import { type Resolve, resolveName } from '../delivery/webhooks/resolve.ts';
import { LIMITS } from '../limits.ts';
import { declare } from './declare.ts';
import type { Route } from './doctor/ask.ts';
import { checkBackups, checkDatabase, checkDisk, checkFiles, checkMail, checkOpenid } from './doctor/check-machine.ts';
import { checkAddress, checkCustomDomains, checkDomains, checkProxy, PAGE, READY } from './doctor/check-service.ts';
import { type Finding, fail, ok, reasonOf, skip } from './doctor/finding.ts';
import { databasePlace, NO_DATABASE_ADVICE, readSettings, type Settings } from './operator.ts';
import { print } from './output.ts';

/*
 * The doctor looks at an installation from outside and inside, and says what to do about each fault.
 */

/** A whole run is read by a person who waits for it. */
const CHECK_TIMEOUT_MS = 4_500;
/** Two queries of a name server fit into a check: a packet can be lost. */
const NAME_QUERY_TIMEOUT_MS = 1_500;

type NamedFinding = { check: string } & Finding;
type Check = (route: Route) => Finding | Promise<Finding>;

/** Runs checks at the same time. */
function runChecks(checks: Record<string, Check>, resolve: Resolve): Promise<NamedFinding[]> {
  return Promise.all(
    Object.entries(checks).map(async ([check, run]) => {
      try {
        return { check, ...(await run({ resolve, signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })) };
      } catch (error) {
        return { check, ...fail(reasonOf(error), 'look for a line with this time in the log of the service') };
      }
    }),
  );
}

/** The database, if it can be used for further checks, and the slug of a page in it. */
type Examined = { finding: Finding; db?: Database; slug?: string | undefined; close(): Promise<void> };

async function examineDatabase(settings: Settings): Promise<Examined> {
  const { config } = settings;
  const failed = (saw: string, mend: string): Examined => ({ finding: fail(saw, mend), close: async () => undefined });
  // The doctor makes no database.
  if (config.databaseUrl === undefined && !(await embeddedExists(config.dataDir))) {
    return failed(`there is no database of the service in ${databasePlace(settings)}`, NO_DATABASE_ADVICE);
  }
  let server: DatabaseServer | undefined;
  try {
    const opened = await openDatabaseServer(config);
    server = opened;
    const facts = await inspectDatabase(opened.connection);
    const db = connect(opened.connection, { limits: LIMITS });
    const finding = checkDatabase(facts, await settingsInForce(db).catch(() => 'yes' as const));
    const close = () => db.close().then(() => opened.close());
    return finding.status === 'fail' ? { finding, close } : { finding, db, slug: await findLiveSlug(db), close };
  } catch (error) {
    await server?.close();
    return failed(
      reasonOf(error),
      config.databaseUrl === undefined
        ? 'check DATA_DIR, and run this command as the user who runs the service'
        : 'check DATABASE_URL, that the server runs, and that it accepts this user',
    );
  }
}

async function examine(settings: Settings): Promise<NamedFinding[]> {
  const { config } = settings;
  const { oidc } = config;
  const dns = new Resolver({ timeout: NAME_QUERY_TIMEOUT_MS, tries: 2, maxTimeout: NAME_QUERY_TIMEOUT_MS });
  const { finding, db, slug, close } = await examineDatabase(settings);
  const checks: Record<string, Check> = {
    disk: () => checkDisk(config.databaseUrl === undefined ? config.dataDir : '.'),
    backup: () => checkBackups(db, config.databaseUrl === undefined),
    'custom-domains': () => checkCustomDomains(db),
    mail: () => checkMail(config.smtpUrl, CHECK_TIMEOUT_MS),
    ...(oidc && { openid: () => checkOpenid(oidc, CHECK_TIMEOUT_MS) }),
    files: () => checkFiles(config.bucket, db),
    api: (route) => checkAddress(`${config.baseUrl}/readyz`, READY, route),
    pages: (route) =>
      slug === undefined
        ? skip('no page is live: publish one, and run this again')
        : checkAddress(`${pageUrl(config, slug)}/`, PAGE, route),
  };
  try {
    return [
      { check: 'settings', ...ok(`the API at ${config.baseUrl}, pages under ${config.pagesDomain}`) },
      { check: 'domains', ...checkDomains(hostOf(config.pagesDomain), hostOf(config.baseUrl)) },
      { check: 'proxy', ...checkProxy(config) },
      { check: 'database', ...finding },
      ...(await runChecks(checks, (name) => resolveName(name, dns, LIMITS))),
    ];
  } finally {
    dns.cancel();
    await close();
  }
}

/** The host of an origin or of PAGES_DOMAIN, without brackets and port. */
const hostOf = (address: string): string =>
  new URL(address.includes('://') ? address : `http://${address}`).hostname.replace(/^\[|\]$/g, '');

function show(findings: readonly NamedFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map((finding) => {
      const mend = 'mend' in finding ? ` -> ${finding.mend}` : '';
      return `${finding.status.padEnd(4)}  ${finding.check.padEnd(width)}  ${finding.saw}${mend}\n`;
    })
    .join('');
}

/** Prints what the checks have found. Exit code 1: one has failed. */
export const declareDoctor = (admin: Command): unknown =>
  declare(admin, 'doctor', 'Check settings, database, DNS, TLS, mail and more', '$ admin doctor').action(
    async ({ json }) => {
      let findings: NamedFinding[];
      try {
        findings = await examine(readSettings());
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        findings = [{ check: 'settings', ...fail(error.message, 'change it in the environment or in .env') }];
      }
      await print(json ? `${JSON.stringify({ checks: findings })}\n` : show(findings));
      if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1;
    },
  );
