import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import limitConcurrency from 'p-limit';
import type { Config } from '../config.ts';
import {
  countFiles,
  installationOf,
  listFilesOutside,
  type MovedFile,
  moveToDatabase,
  moveToObject,
  type Place,
  readChunks,
} from '../db/files/bucket-files.ts';
import { findFileObject } from '../db/files/stored-files.ts';
import type { Database } from '../db/postgres/connect.ts';
import { Bucket } from '../files/bucket.ts';
import { claimPrefix, takePrefix } from '../files/claim.ts';
import { withRetries } from '../files/with-retries.ts';
import { LIMITS } from '../limits.ts';
import { SIZES } from '../sizes.ts';
import { CommandError, messageOf } from './command-error.ts';
import { COMMAND_LIMITS } from './limits.ts';
import { onDatabase } from './operator.ts';
import { type Output, printResult, printRows, say } from './output.ts';

const PLACES: readonly Place[] = ['bucket', 'database'];

/** Runs `work` with the bucket of FILES_URL. */
async function withBucket<T>(
  { bucket: location }: Config,
  work: (bucket: Bucket, place: string) => Promise<T>,
): Promise<T> {
  if (!location) throw new CommandError('FILES_URL is not set: there is no bucket');
  return work(new Bucket(location, LIMITS), `s3://${location.bucket}/${location.prefix}`);
}

/** How many files are where. */
export const status = (output: Output): Promise<void> =>
  onDatabase(async (db) => {
    const counts = await countFiles(db);
    const rows = PLACES.map((place) => ({ place, ...counts[place] }));
    await printRows(['place', 'files', 'bytes'], rows, output);
  });

/** Takes the prefix of FILES_URL from another installation. */
export const claim = (output: Output): Promise<void> =>
  onDatabase((db, config) =>
    withBucket(config, async (bucket, place) => {
      await takePrefix(bucket, await installationOf(db));
      await printResult({ message: `${place} belongs to this installation now`, place }, output);
    }),
  );

/** Whether a file that could not be moved is gone, or elsewhere, so that there is nothing left to do. */
async function isDone(db: Database, { id, object }: MovedFile): Promise<boolean> {
  const found = await findFileObject(db, id);
  return !found || found.object?.id !== object?.id;
}

/** Whether it was moved: not when it was deleted meanwhile. */
async function toBucket(db: Database, bucket: Bucket, file: MovedFile): Promise<boolean> {
  const content = await buffer(readChunks(db, file));
  const object = await withRetries(LIMITS, () => bucket.put(content));
  const isMoved = await moveToObject(db, file, object, LIMITS);
  if (!isMoved) await bucket.delete(object.id);
  return isMoved;
}

/** Whether it was moved. The object is deleted from the bucket later, by the service. */
async function toDatabase(db: Database, bucket: Bucket, file: MovedFile, folder: string): Promise<boolean> {
  const { id, size, object } = file;
  if (!object) return false;
  // Written to a file first: no transaction is open while the bucket is read.
  const path = join(folder, id);
  const spool = await open(path, 'wx+', 0o600);
  try {
    const hash = createHash('sha256');
    for (let from = 0; from < size; ) {
      const part = { from, length: Math.min(COMMAND_LIMITS.files.pieceChunks * SIZES.file.chunkBytes, size - from) };
      const piece = await withRetries(LIMITS, () => bucket.read(object.id, part, COMMAND_LIMITS.files.readTimeoutMs));
      if (!piece) throw new CommandError(`the bucket has no object ${object.id}`);
      hash.update(piece);
      await spool.write(piece, 0, piece.length, from);
      from += piece.length;
    }
    if (!hash.digest().equals(object.sha256)) {
      throw new CommandError(`the object ${object.id} has other content than was stored`);
    }
    return await moveToDatabase(db, file, createReadStream(path, { highWaterMark: SIZES.file.chunkBytes }));
  } finally {
    await spool.close();
    await rm(path);
  }
}

/** Moves the content of all files, some at a time. What can't be moved is told, and the rest is moved. */
async function moveAll(db: Database, bucket: Bucket, place: Place): Promise<{ files: number; failed: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-files-'));
  const limit = limitConcurrency(COMMAND_LIMITS.files.concurrentMoves);
  let files = 0;
  let failed = 0;
  const progress = setInterval(() => say(`moved ${files} files so far`), COMMAND_LIMITS.files.progressIntervalMs);
  try {
    const moving = new Set<Promise<void>>();
    for await (const file of listFilesOutside(db, place)) {
      const move = limit(async () => {
        try {
          const isMoved = place === 'bucket' ? toBucket(db, bucket, file) : toDatabase(db, bucket, file, folder);
          if (await isMoved) files += 1;
        } catch (error) {
          if (await isDone(db, file).catch(() => false)) return;
          failed += 1;
          say(`the file ${file.id} was not moved: ${messageOf(error)}`);
        }
      });
      moving.add(move);
      void move.then(() => moving.delete(move));
      if (moving.size > 2 * COMMAND_LIMITS.files.concurrentMoves) await Promise.race(moving);
    }
    await Promise.all(moving);
  } finally {
    clearInterval(progress);
    await rm(folder, { recursive: true });
  }
  return { files, failed };
}

/** Moves the content of all files to the bucket, or back. */
export const move = ({ to, json }: Output & { to: Place }): Promise<void> =>
  onDatabase((db, config) =>
    withBucket(config, async (bucket) => {
      const installation = await installationOf(db);
      if (!(await withRetries(LIMITS, () => claimPrefix(bucket, installation)))) {
        throw new CommandError(
          'the prefix of FILES_URL belongs to another installation: use another prefix, or, if that one is gone, run `formhost admin files claim`',
        );
      }
      const { files, failed } = await moveAll(db, bucket, to);
      if (failed > 0)
        throw new CommandError(`moved ${files} files, and ${failed} were not: run it again when the cause is gone`);
      await printResult({ message: `moved ${files} files to the ${to}`, files }, { json });
    }),
  );
