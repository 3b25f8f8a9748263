import type { Knex } from 'knex';
import { claimDigest } from '../db/digests.ts';
import type { Log } from '../log.ts';
import { createPollLoop } from './poll-loop.ts';

/** A digest comes at most this long after its window has ended, and is sent then. */
const POLL_MS = 1_000;

/** Makes the mails of windows that have ended, until the signal fires. Any number of processes can do it. */
export function createDigestLoop({
  db,
  wake,
  log,
  signal,
}: {
  db: Knex;
  /** Called when mails are due. */
  wake(): void;
  log: Log;
  signal: AbortSignal;
}): { run(): Promise<void> } {
  async function poll(): Promise<number> {
    const claimed = await claimDigest(db);
    if (claimed === 'mailed') wake();
    return claimed === undefined ? Number.POSITIVE_INFINITY : 0;
  }

  return createPollLoop({
    poll,
    pollMs: POLL_MS,
    onError: (error) => log.warn({ err: error }, 'digests could not be made; trying again'),
    signal,
  });
}
