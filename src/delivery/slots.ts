import type { Pair } from '../db/deliveries/delivery-queue.ts';
import { MAIL } from '../db/deliveries/delivery-target.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import type { Limits } from '../limits.ts';

/** A capacity that owners share. An owner may use as much as is left free: one alone gets half, two get a third each. */
class Share {
  #free: number;
  readonly #usedBy = new Map<number, number>();

  constructor(capacity: number) {
    this.#free = capacity;
  }

  get free(): number {
    return this.#free;
  }

  accepts(ownerId: number): boolean {
    return (this.#usedBy.get(ownerId) ?? 0) < this.#free;
  }

  /** Adds to what an owner uses; a negative amount is given back. */
  add(ownerId: number, amount: number): void {
    const used = (this.#usedBy.get(ownerId) ?? 0) + amount;
    this.#free -= amount;
    if (used > 0) this.#usedBy.set(ownerId, used);
    else this.#usedBy.delete(ownerId);
  }
}

/** The right to attempt one delivery of an owner to a receiver. */
export type Slot = Pair & { pool: Share };

/**
 * Limits how many attempts run at a time: in all, of each receiver, and of each owner. So a receiver that does not answer
 * delays no other, and neither does an owner.
 */
export class Slots {
  readonly #limits: Limits;
  /** Receivers that answered the last attempt. The others have a few slots each, and a third of all together. */
  readonly #answering;
  readonly #answeringPool: Share;
  readonly #otherPool: Share;
  /** Characters of the submissions of running attempts. */
  readonly #memory: Share;
  /** The running attempts of each receiver, by owner. */
  readonly #running = new Map<string, Map<number, number>>();

  constructor(limits: Limits) {
    this.#limits = limits;
    const third = limits.delivery.concurrent / 3;
    this.#answering = createBoundedCache<string, true>(limits.delivery.knownReceivers);
    this.#answeringPool = new Share(2 * third);
    this.#otherPool = new Share(third);
    this.#memory = new Share(limits.delivery.heldChars);
  }

  /** How many characters the submissions of further attempts may have. */
  get freeChars(): number {
    return this.#memory.free;
  }

  /**
   * Takes slots for pairs that have deliveries due, at most `max`. The pairs of a receiver take turns: the one with the
   * fewest running attempts comes first.
   */
  take(pairs: readonly Pair[], max: number): Slot[] {
    const slots: Slot[] = [];
    let left = shuffled(pairs);
    for (let level = 0; left.length > 0 && slots.length < max; level += 1) {
      left = left.filter((pair) => {
        if (this.#runningOf(pair) > level) return true;
        const slot = slots.length < max ? this.#takeOne(pair) : undefined;
        if (slot) slots.push(slot);
        return slot !== undefined;
      });
    }
    return slots;
  }

  release({ receiver, ownerId, pool }: Slot): void {
    pool.add(ownerId, -1);
    const owners = this.#running.get(receiver);
    const running = (owners?.get(ownerId) ?? 0) - 1;
    if (running > 0) owners?.set(ownerId, running);
    else owners?.delete(ownerId);
    if (owners?.size === 0) this.#running.delete(receiver);
  }

  /** Adds to the characters of an owner's submissions that are in memory; a negative amount is given back. */
  addChars(ownerId: number, chars: number): void {
    this.#memory.add(ownerId, chars);
  }

  /** Remembers whether a receiver answered. */
  noteAnswer(receiver: string, isAnswered: boolean): void {
    if (isAnswered) this.#answering.set(receiver, true);
    else this.#answering.delete(receiver);
  }

  #takeOne({ receiver, ownerId }: Pair): Slot | undefined {
    const { delivery, mail } = this.#limits;
    const isAnswering = this.#answering.get(receiver) === true;
    const pool = isAnswering ? this.#answeringPool : this.#otherPool;
    const most = receiver === MAIL ? mail.concurrent : delivery.concurrentOfReceiver;
    const limit = isAnswering ? most : Math.min(most, delivery.initialConcurrentOfReceiver);
    const owners = this.#running.get(receiver) ?? new Map<number, number>();
    if (sum(owners.values()) >= limit || !pool.accepts(ownerId) || !this.#memory.accepts(ownerId)) return undefined;
    pool.add(ownerId, 1);
    this.#running.set(receiver, owners.set(ownerId, (owners.get(ownerId) ?? 0) + 1));
    return { receiver, ownerId, pool };
  }

  #runningOf({ receiver, ownerId }: Pair): number {
    return this.#running.get(receiver)?.get(ownerId) ?? 0;
  }
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
