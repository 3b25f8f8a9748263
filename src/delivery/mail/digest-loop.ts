import type { Knex } from 'knex';
import { claimDigest } from '../../db/deliveries/digests.ts';
import type { Log } from '../../lib/log.ts';
import type { Limits } from '../../limits.ts';
import { type Polled, PollLoop } from '../poll-loop.ts';

/** Makes the mails of windows that have ended, until the signal fires. Any number of processes can do it. */
export function runDigestLoop({
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
}): Promise<void> {
  async function poll(): Promise<Polled> {
    const claimed = await claimDigest(db);
    if (claimed === 'mailed') wake();
    return claimed === undefined ? 'nothing' : 'work';
  }

  const pollMs = limits.delivery.digestPollIntervalMs;
  const onError = (error: unknown): void => log.warn({ err: error }, 'digests could not be made; trying again');
  return new PollLoop({ poll, pollMs, limits, onError, signal }).run();
}
