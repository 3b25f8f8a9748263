import type { DeploymentChange } from './db/deployments/change-feed.ts';
import { trashExpired } from './db/deployments/expiry-queries.ts';
import type { Database } from './db/postgres/connect.ts';
import type { Log } from './lib/log.ts';
import { PollLoop } from './lib/poll-loop.ts';

/** Short enough for a form to be offline within a second: other processes learn of it by the change feed. */
const INTERVAL_MS = 400;

type ExpiryParts = {
  db: Database;
  log: Log;
  signal: AbortSignal;
  onChange(change: DeploymentChange): Promise<void>;
  /** Erases pages that nobody has claimed, soon. */
  onPurge(): void;
};

/** Puts pages into the trash when their time is over, until the signal fires. */
export function runExpiry({ db, log, signal, onChange, onPurge }: ExpiryParts): Promise<void> {
  async function poll(): Promise<number> {
    const expired = await trashExpired(db);
    for (const { deploymentId, slug } of expired) await onChange({ deploymentId, slug });
    if (expired.some(({ isAnonymous }) => isAnonymous)) onPurge();
    return expired.length > 0 ? 0 : INTERVAL_MS;
  }
  const failure = 'pages whose time is over could not be put into the trash; trying again';
  return new PollLoop({ poll, retryMs: INTERVAL_MS, failure, log, signal }).run();
}
