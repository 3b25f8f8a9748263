import { createReadStream } from 'node:fs';
import type { Command } from '@commander-js/extra-typings';
import type { Config } from '../config.ts';
import { checkBackup, restore } from '../db/backup/restore-backup.ts';
import { openDatabaseServer } from '../db/postgres/database-server.ts';
import { inWords, wholeCounts } from './backup-commands.ts';
import { isInBucket, openBackupPlace, placeOf } from './backup-place.ts';
import { CommandError } from './command-error.ts';
import { declare } from './declare.ts';
import { operate } from './operator.ts';
import { printResult } from './output.ts';

/** A backup that can be read several times, except for standard input. */
type Source = { place: string; read(): AsyncIterable<Buffer> };

async function sourceOf(place: string, config: Config): Promise<Source> {
  if (place === '-') return { place, read: () => process.stdin };
  if (!isInBucket(place)) return { place, read: () => createReadStream(place) };
  const { bucket, name: given, addressOf } = openBackupPlace(place, config);
  const name = given ?? (await bucket.newest());
  if (name === undefined) throw new CommandError(`there is no backup in ${place}`);
  return { place: addressOf(name), read: () => bucket.read(name) };
}

/** Restores a backup from a file, from a bucket, or from standard input (`-`). */
export const declareRestore = (admin: Command): unknown =>
  declare(admin, 'restore', 'Restore a backup into an empty database', '$ admin restore formhost.backup')
    .argument('<file>', 'the backup, s3://bucket/prefix for the newest there, or - for standard input', placeOf)
    .action((given, { json }) =>
      operate(
        async ({ config }) => {
          const { place: file, read } = await sourceOf(given, config);
          // Before anything is changed.
          if (file !== '-') await checkBackup(read());
          // Makes the embedded database where there is none.
          const server = await openDatabaseServer(config);
          const counts = await restore(server.connection, read()).finally(() => server.close());
          const from = isInBucket(file) ? ` from ${file}` : '';
          await printResult({ message: `restored ${inWords(counts)}${from}`, file, ...wholeCounts(counts) }, { json });
        },
        (message) => `nothing was restored: ${message}`,
      ),
    );
