import { SIZES } from '../../sizes.ts';

/** Submissions that one statement reads, and the bytes of their data. */
export type DataBatch = { numbers: number[]; bytes: number };

/** A page of a list whose data is read in batches, and how many there are in all. */
export type BatchedPage = { total: number; batches: DataBatch[] };

/** Divides submissions of these sizes into batches, in their order. */
export function inBatches(rows: readonly { number: number; bytes: number }[]): DataBatch[] {
  const batches: DataBatch[] = [];
  for (const { number, bytes } of rows) {
    const last = batches.at(-1);
    if (last && last.bytes + bytes <= SIZES.internal.listBatchBytes) {
      last.numbers.push(number);
      last.bytes += bytes;
    } else batches.push({ numbers: [number], bytes });
  }
  return batches;
}
