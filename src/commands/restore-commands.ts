import { createReadStream } from 'node:fs';
import type { Command } from '@commander-js/extra-typings';
import { checkBackup, restore } from '../db/backup/restore-backup.ts';
import { openDatabaseServer } from '../db/postgres/database-server.ts';
import { inWords, wholeCounts } from './backup-commands.ts';
import { declare } from './declare.ts';
import { fileOf, operate } from './operator.ts';
import { printResult } from './output.ts';

/** Restores a backup from a file, or from standard input (`-`). */
export const declareRestore = (admin: Command): unknown =>
  declare(admin, 'restore', 'Restore a backup into an empty database', '$ admin restore formhost.backup')
    .argument('<file>', 'the backup, or - for standard input', fileOf)
    .action((file, { json }) =>
      operate(
        async ({ config }) => {
          // Before anything is changed.
          if (file !== '-') await checkBackup(createReadStream(file));
          // Makes the embedded database where there is none.
          const server = await openDatabaseServer(config);
          const source = file === '-' ? process.stdin : createReadStream(file);
          const counts = await restore(server.connection, source).finally(() => server.close());
          await printResult({ message: `restored ${inWords(counts)}`, file, ...wholeCounts(counts) }, { json });
        },
        (message) => `nothing was restored: ${message}`,
      ),
    );
