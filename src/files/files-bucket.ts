import type { Knex } from 'knex';
import {
  claimRemovedObjects,
  claimSweep,
  DELETED_BATCH,
  findOrphans,
  forgetRemovedObjects,
  hasBucketFiles,
  installationOf,
} from '../db/files/bucket-file-queries.ts';
import type { ReadObject } from '../db/files/file-content-queries.ts';
import type { FileObject, NewObject } from '../db/files/stored-file-queries.ts';
import type { Log } from '../lib/log.ts';
import { PollLoop } from '../lib/poll-loop.ts';
import type { Limits } from '../limits.ts';
import type { Bucket, Listed } from './bucket.ts';
import { BucketError } from './bucket-error.ts';
import { claimPrefix } from './claim.ts';

/** An object that nothing names is an orphan when it is older: its submission is no longer being stored. */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1_000;
const CONCURRENT_DELETIONS = 8;

/** Deletes objects that files had; how many. While the bucket fails, a few are tried, and it rejects. */
export async function deleteRemovedObjects(
  db: Knex,
  bucket: Pick<Bucket, 'delete'>,
  { files: limits }: Limits,
  signal?: AbortSignal,
): Promise<number> {
  const ids = (await claimRemovedObjects(db, limits)).values();
  const deleted: string[] = [];
  const deleteSome = async (): Promise<void> => {
    // Each id is that of one loop. An object that is not deleted is due again later.
    for (const id of ids) {
      await bucket.delete(id, signal);
      deleted.push(id);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENT_DELETIONS }, deleteSome));
  if (deleted.length > 0) await forgetRemovedObjects(db, deleted);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure) throw failure.reason;
  return deleted.length;
}

/**
 * Deletes objects that nothing names, and that are older than ORPHAN_AGE_MS by the bucket's clock: of submissions whose
 * process died before they were stored. Returns their number. Ids are never used again, so no row can name one later.
 */
export async function sweepOrphans(
  db: Knex,
  bucket: Pick<Bucket, 'list' | 'delete'>,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal?.throwIfAborted();
    const { objects, next, now }: Listed = await bucket.list(after, signal);
    const old = objects.filter(({ modifiedAt }) => now.getTime() - modifiedAt.getTime() > ORPHAN_AGE_MS);
    const ids = old.map(({ id }) => id);
    for (const id of ids.length > 0 ? await findOrphans(db, ids) : []) {
      signal?.throwIfAborted();
      await bucket.delete(id, signal);
      deleted += 1;
    }
    after = next;
  }
  return deleted;
}

/** Where the content of files is, as the service uses it: the bucket of FILES_URL. Without one, what is in a bucket can't be read. */
export class FilesBucket {
  readonly #bucket: Bucket | undefined;
  readonly #db: Knex;
  readonly #limits: Limits;
  readonly #log: Log;
  /** True if the prefix is known to belong to this installation. */
  #isOwn = false;
  readonly #discarding = new Set<Promise<void>>();

  constructor(bucket: Bucket | undefined, { db, limits, log }: { db: Knex; limits: Limits; log: Log }) {
    this.#bucket = bucket;
    this.#db = db;
    this.#limits = limits;
    this.#log = log;
  }

  read(...part: Parameters<ReadObject>): ReturnType<ReadObject> {
    return this.#get().read(...part);
  }

  /** Rejects when the content could not be stored, or the signal fires. */
  async put(content: Buffer, signal: AbortSignal): Promise<NewObject> {
    await this.#checkOwn();
    return this.#get().put(content, signal);
  }

  /** Deletes objects that nothing names. Does not wait for it, and never throws. */
  discard(objects: readonly FileObject[]): void {
    for (const { id } of objects) {
      // An object that can't be deleted now is an orphan tomorrow.
      const discarded = this.#get()
        .delete(id)
        .catch(() => undefined);
      this.#discarding.add(discarded);
      void discarded.finally(() => this.#discarding.delete(discarded));
    }
  }

  /** Deletes what no file has any more, until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const bucket = this.#bucket;
    if (!bucket) return this.#warnOfMissing();
    const { deletionsIntervalMs, deletionsRetryMs: retryMs } = this.#limits.files;
    const poll = () => this.#cleanUp(bucket, signal).then(() => deletionsIntervalMs);
    const failure = 'objects could not be removed from the bucket; trying again';
    return new PollLoop({ poll, retryMs, failure, log: this.#log, signal }).run();
  }

  /** Waits for the deletions of `discard`. */
  async close(): Promise<void> {
    await Promise.all(this.#discarding);
  }

  async #cleanUp(bucket: Bucket, signal: AbortSignal): Promise<void> {
    await this.#checkOwn();
    while (!signal.aborted && (await deleteRemovedObjects(this.#db, bucket, this.#limits, signal)) === DELETED_BATCH);
    if (!(await claimSweep(this.#db))) return;
    // Another installation may have claimed the prefix since.
    this.#isOwn = false;
    await this.#checkOwn();
    const deleted = await sweepOrphans(this.#db, bucket, signal);
    if (deleted > 0) this.#log.info({ deleted }, 'removed objects from the bucket that no file has');
  }

  /** Throws unless the prefix belongs to this installation. */
  async #checkOwn(): Promise<void> {
    this.#isOwn ||= await claimPrefix(this.#get(), await installationOf(this.#db));
    if (this.#isOwn) return;
    throw new BucketError(
      "the prefix of FILES_URL belongs to another installation: use another prefix, or, if that one is gone, run 'formhost admin files claim'",
      'OTHER_INSTALLATION',
    );
  }

  async #warnOfMissing(): Promise<void> {
    const isMissing = await hasBucketFiles(this.#db).catch(() => false);
    if (isMissing) {
      this.#log.error('FILES_URL is not set, and the content of some files is in a bucket: they cannot be read');
    }
  }

  #get(): Bucket {
    if (this.#bucket) return this.#bucket;
    throw new BucketError('FILES_URL is not set, and the content of a file is in a bucket', 'NOT_SET');
  }
}

/** The part that stores new content. */
export type FileBucket = Pick<FilesBucket, 'put' | 'discard'>;
