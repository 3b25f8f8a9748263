import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { connect, type Database } from './db/connect.ts';
import { openDatabaseServer } from './db/database-server.ts';
import { migrate } from './db/migrate.ts';

/** What a person did wrong, in a line, or how the command is used. */
export class CommandError extends Error {}

/** What a command does with the database; yields the lines that it prints. */
export type Command = (db: Database) => AsyncIterable<string>;

export const hasCode = (error: unknown, pattern: RegExp): error is Error =>
  error instanceof Error && 'code' in error && pattern.test(String(error.code));

async function run(parse: (args: string[], config: Config) => Command): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile();
  const config = loadConfig(process.env);
  const command = parse(process.argv.slice(2), config);
  const server = await openDatabaseServer(config, () => undefined);
  try {
    await migrate(server.connection);
    const db = connect(server.connection);
    try {
      await pipeline(async function* () {
        for await (const line of command(db)) yield `${line}\n`;
      }, process.stdout);
    } finally {
      await db.close();
    }
  } finally {
    await server.close();
  }
}

/**
 * Runs what this process' arguments say, as `parse` reads them, on the database of the settings, the embedded one too,
 * whether the service runs or not. What goes wrong is said on standard error, with exit code 1.
 */
export async function runCommand(usage: string, parse: (args: string[], config: Config) => Command): Promise<void> {
  try {
    await run(parse);
  } catch (error) {
    process.exitCode = 1;
    // Whoever read the lines has left.
    if (hasCode(error, /^EPIPE$/)) return;
    const message = error instanceof Error ? error.message : error;
    if (error instanceof CommandError || error instanceof ConfigError) process.stderr.write(`formhost: ${message}\n`);
    else if (hasCode(error, /^ERR_PARSE_ARGS/)) process.stderr.write(`formhost: ${message}\n${usage}\n`);
    // What Postgres says stands behind the statement.
    else process.stderr.write(`formhost: the database cannot be used: ${String(message).split(' - ').at(-1)}\n`);
  }
}

/** Throws unless PLAN_LIMITS has the plan. */
export function checkPlan(plan: string, { planLimits }: Pick<Config, 'planLimits'>): void {
  if (!planLimits.has(plan)) {
    throw new CommandError(`there is no plan ${plan}: PLAN_LIMITS has ${[...planLimits.keys()].join(', ')}`);
  }
}
