import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Submission } from '../../../../db/submissions/submission-queries.ts';

/** Submissions that an export writes before other work has its turn: less than a millisecond where they are small. */
const EXPORT_PART_ROWS = 20;

/** A few submissions at a time, after which other work has its turn. */
export async function* inParts(batches: AsyncIterable<readonly Submission[]>): AsyncGenerator<readonly Submission[]> {
  for await (const batch of batches) {
    // An empty batch, too, shows that there is progress.
    for (let from = 0; from === 0 || from < batch.length; from += EXPORT_PART_ROWS) {
      yield batch.slice(from, from + EXPORT_PART_ROWS);
      await nextTurn();
    }
  }
}
