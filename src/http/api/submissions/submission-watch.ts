import { setTimeout as delay } from 'node:timers/promises';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { lastNumbers } from '../../../db/submissions/new-submission-queries.ts';
import type { Limits } from '../../../limits.ts';
import { keyRefused } from '../../request/auth.ts';
import { type HttpError, noSuchDeployment } from '../../response/errors.ts';

/**
 * Why a wait has ended: the last number, which is new; `deleted`: the deployment; `revoked`: the key, which may have expired
 * instead, or the session, which may have ended; `over`: the signal has fired.
 */
export type WaitEnd = number | 'deleted' | 'revoked' | 'over';

/** A wait for a number above `after`. `credentialIds`: of the key or the session, and of the guest whom it is of. */
export type Watched = { deploymentId: string; after: number; credentialIds: readonly string[] };

/** Returns the ids of all that has to be valid while an answer goes on. */
export const credentialsOf = ({ credentialId, guest }: Pick<Owner, 'credentialId' | 'guest'>): readonly string[] => [
  credentialId,
  ...(guest ? [guest.id] : []),
];

/** Returns the refusal of somebody whose access has ended meanwhile. */
export const accessEnded = ({ guest }: Pick<Owner, 'guest'>): HttpError => (guest ? noSuchDeployment() : keyRefused());

type Waiting = Watched & { end(reason: WaitEnd): void };

type Find = (...of: [deploymentIds: string[], credentialIds: string[]]) => ReturnType<typeof lastNumbers>;

/** Waits for new submissions. All that wait in a process share one query in each `watchIntervalMs`; none has a connection. */
export class SubmissionWatch {
  readonly #find: Find;
  readonly #intervalMs: number;
  readonly #waiting = new Set<Waiting>();
  #isPolling = false;

  /** `find`: see `lastNumbers`. While it fails, all go on waiting. */
  constructor(find: Find, { reads }: Limits) {
    this.#find = find;
    this.#intervalMs = reads.watchIntervalMs;
  }

  /** The number of requests that wait. */
  size(): number {
    return this.#waiting.size;
  }

  async wait({ signal, ...watched }: Watched & { signal: AbortSignal }): Promise<WaitEnd> {
    if (signal.aborted) return 'over';
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const waiting = { ...watched, end: resolve };
    const onAbort = (): void => resolve('over');
    signal.addEventListener('abort', onAbort);
    this.#waiting.add(waiting);
    if (!this.#isPolling) void this.#poll();
    try {
      return await promise;
    } finally {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await delay(this.#intervalMs, undefined, { ref: false });
      await this.#look([...this.#waiting]);
    }
    this.#isPolling = false;
  }

  async #look(waiting: readonly Waiting[]): Promise<void> {
    const deploymentIds = new Set(waiting.map(({ deploymentId }) => deploymentId));
    const credentialIds = new Set(waiting.flatMap((one) => one.credentialIds));
    const found = await this.#find([...deploymentIds], [...credentialIds]).catch(() => undefined);
    if (!found) return;
    for (const { deploymentId, after, credentialIds: ids, end } of waiting) {
      const last = found.numbers.get(deploymentId);
      if (!ids.every((id) => found.validCredentials.has(id))) end('revoked');
      else if (last === undefined) end('deleted');
      else if (last > after) end(last);
    }
  }
}
