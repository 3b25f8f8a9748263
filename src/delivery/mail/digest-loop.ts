import type { Knex } from 'knex';
import { mailDueWindow } from '../../db/deliveries/digests.ts';
import type { Log } from '../../lib/log.ts';
import type { Limits } from '../../limits.ts';
import { PollLoop } from '../poll-loop.ts';

type Parts = { db: Knex; limits: Limits; log: Log; signal: AbortSignal };

/** Makes the mails of windows that have ended, until the signal fires. Any number of processes can do it. */
export const runDigestLoop = (parts: Parts, wakeDispatcher: () => void): Promise<void> =>
  new PollLoop({
    ...parts,
    async poll() {
      const outcome = await mailDueWindow(parts.db);
      if (outcome === 'mailed') wakeDispatcher();
      return outcome === undefined ? 'nothing' : 'work';
    },
    pollMs: parts.limits.delivery.digestPollIntervalMs,
    failure: 'digests could not be made; trying again',
  }).run();
