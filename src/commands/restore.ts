import { createReadStream } from 'node:fs';
import { checkBackup, restore } from '../db/backup/restore.ts';
import { openDatabaseServer } from '../db/postgres/database-server.ts';
import { operate } from './operator.ts';
import { type Output, printLine } from './output.ts';

/** Restores a backup from a file, or from standard input (`-`). */
export const restoreFrom = (file: string, { json }: Output): Promise<void> =>
  operate(
    async ({ config }) => {
      // Before anything is changed.
      if (file !== '-') await checkBackup(createReadStream(file));
      // Makes the embedded database where there is none.
      const server = await openDatabaseServer(config);
      const source = file === '-' ? process.stdin : createReadStream(file);
      await restore(server.connection, source).finally(() => server.close());
      if (json) await printLine(JSON.stringify({ file }));
    },
    (message) => `nothing was restored: ${message}`,
  );
