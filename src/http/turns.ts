import type { ServerResponse } from 'node:http';
import limitConcurrency, { type LimitFunction } from 'p-limit';

/** Settles when it is a request's turn, among those of the same key, or it has waited long enough; `response` is its answer. */
export type Turns = (key: string, response: ServerResponse) => Promise<void>;

/** Requests of one key that are worked on at a time: a flood of one leaves the rest to others, who would wait half as long again with 4. */
const AT_A_TIME = 2;
// With a database that hangs everybody would wait for longer than a client should.
const LONGEST_WAIT_MS = 400;
// One that takes longer waits for its client, and no longer keeps others from their turn.
const TURN_MS = 250;

/** Settles when a request is answered, or its turn is over. */
const isOver = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) return resolve();
    const timer = setTimeout(resolve, TURN_MS);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });

export function createTurns(): Turns {
  const limits = new Map<string, LimitFunction>();
  return (key, response) =>
    new Promise((begin) => {
      const limit = limits.get(key) ?? limitConcurrency(AT_A_TIME);
      limits.set(key, limit);
      const waited = setTimeout(begin, LONGEST_WAIT_MS);
      void limit(() => {
        clearTimeout(waited);
        begin();
        return isOver(response);
      }).then(() => {
        if (limit.activeCount + limit.pendingCount === 0) limits.delete(key);
      });
    });
}
