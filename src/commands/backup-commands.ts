import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Command } from '@commander-js/extra-typings';
import type { Config } from '../config.ts';
import { isUndefinedTable, noteBackup } from '../db/backup/last-backup.ts';
import { backUp, type RowCounts } from '../db/backup/make-backup.ts';
import { newBackupName } from '../files/backup-bucket.ts';
import { isInBucket, openBackupPlace, placeOf } from './backup-place.ts';
import { CommandError, messageOf, UsageError } from './command-error.ts';
import { declare } from './declare.ts';
import { objectReader, operate, withServer } from './operator.ts';
import { printResult, say } from './output.ts';
import { createFile } from './write-file.ts';

type Write = (out: Writable) => Promise<void>;

/** Writes the whole of `what` or nothing, also when it is interrupted. */
async function writeAll(out: Writable, what: string, write: Write): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  out.once('close', resolve);
  // Created first, because writing may fail at once.
  const written = finished(out);
  const stop = () => void out.destroy(new CommandError(`the backup was interrupted: no ${what} was written`));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    await Promise.race([write(out), written]);
    out.end();
    await written;
  } catch (error) {
    out.destroy();
    // An upload deletes its parts.
    await closed;
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

const intoFile = (file: string, write: Write): Promise<void> => createFile(file, (out) => writeAll(out, 'file', write));

/** A message that names the files of an incomplete backup stays readable. */
const MAX_NAMED_FILES = 5;

const incomplete = (ids: readonly string[]): string =>
  `the bucket lacks the content of ${ids.length} files, or has other content: the backup has the rest, and their names ` +
  `only (${ids.slice(0, MAX_NAMED_FILES).join(', ')}${ids.length > MAX_NAMED_FILES ? ', …' : ''})`;

/** Tables whose rows a person counts. */
const COUNTED = ['owners', 'deployments', 'submissions'] as const;

/** How many rows of the tables that people know a backup has. */
export const wholeCounts = (counts: RowCounts): Record<string, number> =>
  Object.fromEntries(COUNTED.map((table) => [table, counts.get(table) ?? 0]));

/** Such as `1 owner, 3 deployments and 1,204 submissions`. */
export function inWords(counts: RowCounts): string {
  const items = Object.entries(wholeCounts(counts)).map(
    ([table, count]) => `${count.toLocaleString('en')} ${count === 1 ? table.slice(0, -1) : table}`,
  );
  return new Intl.ListFormat('en-GB').format(items);
}

/** Where a backup goes: `-`, or a name for messages. */
type Target = { place: string; take(write: Write): Promise<void> };

function targetOf(place: string, config: Config): Target {
  if (place === '-') return { place, take: (write) => write(process.stdout) };
  if (!isInBucket(place)) return { place, take: (write) => intoFile(place, write) };
  const { bucket, name, addressOf } = openBackupPlace(place, config);
  if (name !== undefined)
    throw new UsageError('name the bucket and a prefix: the name of the backup is that of its time');
  const newName = newBackupName();
  return { place: addressOf(newName), take: (write) => writeAll(bucket.upload(newName), 'object', write) };
}

/** Backs the database up into a file, into a bucket, or to standard output (`-`). */
export const declareBackup = (admin: Command): unknown =>
  declare(admin, 'backup', 'Back the database up', '$ admin backup formhost.backup')
    .argument('<file>', 'a new file, s3://bucket/prefix, or - for standard output', placeOf)
    .action((given, { json }) =>
      operate(
        async (settings) => {
          if (given === '-' && json) throw new UsageError('--json needs a FILE: standard output gets the backup');
          if (given === '-' && process.stdout.isTTY)
            throw new CommandError('a backup cannot be printed on a terminal: name a file');
          const { place: file, take } = targetOf(given, settings.config);
          const damaged: string[] = [];
          const reading = {
            readObject: objectReader(settings.config),
            onDamaged: (id: string) => void damaged.push(id),
          };
          const begun = performance.now();
          let counts: RowCounts = new Map();
          await withServer(settings, async ({ connection }) => {
            const write: Write = async (out) => {
              counts = await backUp(connection, out, reading);
            };
            await take(write);
            await noteBackup(connection, performance.now() - begun).catch((error: unknown) => {
              // A database of an older version has no place for it.
              if (!isUndefinedTable(error)) say(`the metrics do not know of this backup: ${messageOf(error)}`);
            });
          });
          if (damaged.length > 0) say(incomplete(damaged));
          const message = `backed up ${inWords(counts)}`;
          if (file === '-') say(message);
          else await printResult({ message: `${message} into ${file}`, file, ...wholeCounts(counts) }, { json });
        },
        (message) => `nothing was backed up: ${message}`,
      ),
    );
