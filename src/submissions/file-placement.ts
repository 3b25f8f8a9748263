import { checkStorage, type StorageLimits } from '../db/account/storage-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { bytesOf, type NewFile } from '../db/submissions/submission-file-queries.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';

/** Puts the content of files into the bucket before their rows are stored, so that no row is without its object. */
export class FilePlacement {
  readonly #bucket: FileBucket | undefined;
  readonly #db: Database;
  readonly #storageLimits: StorageLimits;
  readonly #limits: Limits['files'];
  readonly #queue: FairQueue<string>;
  #lastFailure: { at: number; error: unknown } | undefined;

  /** `bucket`: undefined where the content is stored with the rows. */
  constructor(
    bucket: FileBucket | undefined,
    { db, storageLimits, limits: { files } }: { db: Database; storageLimits: StorageLimits; limits: Limits },
  ) {
    this.#bucket = bucket;
    this.#db = db;
    this.#storageLimits = storageLimits;
    this.#limits = files;
    // They have no connection to the database meanwhile.
    this.#queue = new FairQueue({ slots: 8, maxWaiting: 500 });
  }

  /**
   * The files of a submission to a deployment, each with its object where there is a bucket. `refuseEarly` rejects where the
   * submission would not be accepted. Rejects with BusyError when there is too much to do, with StorageFull, and with what
   * `refuseEarly` rejects with.
   */
  async place(
    deploymentId: string,
    files: readonly NewFile[],
    refuseEarly: () => Promise<void>,
  ): Promise<readonly NewFile[]> {
    const bucket = this.#bucket;
    if (!bucket || bytesOf(files) === 0) return files;
    const since = performance.now();
    return this.#queue.run(deploymentId, this.#limits.putWaitTimeoutMs, async () => {
      // The bucket failed while this one waited: to try it again would take longer than a visitor should wait.
      if (this.#lastFailure && this.#lastFailure.at >= since) throw this.#lastFailure.error;
      await refuseEarly();
      await checkStorage(this.#db, { deploymentId }, bytesOf(files), this.#storageLimits);
      return this.#putAll(bucket, files);
    });
  }

  /** Removes the objects of files whose rows are not stored. */
  discard(files: readonly NewFile[]): void {
    this.#bucket?.discard(files.flatMap(({ object }) => object ?? []));
  }

  async #putAll(bucket: FileBucket, files: readonly NewFile[]): Promise<readonly NewFile[]> {
    const placed: NewFile[] = [];
    try {
      const signal = AbortSignal.timeout(this.#limits.putTimeoutMs);
      for (const file of files) {
        const object = file.content.length > 0 ? await bucket.put(file.content, signal) : undefined;
        placed.push({ ...file, object });
      }
      return placed;
    } catch (error) {
      this.#lastFailure = { at: performance.now(), error };
      this.discard(placed);
      throw error;
    }
  }
}
