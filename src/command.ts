import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { BackupError } from './db/backup-file.ts';
import { connect, type Database } from './db/connect.ts';
import { type DatabaseServer, openDatabaseServer } from './db/database-server.ts';
import { migrate } from './db/migrate.ts';

/** What a person did wrong, in a line, or how the command is used. */
export class CommandError extends Error {}

/** What a command does with the database; yields the lines that it prints. */
export type Command = (db: Database) => AsyncIterable<string>;

export const hasCode = (error: unknown, pattern: RegExp): error is Error =>
  error instanceof Error && 'code' in error && pattern.test(String(error.code));

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Runs a program with this process' arguments, and the settings of `.env` in its environment. What goes wrong is said on standard
 * error, with exit code 1; `unforeseen` words what isn't for a person to mend.
 */
export async function runProgram(
  usage: string,
  program: (args: string[]) => Promise<void>,
  unforeseen: (error: unknown) => string = messageOf,
): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile();
    await program(process.argv.slice(2));
  } catch (error) {
    process.exitCode = 1;
    const isMendable = [CommandError, ConfigError, BackupError].some((kind) => error instanceof kind);
    const isUsage = hasCode(error, /^ERR_PARSE_ARGS/);
    const line = isMendable || isUsage ? messageOf(error) : unforeseen(error);
    process.stderr.write(`formhost: ${line}\n${isUsage ? `${usage}\n` : ''}`);
  }
}

/** The one argument of a program that takes a file. */
export function fileOf(args: string[], usage: string): string {
  const [file, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (file === undefined || more.length > 0) throw new CommandError(usage);
  return file;
}

/** Lends the database's server of the settings, the embedded one too. */
export async function onServer(config: Config, work: (server: DatabaseServer) => Promise<void>): Promise<void> {
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
    // Whoever read the lines has left.
    if (!hasCode(error, /^EPIPE$/)) throw error;
    process.exitCode = 1;
  }
}

/** Runs what this process' arguments say, as `parse` reads them, on the database, whether the service runs or not. */
export const runCommand = (usage: string, parse: (args: string[], config: Config) => Command): Promise<void> =>
  runProgram(
    usage,
    async (args) => {
      const config = loadConfig(process.env);
      const command = parse(args, config);
      await onServer(config, async ({ connection }) => {
        await migrate(connection);
        const db = connect(connection);
        await print(command(db)).finally(() => db.close());
      });
    },
    // What Postgres says stands behind the statement.
    (error) => `the database cannot be used: ${messageOf(error).split(' - ').at(-1)}`,
  );

/** Throws unless PLAN_LIMITS has the plan. */
export function checkPlan(plan: string, { planLimits }: Pick<Config, 'planLimits'>): void {
  if (!planLimits.has(plan)) {
    throw new CommandError(`there is no plan ${plan}: PLAN_LIMITS has ${[...planLimits.keys()].join(', ')}`);
  }
}
