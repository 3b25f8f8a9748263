import type { Knex } from 'knex';
import { mailDueWindow } from '../../db/deliveries/digest-queries.ts';
import type { Log } from '../../lib/log.ts';
import { PollLoop } from '../../lib/poll-loop.ts';
import type { Limits } from '../../limits.ts';

type DigestLoopParts = { db: Knex; limits: Limits; log: Log; signal: AbortSignal };

/** Makes the mails of windows that have ended, until the signal fires. Any number of processes can do it. */
export function runDigestLoop({ db, limits, log, signal }: DigestLoopParts, wakeDispatcher: () => void): Promise<void> {
  const retryMs = limits.delivery.digestPollIntervalMs;
  async function poll(): Promise<number> {
    const outcome = await mailDueWindow(db);
    if (outcome === 'mailed') wakeDispatcher();
    return outcome === undefined ? retryMs : 0;
  }
  return new PollLoop({ poll, retryMs, failure: 'digests could not be made; trying again', log, signal }).run();
}
