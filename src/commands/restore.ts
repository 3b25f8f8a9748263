import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { DUMP_MAGIC } from '../db/backup/backup-file.ts';
import { restoreDump } from '../db/backup/pg-dump.ts';
import { checkBackup, restore } from '../db/backup/restore.ts';
import { openDatabaseServer } from '../db/postgres/database-server.ts';
import type { Connection } from '../db/postgres/servers.ts';
import { LIMITS } from '../limits.ts';
import { operate } from './operator.ts';
import { type Output, printLine } from './output.ts';

/** Whether a file was written by pg_dump; throws when it can't be read. */
async function isDump(file: string): Promise<boolean> {
  const handle = await fs.open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(DUMP_MAGIC.length), 0);
    return buffer.toString('latin1') === DUMP_MAGIC;
  } finally {
    await handle.close();
  }
}

/** The function that restores a file. A file that is damaged, or no backup, is refused before anything is changed. */
async function restorerOf(file: string): Promise<(connection: Connection) => Promise<void>> {
  if (file === '-') return (connection) => restore(connection, process.stdin, LIMITS);
  if (await isDump(file)) return (connection) => restoreDump(connection, process.env, file, LIMITS);
  await checkBackup(createReadStream(file));
  return (connection) => restore(connection, createReadStream(file), LIMITS);
}

/** Restores a backup from a file, or from standard input (`-`). */
export const restoreFrom = (file: string, { json }: Output): Promise<void> =>
  operate(
    async ({ config }) => {
      const restoreInto = await restorerOf(file);
      // Makes the embedded database where there is none.
      const server = await openDatabaseServer(config, LIMITS, () => undefined);
      await restoreInto(server.connection).finally(() => server.close());
      if (json) await printLine(JSON.stringify({ file }));
    },
    (message) => `nothing was restored: ${message}`,
  );
