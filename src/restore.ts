import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { fileOf, messageOf, onServer, runProgram } from './command.ts';
import { loadConfig } from './config.ts';
import type { Connection } from './db/connect.ts';
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

await runProgram(
  USAGE,
  async (args) => {
    const config = loadConfig(process.env);
    const into = await restoring(fileOf(args, USAGE));
    await onServer(config, ({ connection }) => into(connection));
  },
  (error) => `nothing was restored: ${messageOf(error)}`,
);
