import type { BatchedPage, DataBatch } from '../../../db/submissions/data-batches.ts';
import { JsonPieces } from '../../operation/declaration.ts';

/**
 * Returns a list of submissions that is read, and written, batch after batch. `read`: the JSON texts of a batch, without those
 * that have gone since.
 */
export function batchedList(
  { total, batches }: BatchedPage,
  { page, limit }: { page: number; limit: number },
  read: (batch: DataBatch) => Promise<string[]>,
): JsonPieces {
  async function* pieces(): AsyncGenerator<string> {
    let separator = '';
    yield '{"submissions":[';
    for (const batch of batches) {
      for (const submission of await read(batch)) {
        yield separator + submission;
        separator = ',';
      }
    }
    yield `],"total":${total},"page":${page},"limit":${limit}}`;
  }
  const inMemory = Math.max(0, ...batches.map(({ bytes }) => bytes));
  return new JsonPieces(inMemory, pieces());
}
