import type { Command } from '@commander-js/extra-typings';
import { ConfigError } from '../config.ts';
import { connect } from '../db/postgres/connect.ts';
import { openDatabaseServer } from '../db/postgres/database-server.ts';
import { embeddedExists } from '../db/postgres/existing-database.ts';
import { type Finding, fail } from '../health/finding.ts';
import { type NamedFinding, type OpenedDatabase, startChecks, unreachable } from '../health/start-checks.ts';
import { LIMITS } from '../limits.ts';
import { declare } from './declare.ts';
import { databasePlace, NO_DATABASE_ADVICE, readSettings, type Settings } from './operator.ts';
import { print } from './output.ts';

/*
 * The doctor runs the checks of an installation, whether its service runs or not, and prints what they find.
 */

/** The database of the settings, or why there is none. */
type Opened = { database: OpenedDatabase | Finding; close(): Promise<void> };

async function openDatabase(settings: Settings): Promise<Opened> {
  const { config } = settings;
  const failed = (finding: Finding): Opened => ({ database: finding, close: async () => undefined });
  // The doctor makes no database.
  if (config.databaseUrl === undefined && !(await embeddedExists(config.dataDir))) {
    return failed(fail(`there is no database of the service in ${databasePlace(settings)}`, NO_DATABASE_ADVICE));
  }
  try {
    const server = await openDatabaseServer(config);
    const db = connect(server.connection, { limits: LIMITS });
    const close = () => db.close().then(() => server.close());
    return { database: { connection: server.connection, db }, close };
  } catch (error) {
    return failed(unreachable(error, config));
  }
}

async function examine(settings: Settings): Promise<NamedFinding[]> {
  const { database, close } = await openDatabase(settings);
  try {
    return await startChecks(settings.config, database).findings;
  } finally {
    await close();
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
