import type { Knex } from 'knex';
import { claimDigest } from '../db/digests.ts';
import type { Limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { createPollLoop } from './poll-loop.ts';

/** Makes the mails of windows that have ended, until the signal fires. Any number of processes can do it. */
export function createDigestLoop({
  db,
  limits,
  wake,
  log,
  signal,
}: {
  db: Knex;
  limits: Limits;
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
    pollMs: limits.delivery.digestPollIntervalMs,
    limits,
    onError: (error) => log.warn({ err: error }, 'digests could not be made; trying again'),
    signal,
  });
}
