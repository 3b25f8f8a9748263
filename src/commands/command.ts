import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { BackupError } from '../db/backup/backup-file.ts';
import { connect, type Database } from '../db/postgres/connect.ts';
import { type DatabaseServer, openDatabaseServer } from '../db/postgres/database-server.ts';
import { migrate } from '../db/postgres/migrate.ts';

/** A mistake that a person can correct, in one line, or how the command is used. */
export class CommandError extends Error {}

/** Works on the database, and yields the lines to print. */
export type Command = (db: Database) => AsyncIterable<string>;

export const hasCode = (error: unknown, pattern: RegExp): error is Error =>
  error instanceof Error && 'code' in error && pattern.test(String(error.code));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Runs a program with this process' arguments, and with the settings of `.env` in its environment. An error is printed
 * on standard error, with exit code 1; `describe` gives the text of an error that a person can't correct.
 */
export async function runProgram(
  usage: string,
  program: (args: string[]) => Promise<void>,
  describe: (error: unknown) => string = messageOf,
): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile();
    await program(process.argv.slice(2));
  } catch (error) {
    process.exitCode = 1;
    const isCorrectable = [CommandError, ConfigError, BackupError].some((kind) => error instanceof kind);
    const isUsage = hasCode(error, /^ERR_PARSE_ARGS/);
    const line = isCorrectable || isUsage ? messageOf(error) : describe(error);
    process.stderr.write(`formhost: ${line}\n${isUsage ? `${usage}\n` : ''}`);
  }
}

/** The one argument of a program that takes a file. */
export function fileOf(args: string[], usage: string): string {
  const [file, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (file === undefined || more.length > 0) throw new CommandError(usage);
  return file;
}

/** Runs `work` with the database server of the settings; starts the embedded one where needed. */
export async function withServer(config: Config, work: (server: DatabaseServer) => Promise<void>): Promise<void> {
  const server = await openDatabaseServer(config, () => undefined);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

async function print(lines: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(async function* () {
      for await (const line of lines) yield `${line}\n`;
    }, process.stdout);
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
    async (args) => {
      const config = loadConfig(process.env);
      const command = parse(args, config);
      await withServer(config, async ({ connection }) => {
        await migrate(connection);
        const db = connect(connection);
        await print(command(db)).finally(() => db.close());
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
