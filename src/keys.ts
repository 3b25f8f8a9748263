import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError, loadConfig } from './config.ts';
import { connect, type Database } from './db/connect.ts';
import { openDatabaseServer } from './db/database-server.ts';
import { migrate } from './db/migrate.ts';
import { createKey, listKeys, revokeKey } from './db/owners.ts';

const USAGE = `usage: npm run --silent keys -- create --email you@example.com [--plan NAME]
       npm run --silent keys -- list
       npm run --silent keys -- revoke KEY_ID`;

const DEFAULT_PLAN = 'unlimited';

/** What a person did wrong, in a line. */
class CommandError extends Error {}

type Command = (db: Database) => Promise<string>;

function create(email: string | undefined, plan: string | undefined, plans: ReadonlyMap<string, number>): Command {
  const address = z.email({ pattern: z.regexes.html5Email }).max(254).safeParse(email);
  if (!address.success) throw new CommandError('--email is needed: the address of the owner, such as you@example.com');
  if (!plans.has(plan ?? DEFAULT_PLAN)) {
    throw new CommandError(`there is no plan ${plan ?? DEFAULT_PLAN}: PLAN_LIMITS has ${[...plans.keys()].join(', ')}`);
  }
  return (db) => createKey(db, { email: address.data, plan, defaultPlan: DEFAULT_PLAN });
}

const list: Command = async (db) => {
  const show = (time: Date | null): string => time?.toISOString() ?? '-';
  const keys = await listKeys(db);
  return keys
    .map(({ id, email, plan, createdAt, lastUsedAt, revokedAt }) =>
      [id, email, plan, show(createdAt), show(lastUsedAt), show(revokedAt)].join('\t'),
    )
    .join('\n');
};

const revoke =
  (id: string): Command =>
  async (db) => {
    if (!(await revokeKey(db, id))) throw new CommandError(`there is no key ${id}: \`keys list\` shows their ids`);
    return `revoked ${id}`;
  };

function parse(args: string[], plans: ReadonlyMap<string, number>): Command {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { email: { type: 'string' }, plan: { type: 'string' } },
  });
  const [name, id, ...more] = positionals;
  if (name === 'create' && id === undefined) return create(values.email, values.plan, plans);
  if (values.email === undefined && values.plan === undefined && more.length === 0) {
    if (name === 'list' && id === undefined) return list;
    if (name === 'revoke' && id !== undefined) return revoke(id);
  }
  throw new CommandError(USAGE);
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile();
  const config = loadConfig(process.env);
  const command = parse(process.argv.slice(2), config.planLimits);
  const server = await openDatabaseServer(config, () => undefined);
  try {
    await migrate(server.connection);
    const db = connect(server.connection);
    try {
      const output = await command(db);
      if (output !== '') process.stdout.write(`${output}\n`);
    } finally {
      await db.close();
    }
  } finally {
    await server.close();
  }
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (error instanceof CommandError || error instanceof ConfigError)
    process.stderr.write(`formhost: ${error.message}\n`);
  else if (isUsage) process.stderr.write(`formhost: ${error.message}\n${USAGE}\n`);
  else
    process.stderr.write(`formhost: the database cannot be used: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
