import { buffer } from 'node:stream/consumers';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Config } from '../config.ts';
import {
  countFiles,
  installationOf,
  listFilesOutside,
  moveToDatabase,
  moveToObject,
  type Place,
} from '../db/files/bucket-files.ts';
import { createOpenFile, readPieces } from '../db/files/file-content.ts';
import type { MovableFile } from '../db/files/stored-files.ts';
import type { Database } from '../db/postgres/connect.ts';
import { Bucket } from '../files/bucket.ts';
import { claimPrefix, takePrefix } from '../files/claim.ts';
import { withRetries } from '../files/with-retries.ts';
import { LIMITS } from '../limits.ts';
import { CommandError, messageOf } from './command-error.ts';
import { declare } from './declare.ts';
import { COMMAND_LIMITS } from './limits.ts';
import { objectReader, onDatabase } from './operator.ts';
import { printResult, printRows, say } from './output.ts';

const PLACES = ['bucket', 'database'] as const satisfies Place[];
/** More would take connections of the service. */
const MAX_CONCURRENT_MOVES = 4;

/** Runs `work` with the bucket of FILES_URL. */
async function withBucket<T>(
  { bucket: location }: Config,
  work: (bucket: Bucket, place: string) => Promise<T>,
): Promise<T> {
  if (!location) throw new CommandError('FILES_URL is not set: there is no bucket');
  return work(new Bucket(location, LIMITS), `s3://${location.bucket}/${location.prefix}`);
}

/** Whether a file was moved: not when it was deleted meanwhile. Its object is deleted from the bucket later, by the service. */
async function moveOne(db: Database, bucket: Bucket, file: MovableFile, content: Buffer): Promise<boolean> {
  if (file.object) return moveToDatabase(db, file, content);
  const object = await withRetries(() => bucket.put(content));
  const isMoved = await moveToObject(db, file, object);
  if (!isMoved) await bucket.delete(object.id);
  return isMoved;
}

/** Moves the content of all files, some at a time. A file that can't be moved is named, and the rest is moved. */
async function moveAll(db: Database, config: Config, bucket: Bucket, to: Place) {
  const done = { files: 0, failed: 0 };
  const progress = setInterval(() => say(`moved ${done.files} files so far`), COMMAND_LIMITS.progressIntervalMs);
  const openFile = createOpenFile(db, objectReader(config), LIMITS);
  const files = listFilesOutside(db, to);
  const moveSome = async (): Promise<void> => {
    // Each file is that of one loop.
    for await (const file of files) {
      try {
        const content = await buffer(readPieces(file, openFile(file)));
        if (await moveOne(db, bucket, file, content)) done.files += 1;
      } catch (error) {
        done.failed += 1;
        say(`the file ${file.id} was not moved: ${messageOf(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_MOVES }, moveSome)).finally(() => clearInterval(progress));
  return done;
}

export function declareFiles(admin: Command): void {
  const files = admin.command('files').description('Move files of submissions to an S3 bucket, or back');
  declare(files, 'status', 'Count the files in the database and in the bucket', '$ admin files status').action(
    (output) =>
      onDatabase(async (db) => {
        const counts = await countFiles(db);
        const rows = PLACES.map((place) => ({ place, ...counts[place] }));
        await printRows(['place', 'files', 'bytes'], rows, output);
      }),
  );
  declareMove(files);
  declare(
    files,
    'claim',
    'Take the prefix of FILES_URL from an installation that is gone',
    '$ admin files claim',
  ).action((output) =>
    onDatabase((db, config) =>
      withBucket(config, async (bucket, place) => {
        await takePrefix(bucket, await installationOf(db));
        await printResult({ message: `${place} belongs to this installation now`, place }, output);
      }),
    ),
  );
}

const declareMove = (files: Command): unknown =>
  declare(
    files,
    'move',
    'Move the content of all files; run it again where it stopped',
    '$ admin files move --to bucket',
  )
    .addOption(new Option('--to <place>', 'where it goes').choices(PLACES).makeOptionMandatory())
    .action(({ to, ...output }) =>
      onDatabase((db, config) =>
        withBucket(config, async (bucket) => {
          const installation = await installationOf(db);
          if (!(await withRetries(() => claimPrefix(bucket, installation)))) {
            throw new CommandError(
              'the prefix of FILES_URL belongs to another installation: use another prefix, or, if that one is gone, run `formhost admin files claim`',
            );
          }
          const { files, failed } = await moveAll(db, config, bucket, to);
          if (failed > 0)
            throw new CommandError(`moved ${files} files, and ${failed} were not: run it again when the cause is gone`);
          await printResult({ message: `moved ${files} files to the ${to}`, files }, output);
        }),
      ),
    );
