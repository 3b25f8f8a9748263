import { buffer } from 'node:stream/consumers';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Config } from '../config.ts';
import { createOpenSiteFile } from '../db/deployments/site-file-queries.ts';
import {
  countFiles,
  installationOf,
  listContentsOutside,
  type MovableContent,
  moveToDatabase,
  moveToObject,
  type Place,
} from '../db/files/bucket-file-queries.ts';
import { createOpenFile, type ReadPiece, readPieces } from '../db/files/file-content-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { Bucket } from '../files/bucket.ts';
import { claimPrefix, takePrefix } from '../files/claim.ts';
import { withRetries } from '../files/with-retries.ts';
import { LIMITS } from '../limits.ts';
import { CommandError, messageOf } from './command-error.ts';
import { declare } from './declare.ts';
import { objectReader, onDatabase } from './operator.ts';
import { printResult, printRows, say } from './output.ts';

const PLACES = ['bucket', 'database'] as const satisfies Place[];
/** After so many files the command says how far it is. */
const PROGRESS_FILES = 1_000;

/** Runs `work` with the bucket of FILES_URL. */
async function withBucket<T>(
  { bucket: location }: Config,
  work: (bucket: Bucket, place: string) => Promise<T>,
): Promise<T> {
  if (!location) throw new CommandError('FILES_URL is not set: there is no bucket');
  return work(new Bucket(location, LIMITS), `s3://${location.bucket}/${location.prefix}`);
}

/**
 * Returns whether a content was moved: it is not if it was deleted meanwhile. The service deletes its object from the bucket
 * later.
 */
async function moveOne(db: Database, bucket: Bucket, content: MovableContent, bytes: Buffer): Promise<boolean> {
  if (content.object) return moveToDatabase(db, content, bytes);
  const object = await withRetries(() => bucket.put(bytes));
  const isMoved = await moveToObject(db, content, object);
  if (!isMoved) await bucket.delete(object.id);
  return isMoved;
}

/**
 * Returns the name of a content in messages. The content of a site is named by its SHA-256, as `GET /deploy/:id/files` shows
 * it.
 */
const nameOf = (content: MovableContent): string =>
  'ownerId' in content ? `of a site with the SHA-256 ${content.sha256.toString('hex')}` : content.id;

/** Moves the contents of all files. A file that can't be moved is named, and the rest is moved. */
async function moveAll(db: Database, config: Config, bucket: Bucket, to: Place) {
  const done = { files: 0, failed: 0 };
  const readObject = objectReader(config);
  const openFile = createOpenFile(db, readObject, LIMITS);
  const openSiteFile = createOpenSiteFile(db, readObject, LIMITS);
  const open = (content: MovableContent): ReadPiece =>
    'ownerId' in content
      ? openSiteFile(content.ownerId, { sha256: content.sha256.toString('hex'), bytes: content.size })
      : openFile(content);
  for await (const content of listContentsOutside(db, to)) {
    try {
      const bytes = await buffer(readPieces(content, open(content)));
      if (!(await moveOne(db, bucket, content, bytes))) continue;
      done.files += 1;
      if (done.files % PROGRESS_FILES === 0) say(`moved ${done.files} files so far`);
    } catch (error) {
      done.failed += 1;
      say(`the file ${nameOf(content)} was not moved: ${messageOf(error)}`);
    }
  }
  return done;
}

export function declareFiles(admin: Command): void {
  const files = admin.command('files').description('Move files of submissions and sites to an S3 bucket, or back');
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
