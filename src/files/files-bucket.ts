import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import limitConcurrency from 'p-limit';
import {
  claimRemovedObjects,
  claimSweep,
  findOrphans,
  forgetRemovedObjects,
  hasBucketFiles,
  installationOf,
} from '../db/files/bucket-files.ts';
import type { ReadObject } from '../db/files/file-content.ts';
import type { FileObject, NewObject } from '../db/files/stored-files.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import type { Bucket } from './bucket.ts';
import { BucketError } from './bucket-error.ts';
import { claimPrefix } from './claim.ts';
import type { BucketLocation } from './location.ts';

/** The bucket that has the content of files. */
export type FileBucket = {
  /** Rejects when it could not be stored, or the signal fires. */
  put(content: Buffer, signal: AbortSignal): Promise<NewObject>;
  /** Deletes objects that nothing names. Does not wait for it, and never throws. */
  discard(objects: readonly FileObject[]): void;
};

/** What the service does with the bucket. */
export type FilesBucket = {
  /** undefined: the content of new files is stored in the database. */
  forNewFiles: FileBucket | undefined;
  read: ReadObject;
  /** Deletes what no file has any more, until the signal fires. */
  run(): Promise<void>;
  close(): Promise<void>;
};

const notSet = (): BucketError =>
  new BucketError('FILES_URL is not set, and the content of a file is in a bucket', 'NOT_SET');

/** Without FILES_URL: files that are in a bucket can't be read. */
const withoutBucket = (db: Knex, log: Log): FilesBucket => ({
  forNewFiles: undefined,
  read: () => Promise.reject(notSet()),
  async run() {
    const hasSome = await hasBucketFiles(db).catch(() => false);
    if (hasSome) log.error('FILES_URL is not set, and the content of some files is in a bucket: they cannot be read');
  },
  close: async () => undefined,
});

/** Deletes objects that files had; how many. After a failure it begins no other deletion, and rejects. */
export async function deleteRemovedObjects(
  db: Knex,
  bucket: Pick<Bucket, 'delete'>,
  { files: limits }: Limits,
): Promise<number> {
  const ids = await claimRemovedObjects(db, limits);
  const limit = limitConcurrency(limits.concurrentDeletions);
  const deleted: string[] = [];
  let failure: { error: unknown } | undefined;
  const deleteOne = async (id: string): Promise<void> => {
    // The others are due again later, too.
    if (failure) return;
    try {
      await bucket.delete(id);
      deleted.push(id);
    } catch (error) {
      failure = { error };
    }
  };
  await Promise.all(ids.map((id) => limit(deleteOne, id)));
  if (deleted.length > 0) await forgetRemovedObjects(db, deleted);
  if (failure) throw failure.error;
  return deleted.length;
}

/**
 * Deletes objects that nothing names, and that are older than `orphanAgeMs` by the bucket's clock: of submissions whose
 * process died before they were stored. How many. As ids are never used again, no row can name one of them later.
 */
export async function sweepOrphans(
  db: Knex,
  bucket: Pick<Bucket, 'list' | 'delete'>,
  { files: limits }: Limits,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal?.throwIfAborted();
    const { objects, next, now }: Awaited<ReturnType<Bucket['list']>> = await bucket.list(after);
    const old = objects.filter(({ modifiedAt }) => now.getTime() - modifiedAt.getTime() > limits.orphanAgeMs);
    for (const id of old.length > 0
      ? await findOrphans(
          db,
          old.map(({ id }) => id),
        )
      : []) {
      signal?.throwIfAborted();
      await bucket.delete(id);
      deleted += 1;
    }
    after = next;
  }
  return deleted;
}

const belongsToAnother = (): BucketError =>
  new BucketError(
    "the prefix of FILES_URL belongs to another installation: use another prefix, or, if that one is gone, run 'files claim'",
    'OTHER_INSTALLATION',
  );

/** The bucket of FILES_URL, as the service uses it. */
export async function createFilesBucket(
  location: BucketLocation | undefined,
  { db, limits, log, signal }: { db: Knex; limits: Limits; log: Log; signal: AbortSignal },
): Promise<FilesBucket> {
  if (!location) return withoutBucket(db, log);
  // Not loaded without a bucket: undici and what signs requests.
  const { contentOf, createBucket } = await import('./bucket.ts');
  const bucket = createBucket(location, limits);
  const discarding = new Set<Promise<void>>();
  let isOwn = false;

  /** Throws unless the prefix belongs to this installation. */
  async function checkOwn(): Promise<void> {
    isOwn ||= await claimPrefix(bucket, await installationOf(db));
    if (!isOwn) throw belongsToAnother();
  }

  async function cleanUp(): Promise<void> {
    await checkOwn();
    while (!signal.aborted && (await deleteRemovedObjects(db, bucket, limits)) === limits.files.deletedBatch);
    if (!(await claimSweep(db, limits))) return;
    // The mark may have been taken by another installation since.
    isOwn = false;
    await checkOwn();
    const deleted = await sweepOrphans(db, bucket, limits, signal);
    if (deleted > 0) log.info({ deleted }, 'removed objects from the bucket that no file has');
  }

  const forNewFiles: FileBucket = {
    async put(content, cancelled) {
      await checkOwn();
      return bucket.put(contentOf(content), cancelled);
    },
    discard(objects) {
      for (const { id } of objects) {
        // What can't be deleted now is an orphan tomorrow.
        const discarded = bucket.delete(id).catch(() => undefined);
        discarding.add(discarded);
        void discarded.finally(() => discarding.delete(discarded));
      }
    },
  };

  return {
    forNewFiles: location.isForOldFiles ? undefined : forNewFiles,
    read: bucket.read,
    async run() {
      while (!signal.aborted) {
        let waitMs = limits.files.deletionsIntervalMs;
        try {
          await cleanUp();
        } catch (error) {
          waitMs = limits.files.deletionsRetryMs;
          if (!signal.aborted) log.warn({ err: error }, 'objects could not be removed from the bucket; trying again');
        }
        await delay(waitMs, undefined, { signal }).catch(() => undefined);
      }
    },
    async close() {
      await Promise.all(discarding);
      await bucket.close();
    },
  };
}
