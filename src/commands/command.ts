import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { BackupError } from '../db/backup/backup-file.ts';
import { MissingObjectError } from '../db/files/file-content.ts';
import { connect, type Database } from '../db/postgres/connect.ts';
import type { DatabaseServer } from '../db/postgres/database-server.ts';
import { NoDatabaseError, openExistingDatabase } from '../db/postgres/existing-database.ts';
import { migrate } from '../db/postgres/migrate.ts';
import { type Bucket, createBucket } from '../files/bucket.ts';
import { BucketError } from '../files/bucket-error.ts';
import { patient } from '../files/with-retries.ts';
import { parseDatabaseUrl } from '../lib/database-url.ts';
import { COMMAND_LIMITS, LIMITS } from '../limits.ts';
import { CommandError, hasCode, messageOf, printError, UsageError } from './command-error.ts';

/*
 * What all commands share: arguments, settings, the database, output and exit codes. Exit code 0: done; 1: an error;
 * 2: wrong usage.
 */

/** The arguments without a flag that every command has, and whether it was there. After `--` nothing is a flag. */
function takeFlag(args: readonly string[], ...flags: string[]): { rest: string[]; isSet: boolean } {
  const end = args.indexOf('--');
  const isFlag = (arg: string, index: number): boolean => flags.includes(arg) && (end === -1 || index < end);
  return { rest: args.filter((arg, index) => !isFlag(arg, index)), isSet: args.some(isFlag) };
}

export type Invocation = {
  /** Without --json. */
  args: string[];
  /** Whether to print JSON. */
  json: boolean;
  /** Where a setting comes from, in words. */
  originOf(setting: string): string;
};

/**
 * Runs a program with this process' arguments, and with the settings of `.env` in its environment. An error is printed
 * on standard error, with exit code 1; `describe` gives the text of an error that a person can't correct. Wrong usage
 * prints the usage there, with exit code 2. `--help` prints it on standard output.
 */
export async function runProgram(
  usage: string,
  program: (invocation: Invocation) => Promise<void>,
  describe: (error: unknown) => string = messageOf,
): Promise<void> {
  const help = takeFlag(process.argv.slice(2), '--help', '-h');
  if (help.isSet) {
    process.stdout.write(`${asCalled(usage)}\n`);
    return;
  }
  const { rest: args, isSet: json } = takeFlag(help.rest, '--json');
  const inEnvironment = new Set(Object.keys(process.env).filter((name) => process.env[name] !== ''));
  const originOf = (name: string): string => {
    if (inEnvironment.has(name)) return `${name}, which the environment sets`;
    return process.env[name] ? `${name} in .env` : `the default, because ${name} is not set`;
  };
  try {
    if (existsSync('.env')) process.loadEnvFile();
    await program({ args, json, originOf });
  } catch (error) {
    if (error instanceof UsageError || hasCode(error, /^ERR_PARSE_ARGS/)) {
      process.exitCode = 2;
      if (error.message !== '') printError(error.message);
      process.stderr.write(`${asCalled(usage)}\n`);
      return;
    }
    process.exitCode = 1;
    const isCorrectable = [CommandError, ConfigError, BackupError, BucketError, MissingObjectError].some(
      (kind) => error instanceof kind,
    );
    printError(isCorrectable ? messageOf(error) : describe(error));
  }
}

/** A file that is named on the command line. `formhost` runs commands in the project's folder, wherever it was called. */
export function fileOf(argument: string): string {
  const folder = process.env.FORMHOST_CALLED_FROM;
  return folder === undefined || argument === '-' ? argument : resolve(folder, argument);
}

/** The usage of a command as it was called: through npm, or as `formhost`. */
const asCalled = (usage: string): string =>
  process.env.FORMHOST_CALLED_FROM === undefined
    ? usage
    : usage.replaceAll(
        /(usage:|^ {6}) npm run --silent ([\w:-]+)(?: --)?/gm,
        (_, begin, name) => `${begin} formhost ${name.replace(':', '-')}`,
      );

/** The one argument of a program. Throws a UsageError when there is another number of them. */
export function onlyArgument(args: string[]): string {
  const [argument, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (argument === undefined || more.length > 0) throw new UsageError();
  return argument;
}

/** Where the settings say that the database is, without a password. */
export function databasePlace({ databaseUrl, dataDir }: Config, originOf: Invocation['originOf']): string {
  if (databaseUrl === undefined) return `${resolve(dataDir)} (${originOf('DATA_DIR')})`;
  const { servers, path } = parseDatabaseUrl(databaseUrl);
  return `${servers.map(({ url }) => new URL(url).host).join(',')}${path} (${originOf('DATABASE_URL')})`;
}

/** What to do where the settings lead to no database of the service. */
export const NO_DATABASE_ADVICE =
  'set DATA_DIR or DATABASE_URL as the service has it, or run npm start first, which makes the database';

/**
 * Runs `work` with the database server of the settings; starts the embedded one where needed. Waits for the service's
 * very first start. Creates no database: throws a CommandError where there is none.
 */
export async function withServer(
  config: Config,
  { originOf }: Pick<Invocation, 'originOf'>,
  work: (server: DatabaseServer) => Promise<void>,
): Promise<void> {
  const missing = `there is no database of the service in ${databasePlace(config, originOf)}`;
  const tell = (): void =>
    printError(
      `${missing} yet: waiting ${LIMITS.database.firstStartSignTimeoutMs / 1_000} s for a start of the service`,
    );
  const server = await openExistingDatabase(config, LIMITS, tell).catch((error: unknown) => {
    if (error instanceof NoDatabaseError) throw new CommandError(`${missing}: ${NO_DATABASE_ADVICE}`);
    throw error;
  });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** The bucket of FILES_URL, to read files patiently. Without FILES_URL, a read says that it is missing. */
export function openBucket({ bucket: location }: Pick<Config, 'bucket'>): Pick<Bucket, 'read' | 'close'> {
  if (location) {
    const bucket = createBucket(location, LIMITS);
    return { read: (...part) => patient(LIMITS, () => bucket.read(...part)), close: bucket.close };
  }
  const missing = 'the content of some files is in a bucket: set FILES_URL and its credentials as the service has them';
  return { read: () => Promise.reject(new CommandError(missing)), close: async () => undefined };
}

type Value = string | number | boolean | Date | null;
type Row<Column extends string> = Readonly<Record<Column, Value>>;

/** What a command has done: a line of text, or several, and the same as JSON. `note` is printed on standard error. */
export type Result = { text: string; json: object; note?: string | undefined };

/** What prints a command's output. */
type Print = (json: boolean) => AsyncIterable<string>;

/** Works on the database, and prints. */
export type Command = (db: Database) => Print;

const cell = (value: Value): string => (value instanceof Date ? value.toISOString() : String(value ?? '-'));

/** Rows in columns below headers, for a terminal. */
async function* inColumns(columns: readonly string[], rows: AsyncIterable<string[]>): AsyncGenerator<string> {
  let waiting = [columns.map((column) => column.toUpperCase().replaceAll('_', ' '))];
  const widths = columns.map(() => 0);
  const show = (cells: string[]): string =>
    cells
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const flush = (): string[] => {
    for (const cells of waiting)
      for (const [at, text] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
    const lines = waiting.map(show);
    waiting = [];
    return lines;
  };
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length > COMMAND_LIMITS.lists.screenRows) yield* flush();
  }
  yield* flush();
}

/**
 * A command that lists rows, whose columns have the names of the API: a line for each with tabs in between, in columns
 * below headers on a terminal, or an array with --json.
 */
export const listing =
  <Column extends string>(columns: readonly Column[], rowsOf: (db: Database) => AsyncIterable<Row<Column>>): Command =>
  (db) =>
    async function* (json) {
      const rows = rowsOf(db);
      if (json) {
        let separator = '[\n';
        for await (const row of rows) {
          yield separator + JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])));
          separator = ',\n';
        }
        yield separator === '[\n' ? '[]\n' : '\n]\n';
        return;
      }
      async function* cells(): AsyncGenerator<string[]> {
        for await (const row of rows) yield columns.map((column) => cell(row[column]));
      }
      if (process.stdout.isTTY) for await (const line of inColumns(columns, cells())) yield `${line}\n`;
      else for await (const row of cells()) yield `${row.join('\t')}\n`;
    };

/** A command that does one thing. */
export const action =
  (work: (db: Database) => Promise<Result>): Command =>
  (db) =>
    async function* (json) {
      const { text, json: value, note } = await work(db);
      if (note !== undefined) printError(note);
      yield `${json ? JSON.stringify(value) : text}\n`;
    };

async function print(text: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(text, process.stdout);
  } catch (error) {
    // The reader has closed the pipe.
    if (!hasCode(error, /^EPIPE$/)) throw error;
    process.exitCode = 1;
  }
}

/** Runs the command that `parse` finds in this process' arguments, on the database, whether the service runs or not. */
export const runCommand = (usage: string, parse: (args: string[], config: Config) => Command): Promise<void> =>
  runProgram(
    usage,
    async (invocation) => {
      const config = loadConfig(process.env);
      const command = parse(invocation.args, config);
      await withServer(config, invocation, async ({ connection }) => {
        await migrate(connection, { limits: LIMITS });
        const db = connect(connection, { limits: LIMITS });
        await print(command(db)(invocation.json)).finally(() => db.close());
      });
    },
    // Postgres' message follows the statement.
    (error) => `the database cannot be used: ${messageOf(error).split(' - ').at(-1)}`,
  );

/** Throws unless PLAN_LIMITS has the plan. */
export function checkPlan(plan: string, { planLimits }: Pick<Config, 'planLimits'>): void {
  if (!planLimits.has(plan)) {
    throw new CommandError(`there is no plan ${plan}: PLAN_LIMITS has ${[...planLimits.keys()].join(', ')}`);
  }
}
