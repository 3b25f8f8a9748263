import type { Limits } from '../../limits.ts';

/** The part of the budget that one body, or one answer, uses until it is disposed of. */
export type MemoryReservation = Disposable & {
  /** Whose it is. */
  readonly client: string | number;
  /** Counts further bytes as being in memory, whether they fit or not. */
  add(bytes: number): void;
  /** Whether this many more bytes fit into the budget. */
  fits(bytes: number): boolean;
};

type MemoryBudget<Client extends string | number> = {
  /** An empty reservation for a client. */
  reserve(client: Client): MemoryReservation;
};

/**
 * Bounds the memory of bodies, or of answers: one client may use half of the budget. The first of a client, or of the
 * process, always fits: its own limit bounds it. `largest`: bytes of the largest body or answer.
 */
export function createMemoryBudget<Client extends string | number>(
  largest: number,
  { requests }: Limits,
): MemoryBudget<Client> {
  const budget = Math.max(requests.memoryBudgetBytes, requests.largestInBudget * largest);
  const share = budget / 2;
  const bytesOf = new Map<Client, number>();
  let total = 0;

  function count(client: Client, bytes: number): void {
    const before = bytesOf.get(client) ?? 0;
    const after = before + bytes;
    if (after > 0) bytesOf.set(client, after);
    else bytesOf.delete(client);
    // Bytes of a client beyond its share do not reduce the others' part.
    total += Math.min(after, share) - Math.min(before, share);
  }

  return {
    reserve(client) {
      let own = 0;
      return {
        client,
        add(bytes) {
          own += bytes;
          count(client, bytes);
        },
        fits(bytes) {
          const ofClient = bytesOf.get(client) ?? 0;
          return (ofClient === own || ofClient + bytes <= share) && (total === own || total + bytes <= budget);
        },
        [Symbol.dispose]() {
          count(client, -own);
          own = 0;
        },
      };
    },
  };
}
