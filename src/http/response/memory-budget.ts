import type { Limits } from '../../limits.ts';

/** Whose memory it is: a network, an owner, or a deployment. */
type Client = string | number;

/**
 * Bounds the memory of bodies, or of answers: one client may use half of the budget. The first of a client, or of the
 * process, always fits: its own limit bounds it.
 */
export class MemoryBudget {
  readonly #budget: number;
  readonly #maxOfClient: number;
  readonly #bytesOf = new Map<Client, number>();
  #total = 0;

  /** `largest`: bytes of the largest body or answer. */
  constructor(largest: number, { requests }: Limits) {
    // It is larger where fewer than four of the largest would fit.
    this.#budget = Math.max(requests.memoryBudgetBytes, 4 * largest);
    this.#maxOfClient = this.#budget / 2;
  }

  /** An empty reservation for a client. */
  reserve(client: Client): MemoryReservation {
    return new MemoryReservation(this, client);
  }

  count(client: Client, bytes: number): void {
    const before = this.#bytesOf.get(client) ?? 0;
    const after = before + bytes;
    if (after > 0) this.#bytesOf.set(client, after);
    else this.#bytesOf.delete(client);
    // Bytes of a client beyond its maximum do not reduce the others' part.
    this.#total += Math.min(after, this.#maxOfClient) - Math.min(before, this.#maxOfClient);
  }

  /** Whether a client that has `own` bytes in a reservation may have more. */
  fits(client: Client, own: number, bytes: number): boolean {
    const ofClient = this.#bytesOf.get(client) ?? 0;
    return (
      (ofClient === own || ofClient + bytes <= this.#maxOfClient) &&
      (this.#total === own || this.#total + bytes <= this.#budget)
    );
  }
}

/** The part of a budget that one body, or one answer, uses until it is disposed of. */
export class MemoryReservation implements Disposable {
  readonly client: Client;
  readonly #budget: MemoryBudget;
  #own = 0;

  constructor(budget: MemoryBudget, client: Client) {
    this.#budget = budget;
    this.client = client;
  }

  /** Counts further bytes as being in memory, whether they fit or not. */
  add(bytes: number): void {
    this.#own += bytes;
    this.#budget.count(this.client, bytes);
  }

  /** Whether this many more bytes fit into the budget. */
  fits(bytes: number): boolean {
    return this.#budget.fits(this.client, this.#own, bytes);
  }

  [Symbol.dispose](): void {
    this.#budget.count(this.client, -this.#own);
    this.#own = 0;
  }
}
