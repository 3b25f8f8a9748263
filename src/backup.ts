import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './config.ts';
import { backUp } from './db/backup.ts';
import { BackupError } from './db/backup-file.ts';
import { openDatabaseServer } from './db/database-server.ts';
import { canDump, dump } from './db/pg-dump.ts';

const USAGE = 'usage: npm run --silent backup -- FILE (or - for standard output)';

type Write = (out: Writable) => Promise<void>;

/** Makes the file whole or not at all, for its owner alone, and never in place of another. */
async function intoFile(file: string, write: Write): Promise<void> {
  if (existsSync(file)) throw new BackupError(`${file} is there already: give the backup another name`);
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  // With `flush`, what was written is on the disk when it is closed.
  const out = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const stop = () => void out.destroy(new BackupError('the backup was interrupted: nothing is left of it'));
    process.on('SIGINT', stop).on('SIGTERM', stop);
    await once(out, 'open');
    await write(out);
    out.end();
    await finished(out);
    await publish(unfinished, file);
  } finally {
    await fs.rm(unfinished, { force: true });
  }
}

async function publish(unfinished: string, file: string): Promise<void> {
  await fs.link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new BackupError(`${file} is there by now: give the backup another name`);
    // A file system without links, such as a stick's.
    return fs.rename(unfinished, file);
  });
  const folder = await fs.open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile();
  const config = loadConfig(process.env);
  const { positionals } = parseArgs({ allowPositionals: true });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new BackupError(USAGE);
  if (file === '-' && process.stdout.isTTY) throw new BackupError('a terminal takes no backup: name a file');
  const server = await openDatabaseServer(config, () => undefined);
  try {
    const { connection, isEmbedded } = server;
    const dumps = !isEmbedded && (await canDump(connection, process.env));
    const write: Write = (out) => (dumps ? dump(connection, process.env, out) : backUp(connection, out));
    await (file === '-' ? write(process.stdout) : intoFile(file, write));
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
  else process.stderr.write(`formhost: nothing was backed up: ${message}\n`);
  process.exitCode = 1;
}
