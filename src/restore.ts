import { createReadStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './config.ts';
import { BackupError } from './db/backup-file.ts';
import type { Connection } from './db/connect.ts';
import { openDatabaseServer } from './db/database-server.ts';
import { DUMP_MAGIC, restoreDump } from './db/pg-dump.ts';
import { checkBackup, restore } from './db/restore.ts';

const USAGE = 'usage: npm run --silent restore -- FILE (or - for standard input)';

/** Whether it is a file of pg_dump's; throws when it can't be read. */
async function isDump(file: string): Promise<boolean> {
  const handle = await fs.open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(DUMP_MAGIC.length), 0);
    return buffer.toString('latin1') === DUMP_MAGIC;
  } finally {
    await handle.close();
  }
}

/** What restores a file; one that is no backup, or a damaged one, is refused before anything is changed. */
async function restoring(file: string): Promise<(connection: Connection) => Promise<void>> {
  if (file === '-') return (connection) => restore(connection, process.stdin);
  if (await isDump(file)) return (connection) => restoreDump(connection, process.env, file);
  await checkBackup(createReadStream(file));
  return (connection) => restore(connection, createReadStream(file));
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile();
  const config = loadConfig(process.env);
  const { positionals } = parseArgs({ allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new BackupError(USAGE);
  const into = await restoring(file);
  const server = await openDatabaseServer(config, () => undefined);
  try {
    await into(server.connection);
  } finally {
    await server.close();
  }
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (error instanceof BackupError || error instanceof ConfigError) process.stderr.write(`formhost: ${message}\n`);
  else if (isUsage) process.stderr.write(`formhost: ${message}\n${USAGE}\n`);
  else process.stderr.write(`formhost: nothing was restored: ${message}\n`);
  process.exitCode = 1;
}
