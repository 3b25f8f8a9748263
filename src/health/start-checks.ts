import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, pageUrl } from '../config.ts';
import { findLiveSlug } from '../db/deployments/take-down-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { inspectDatabase } from '../db/postgres/inspect.ts';
import type { Connection } from '../db/postgres/servers.ts';
import { settingsInForce } from '../db/postgres/transaction-pooler.ts';
import { resolveName } from '../delivery/webhooks/resolve.ts';
import { LIMITS } from '../limits.ts';
import type { Route } from './ask.ts';
import { checkBackups, checkDatabase, checkDisk, checkFiles, checkMail, checkOpenid } from './check-machine.ts';
import { checkAddress, checkCustomDomains, checkDomains, checkProxy, PAGE, READY } from './check-service.ts';
import { type Finding, fail, ok, reasonOf, skip } from './finding.ts';

/** A whole run is read by a person who waits for it. */
const CHECK_TIMEOUT_MS = 4_500;
/** A check that takes several requests, each with a time-out of its own, is given up after so long. */
const GIVE_UP_MS = 10_000;
/** Two queries of a name server fit into a check: a packet can be lost. */
const NAME_QUERY_TIMEOUT_MS = 1_500;

export type NamedFinding = { check: string } & Finding;
type Check = (route: Route) => Finding | Promise<Finding>;

/** The database of the service, which is out of reach perhaps. */
export type OpenedDatabase = { connection: Connection; db: Database };

/** A run of all checks. `settled`: no check works any longer, also none that was given up before. */
export type Run = { findings: Promise<NamedFinding[]>; settled: Promise<unknown> };

const LATE = fail('no answer in time', 'try again, and look at whether this machine has too much to do');

/** Gives work up after a time: it goes on, and its result is not waited for. */
async function inTime(work: Promise<Finding>): Promise<Finding> {
  const waited = new AbortController();
  const late = delay(GIVE_UP_MS, LATE, { signal: waited.signal });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    waited.abort();
  }
}

/** Returns what is wrong with a database that can't be opened. */
export const unreachable = (error: unknown, { databaseUrl }: Pick<Config, 'databaseUrl'>): Finding =>
  fail(
    reasonOf(error),
    databaseUrl === undefined
      ? 'check DATA_DIR, and run this command as the user who runs the service'
      : 'check DATABASE_URL, that the server runs, and that it accepts this user',
  );

/** Checks the database, and returns the slug of a page in it. */
async function examineDatabase({
  connection,
  db,
}: OpenedDatabase): Promise<{ finding: Finding; slug?: string | undefined }> {
  const facts = await inspectDatabase(connection);
  const finding = checkDatabase(facts, await settingsInForce(db).catch(() => 'yes' as const));
  return finding.status === 'fail' ? { finding } : { finding, slug: await findLiveSlug(db) };
}

/** The host of an origin or of PAGES_DOMAIN, without brackets and port. */
const hostOf = (address: string): string =>
  new URL(address.includes('://') ? address : `http://${address}`).hostname.replace(/^\[|\]$/g, '');

/** Lists the checks that take time. `db`: undefined where it cannot be used. `slug`: of a page that is live. */
function slowChecks(config: Config, db: Database | undefined, slug: string | undefined): Record<string, Check> {
  const { oidc } = config;
  return {
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
}

/** Runs a check; one that throws has failed. */
async function runCheck(run: Check, dns: Resolver): Promise<Finding> {
  try {
    const resolve = (name: string) => resolveName(name, dns, LIMITS);
    return await run({ resolve, signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
  } catch (error) {
    return fail(reasonOf(error), 'look for a line with this time in the log of the service');
  }
}

/** Looks at an installation from outside and inside, and finds what to do about each fault. `opened`: a finding where there is no database. */
export function startChecks(config: Config, opened: OpenedDatabase | Finding): Run {
  const dns = new Resolver({ timeout: NAME_QUERY_TIMEOUT_MS, tries: 2, maxTimeout: NAME_QUERY_TIMEOUT_MS });
  const working: Promise<unknown>[] = [];
  const begin = (work: Promise<Finding>): Promise<Finding> => {
    working.push(work);
    return inTime(work);
  };
  const examine = async (): Promise<NamedFinding[]> => {
    let slug: string | undefined;
    const database =
      'status' in opened
        ? opened
        : await begin(
            examineDatabase(opened).then(
              (examined) => {
                slug = examined.slug;
                return examined.finding;
              },
              (error: unknown) => unreachable(error, config),
            ),
          );
    const db = 'status' in opened || database.status === 'fail' ? undefined : opened.db;
    const checks = Object.entries(slowChecks(config, db, slug));
    return [
      { check: 'settings', ...ok(`the API at ${config.baseUrl}, pages under ${config.pagesDomain}`) },
      { check: 'domains', ...checkDomains(hostOf(config.pagesDomain), hostOf(config.baseUrl)) },
      { check: 'proxy', ...checkProxy(config) },
      { check: 'database', ...database },
      ...(await Promise.all(checks.map(async ([check, run]) => ({ check, ...(await begin(runCheck(run, dns))) })))),
    ];
  };
  const findings = examine();
  const settled = findings.then(() => Promise.all(working)).finally(() => dns.cancel());
  settled.catch(() => undefined);
  return { findings, settled };
}
