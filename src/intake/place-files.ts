import type { FileObject, NewObject } from '../db/stored-files.ts';
import type { NewFile } from '../db/submission-files.ts';
import { BusyError, createFairQueue } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';

/** The bucket that has the content of files. */
export type FileBucket = {
  /** Rejects when it could not be stored, or the signal fires. */
  put(content: Buffer, signal: AbortSignal): Promise<NewObject>;
  /** Deletes objects that nothing names. Does not wait for it, and never throws. */
  discard(objects: readonly FileObject[]): void;
};

/** What a submission with files needs before and after its content is in the bucket. */
type Work<Outcome> = {
  /** What is known already: when it is an outcome, nothing is put into the bucket. */
  refuse?(): Promise<Outcome | undefined>;
  /** Stores the rows. */
  store(files: readonly NewFile[]): Promise<Outcome>;
  /** Whether an outcome means that the rows of the files have been stored. */
  isStored(outcome: Outcome): boolean;
};

/**
 * Puts the content of a submission's files into the bucket and then stores the submission, so that no row is without its
 * object. Rejects with BusyError when there is too much to do.
 */
export type PlaceFiles = <Outcome>(
  deploymentId: string,
  files: readonly NewFile[],
  work: Work<Outcome>,
) => Promise<Outcome>;

/** Without a bucket, the content is stored with the rows. */
const storeInDatabase: PlaceFiles = (_deploymentId, files, { store }) => store(files);

export function createPlaceFiles(bucket: FileBucket | undefined, limits: Limits): PlaceFiles {
  if (!bucket) return storeInDatabase;
  const { put, discard } = bucket;
  const queue = createFairQueue<string>({
    slots: limits.files.maxConcurrentPuts,
    maxWaiting: limits.files.maxWaitingPuts,
  });
  let lastFailure: { at: number; error: unknown } | undefined;

  async function putAll(files: readonly NewFile[], onPut: (object: FileObject) => void): Promise<NewFile[]> {
    const signal = AbortSignal.timeout(limits.files.putTimeoutMs);
    const placed: NewFile[] = [];
    for (const file of files) {
      const object = file.content.length > 0 ? await put(file.content, signal) : undefined;
      if (object) onPut(object);
      placed.push({ ...file, object });
    }
    return placed;
  }

  return (deploymentId, files, { refuse, store, isStored }) => {
    if (files.every(({ content }) => content.length === 0)) return store(files);
    const since = performance.now();
    // One of each deployment at a time: what `refuse` says is then still true.
    return queue.run(deploymentId, limits.files.putWaitTimeoutMs, async () => {
      // The bucket failed while this one waited: to try it again would take longer than a visitor should wait.
      if (lastFailure && lastFailure.at >= since) throw lastFailure.error;
      const refusal = await refuse?.();
      if (refusal !== undefined) return refusal;
      const objects: FileObject[] = [];
      let placed: readonly NewFile[];
      try {
        placed = await putAll(files, (object) => objects.push(object));
      } catch (error) {
        lastFailure = { at: performance.now(), error };
        discard(objects);
        throw error;
      }
      try {
        const outcome = await store(placed);
        if (!isStored(outcome)) discard(objects);
        return outcome;
      } catch (error) {
        // After any other failure the rows may be there all the same: what nothing names is removed later.
        if (error instanceof BusyError) discard(objects);
        throw error;
      }
    });
  };
}
