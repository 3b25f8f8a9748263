import { FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';

/** What is found by some credentials, by their hashes in base64. */
type FindAll<Found> = (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Found>>;

type Waiting<Found> = { hash: Buffer; resolve(found: Found | undefined): void; reject(error: unknown): void };

/**
 * Looks up keys, or sessions, that are not known to be valid. Those of one network that are asked for at the same time share
 * a query, so that a valid one does not wait behind many unknown ones. Networks take turns.
 */
export class CredentialLookUps<Found> {
  readonly #findAll: FindAll<Found>;
  readonly #timeoutMs: number;
  readonly #queue = new FairQueue<string>(SIZES.internalCredentials);
  readonly #waiting = new Map<string, Waiting<Found>[]>();

  constructor(findAll: FindAll<Found>, { owners }: Limits) {
    this.#findAll = findAll;
    this.#timeoutMs = owners.requestWaitTimeoutMs;
  }

  /** `network`: what shares a query. Rejects with BusyError when the look-up can't start in time. */
  find(network: string, hash: Buffer): Promise<Found | undefined> {
    return new Promise((resolve, reject) => {
      const asked = { hash, resolve, reject };
      const waiting = this.#waiting.get(network);
      if (waiting) waiting.push(asked);
      else {
        this.#waiting.set(network, [asked]);
        this.#schedule(network);
      }
    });
  }

  #schedule(network: string): void {
    this.#queue
      .run(network, this.#timeoutMs, () => this.#findBatch(network))
      .catch((error: unknown) => {
        for (const { reject } of this.#take(network, Infinity)) reject(error);
      });
  }

  /** Removes up to `max` of those that wait. */
  #take(network: string, max: number): Waiting<Found>[] {
    const waiting = this.#waiting.get(network) ?? [];
    const batch = waiting.splice(0, max);
    if (waiting.length === 0) this.#waiting.delete(network);
    return batch;
  }

  async #findBatch(network: string): Promise<void> {
    const batch = this.#take(network, SIZES.internalCredentials.maxBatch);
    // The rest of the network waits for its next turn, as those do that come during this query.
    if (this.#waiting.has(network)) this.#schedule(network);
    try {
      const found = await this.#findAll(batch.map(({ hash }) => hash));
      for (const { hash, resolve } of batch) resolve(found.get(hash.toString('base64')));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
