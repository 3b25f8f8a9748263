import { checkStorage, StorageFull, type StorageLimits } from '../db/account/storage.ts';
import type { FileObject } from '../db/files/stored-files.ts';
import type { Database } from '../db/postgres/connect.ts';
import { bytesOf, type NewFile } from '../db/submissions/submission-files.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import { BusyError, createFairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';

/** What a submission with files needs before and after its content is in the bucket. */
type Work<Outcome> = {
  /** What is known already: when it is an outcome, nothing is put into the bucket. */
  refuse(): Promise<Outcome | undefined>;
  /** Stores the rows. */
  store(files: readonly NewFile[]): Promise<Outcome>;
  /** Whether an outcome means that the rows of the files have been stored. */
  isStored(outcome: Outcome): boolean;
};

/** Puts the content of files into the bucket before their rows are stored, so that no row is without its object. */
export class FilePlacement {
  readonly #bucket: FileBucket | undefined;
  readonly #db: Database;
  readonly #storageLimits: StorageLimits;
  readonly #limits: Limits['files'];
  readonly #queue: ReturnType<typeof createFairQueue<string>>;
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
    this.#queue = createFairQueue({ slots: files.maxConcurrentPuts, maxWaiting: files.maxWaitingPuts });
  }

  /**
   * Places the files of a submission and stores it. Rejects with BusyError when there is too much to do, and with
   * StorageFull when the files are too much for the owner's plan.
   */
  async run<Outcome>(deploymentId: string, files: readonly NewFile[], work: Work<Outcome>): Promise<Outcome> {
    const bucket = this.#bucket;
    if (!bucket || files.every(({ content }) => content.length === 0)) return work.store(files);
    const since = performance.now();
    // One of each deployment at a time: what `refuse` says is then still true.
    return this.#queue.run(deploymentId, this.#limits.putWaitTimeoutMs, async () => {
      // The bucket failed while this one waited: to try it again would take longer than a visitor should wait.
      if (this.#lastFailure && this.#lastFailure.at >= since) throw this.#lastFailure.error;
      const refusal = await work.refuse();
      if (refusal !== undefined) return refusal;
      await checkStorage(this.#db, { deploymentId }, bytesOf(files), this.#storageLimits);
      return this.#placeAndStore(bucket, files, work);
    });
  }

  async #placeAndStore<Outcome>(
    bucket: FileBucket,
    files: readonly NewFile[],
    { store, isStored }: Work<Outcome>,
  ): Promise<Outcome> {
    const objects: FileObject[] = [];
    const placed: NewFile[] = [];
    try {
      const signal = AbortSignal.timeout(this.#limits.putTimeoutMs);
      for (const file of files) {
        const object = file.content.length > 0 ? await bucket.put(file.content, signal) : undefined;
        if (object) objects.push(object);
        placed.push({ ...file, object });
      }
    } catch (error) {
      this.#lastFailure = { at: performance.now(), error };
      bucket.discard(objects);
      throw error;
    }
    try {
      const outcome = await store(placed);
      if (!isStored(outcome)) bucket.discard(objects);
      return outcome;
    } catch (error) {
      // After any other failure the rows may be there all the same: what nothing names is removed later.
      if (error instanceof BusyError || error instanceof StorageFull) bucket.discard(objects);
      throw error;
    }
  }
}
