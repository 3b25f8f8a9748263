import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { BackupError } from '../db/backup/backup-file.ts';
import { MissingObjectError, type ReadObject } from '../db/files/file-content-queries.ts';
import { connect, type Database } from '../db/postgres/connect.ts';
import type { DatabaseServer } from '../db/postgres/database-server.ts';
import { NoDatabaseError, openExistingDatabase } from '../db/postgres/existing-database.ts';
import { migrate } from '../db/postgres/migrate.ts';
import { parseDatabaseUrl } from '../environment/database-url.ts';
import { Bucket } from '../files/bucket.ts';
import { BucketError } from '../files/bucket-error.ts';
import { withRetries } from '../files/with-retries.ts';
import { toMailAddress } from '../lib/mail-address.ts';
import { LIMITS } from '../limits.ts';
import { CommandError, hasCode, messageOf, UsageError } from './command-error.ts';
import { say } from './output.ts';

/*
 * The parts that commands of operators share: settings, the database, the bucket.
 */

export type Settings = {
  config: Config;
  /** Where a setting comes from, in words. */
  originOf(setting: string): string;
};

/** Reads the settings of the environment and of `.env`. Throws a ConfigError. */
export function readSettings(): Settings {
  // bin/formhost.js may be called in any folder.
  if (process.env.FORMHOST_HOME !== undefined) process.chdir(process.env.FORMHOST_HOME);
  const inEnvironment = new Set(Object.keys(process.env).filter((name) => process.env[name] !== ''));
  if (existsSync('.env')) process.loadEnvFile();
  return {
    config: loadConfig(process.env),
    originOf(setting) {
      const name = process.env[`${setting}_FILE`] ? `${setting}_FILE` : setting;
      if (inEnvironment.has(name)) return `${name}, which the environment sets`;
      return process.env[name] ? `${name} in .env` : `the default, because ${name} is not set`;
    },
  };
}

/** Runs a command with the settings. `describe` gives the text of an error that a person can't correct. */
export async function operate(
  work: (settings: Settings) => Promise<void>,
  describe: (message: string) => string = (message) => message,
): Promise<void> {
  try {
    await work(readSettings());
  } catch (error) {
    if (error instanceof CommandError || error instanceof UsageError || hasCode(error, /^EPIPE$/)) throw error;
    const isCorrectable = [ConfigError, BackupError, BucketError, MissingObjectError].some(
      (kind) => error instanceof kind,
    );
    throw new CommandError(isCorrectable ? messageOf(error) : describe(messageOf(error)));
  }
}

/** Where the settings say that the database is, without a password. */
export function databasePlace({ config: { databaseUrl, dataDir }, originOf }: Settings): string {
  if (databaseUrl === undefined) return `${resolve(dataDir)} (${originOf('DATA_DIR')})`;
  const { hosts, path } = parseDatabaseUrl(databaseUrl);
  return `${hosts}${path} (${originOf('DATABASE_URL')})`;
}

/** The advice where the settings lead to no database of the service. */
export const NO_DATABASE_ADVICE =
  'set DATA_DIR or DATABASE_URL as the service has it, or run npm start first, which makes the database';

/**
 * Runs `work` with the database server of the settings; starts the embedded one where needed. Waits for the service's
 * very first start. Creates no database: throws a CommandError where there is none.
 */
export async function withServer(settings: Settings, work: (server: DatabaseServer) => Promise<void>): Promise<void> {
  const missing = `there is no database of the service in ${databasePlace(settings)}`;
  const tell = (): void =>
    say(`${missing} yet: waiting ${LIMITS.database.firstStartTimeoutMs / 1_000} s for a start of the service`);
  const server = await openExistingDatabase(settings.config, LIMITS, tell).catch((error: unknown) => {
    if (error instanceof NoDatabaseError) throw new CommandError(`${missing}: ${NO_DATABASE_ADVICE}`);
    throw error;
  });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** Runs a command on the migrated database, whether the service runs or not. `check` runs before it is opened. */
export const onDatabase = (
  work: (db: Database, config: Config) => Promise<void>,
  check: (config: Config) => void = () => undefined,
): Promise<void> =>
  operate(
    async (settings) => {
      check(settings.config);
      await withServer(settings, async ({ connection }) => {
        await migrate(connection);
        const db = connect(connection, { limits: LIMITS });
        await work(db, settings.config).finally(() => db.close());
      });
    },
    // Postgres' message follows the statement.
    (message) => `the database cannot be used: ${message.split(' - ').at(-1)}`,
  );

/** Reads objects of the bucket of FILES_URL, again when that fails. Without FILES_URL, says that it is missing. */
export function objectReader({ bucket: location }: Pick<Config, 'bucket'>): ReadObject {
  if (location) {
    const bucket = new Bucket(location, LIMITS);
    return (...part) => withRetries(() => bucket.read(...part));
  }
  const missing = 'the content of some files is in a bucket: set FILES_URL and its credentials as the service has them';
  return () => Promise.reject(new CommandError(missing));
}

/** A file that is named on the command line. bin/formhost.js runs commands in the project's folder, wherever it was called. */
export const fileOf = (file: string): string =>
  file === '-' || process.env.FORMHOST_HOME === undefined ? file : resolve(file);

/** A mail address that is typed, as the service writes to it. Throws a CommandError where it is none. */
export function mailAddress(text: string): string {
  const address = toMailAddress(text);
  if (address !== undefined) return address;
  throw new CommandError(`${text} is not an e-mail address: give one such as you@example.com`);
}

/** The address of an owner who may exist, as it is stored. */
export const ownerAddress = (text: string): string => (toMailAddress(text) ?? text).toLowerCase();

export const noSuchOwner = (email: string): CommandError =>
  new CommandError(`there is no owner ${email}: \`admin owners list\` shows them`);

/** Throws unless PLAN_LIMITS has the plan. */
export function checkPlan(plan: string, { planLimits }: Pick<Config, 'planLimits'>): void {
  if (!planLimits.has(plan)) {
    throw new CommandError(`there is no plan ${plan}: PLAN_LIMITS has ${[...planLimits.keys()].join(', ')}`);
  }
}
