import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns after the last byte in which a parser comes to its end: all that it waits for is in memory. */
const TURNS_TO_END = 100;

/**
 * Writes slices to a parser, in turns with other work, until the signal fires. Rejects when that has not fired soon after the last
 * one. `parts`: how many parts the slices have, since the parser drops one in each turn before it tells its error.
 */
export async function feedParser(
  parser: Writable,
  slices: Iterable<Buffer>,
  parts: number,
  signal: AbortSignal,
): Promise<void> {
  for (const slice of slices) {
    if (signal.aborted) return;
    parser.write(slice);
    await nextTurn();
  }
  parser.end();
  for (let turn = 0; turn < TURNS_TO_END + parts; turn += 1) {
    if (signal.aborted) return;
    await nextTurn();
  }
  throw new Error('The parser waits for more than it gets.');
}
