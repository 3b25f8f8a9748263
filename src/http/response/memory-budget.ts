import type { ReadPiece } from '../../db/files/file-content-queries.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';

/** Whose memory it is: a network, an owner, or a deployment. */
type Client = string | number;

/**
 * Bounds the memory of bodies, or of answers: a client may use as much as it leaves free, so one alone has half of the budget, and
 * there is something left for others, however many use it. The first of a client may be as large as what is free, and the first of
 * the process always fits: its own limit bounds it.
 */
export class MemoryBudget {
  readonly #budget: number;
  readonly #maxOfClient: number;
  readonly #bytesOf = new Map<Client, number>();
  readonly #maxArriving: number;
  readonly #arriving = new Map<Client, number>();
  #total = 0;

  /** `largest`: bytes of the largest body or answer. */
  constructor(largest: number, { requests }: Limits) {
    // It is larger where fewer than four of the largest would fit.
    this.#budget = Math.max(requests.memoryBudgetBytes, 4 * largest);
    this.#maxOfClient = this.#budget / 2;
    this.#maxArriving = requests.arrivingBytesOfClient;
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

  /** Returns whether a client that has `own` bytes in a reservation may have more. */
  fits(client: Client, own: number, bytes: number): boolean {
    const ofClient = this.#bytesOf.get(client) ?? 0;
    const free = this.#budget - this.#total - bytes;
    if (this.#total === own) return true;
    return ofClient === own ? free >= 0 : ofClient + bytes <= Math.min(this.#maxOfClient, free);
  }

  /** Counts bytes of a small body that is not complete; false when its client has too many. Nobody else's count. */
  countArriving(client: Client, bytes: number): boolean {
    const after = (this.#arriving.get(client) ?? 0) + bytes;
    if (after > 0) this.#arriving.set(client, after);
    else this.#arriving.delete(client);
    return after <= this.#maxArriving;
  }

  /** Returns whether so many bytes are free. The first reservation of the process always fits. */
  hasRoomFor(bytes: number): boolean {
    return this.#total === 0 || this.#total + Math.max(bytes, 1) <= this.#budget;
  }
}

/** The part of a budget that one body, or one answer, uses until it is disposed of. */
export class MemoryReservation implements Disposable {
  readonly client: Client;
  readonly #budget: MemoryBudget;
  #own = 0;
  #arriving = 0;
  #isDisposed = false;

  constructor(budget: MemoryBudget, client: Client) {
    this.#budget = budget;
    this.client = client;
  }

  /** Counts further bytes as being in memory, whether they fit or not; none once it is disposed of. */
  add(bytes: number): void {
    if (this.#isDisposed) return;
    this.#own += bytes;
    this.#budget.count(this.client, bytes);
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Counts so many bytes in place of those before, whether they fit or not. */
  set(bytes: number): void {
    this.add(bytes - this.#own);
  }

  /** Sets how many bytes of a small body have arrived, until it is complete; false when its client has too many of such bytes. */
  setArriving(bytes: number): boolean {
    const change = bytes - this.#arriving;
    this.#arriving = bytes;
    return change === 0 || this.#budget.countArriving(this.client, change);
  }

  /** Returns whether this many more bytes fit into the budget. */
  fits(bytes: number): boolean {
    return this.#budget.fits(this.client, this.#own, bytes);
  }

  [Symbol.dispose](): void {
    this.#budget.count(this.client, -this.#own);
    this.#own = 0;
    this.#isDisposed = true;
  }
}

/**
 * Reads the pieces of a file, each of which is counted in place of the one before; none once the reservation is disposed of. They are
 * small where there is no room for large ones.
 */
export const counted =
  (read: ReadPiece, memory: MemoryReservation): ReadPiece =>
  async (from) => {
    // The reader has left while it waited for its turn.
    if (memory.isDisposed) return undefined;
    const { maxPieceBytes, chunkBytes } = SIZES.file;
    const piece = await read(from, memory.fits(maxPieceBytes) ? maxPieceBytes : chunkBytes);
    memory.set(piece?.length ?? 0);
    return piece;
  };
