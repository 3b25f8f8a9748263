import { setTimeout as delay } from 'node:timers/promises';
import type { lastNumbers } from '../../../db/submissions/new-submissions.ts';
import type { Limits } from '../../../limits.ts';

/** Why a wait has ended: the last number, which is new; `deleted`: the deployment; `revoked`: the key, which may have expired instead, or
 * the session, which may have ended. */
export type WaitEnd = number | 'deleted' | 'revoked' | 'over';

/** Waits for new submissions. All that wait in a process share one query in each `watchIntervalMs`; none has a connection. */
export type SubmissionWatch = {
  /** How many requests wait. */
  size(): number;
  /** Settles when the deployment has a number above `after`, or is deleted, the key is revoked, or the signal fires ('over'). */
  wait(waiting: { deploymentId: string; after: number; credentialId: string; signal: AbortSignal }): Promise<WaitEnd>;
};

type Waiting = { deploymentId: string; after: number; credentialId: string; end(reason: WaitEnd): void };

/** `find`: see `lastNumbers`. While it fails, all go on waiting. */
export function createSubmissionWatch(
  find: (...of: [deploymentIds: string[], credentialIds: string[]]) => ReturnType<typeof lastNumbers>,
  { reads }: Limits,
): SubmissionWatch {
  const all = new Set<Waiting>();
  let isPolling = false;

  async function poll(): Promise<void> {
    const asked = [...all];
    const distinct = (values: string[]): string[] => [...new Set(values)];
    const found = await find(
      distinct(asked.map(({ deploymentId }) => deploymentId)),
      distinct(asked.map(({ credentialId }) => credentialId)),
    ).catch(() => undefined);
    if (!found) return;
    for (const { deploymentId, after, credentialId, end } of asked) {
      const last = found.numbers.get(deploymentId);
      if (!found.validCredentials.has(credentialId)) end('revoked');
      else if (last === undefined) end('deleted');
      else if (last > after) end(last);
    }
  }

  async function pollWhileAnyWaits(): Promise<void> {
    isPolling = true;
    while (all.size > 0) {
      await delay(reads.watchIntervalMs, undefined, { ref: false });
      await poll();
    }
    isPolling = false;
  }

  return {
    size: () => all.size,
    wait: ({ signal, ...of }) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve('over');
          return;
        }
        const onAbort = (): void => waiting.end('over');
        const waiting: Waiting = {
          ...of,
          end(reason) {
            all.delete(waiting);
            signal.removeEventListener('abort', onAbort);
            resolve(reason);
          },
        };
        signal.addEventListener('abort', onAbort);
        all.add(waiting);
        if (!isPolling) void pollWhileAnyWaits();
      }),
  };
}
