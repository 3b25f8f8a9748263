import type { Pair } from '../db/deliveries/delivery-queue.ts';
import { MAIL } from '../db/deliveries/mail-recipient-queries.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import type { Limits } from '../limits.ts';

/** Receivers of which it is remembered that they answer. */
const KNOWN_RECEIVERS = 10_000;

/** A capacity that owners share. An owner may use as much as is left free: one alone gets half, two get a third each. */
class Capacity {
  readonly #total: number;
  readonly #usedBy = new Map<number, number>();
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  get used(): number {
    return this.#used;
  }

  get free(): number {
    return this.#total - this.#used;
  }

  usedBy(ownerId: number): number {
    return this.#usedBy.get(ownerId) ?? 0;
  }

  accepts(ownerId: number): boolean {
    return this.usedBy(ownerId) < this.free;
  }

  /** Adds to what an owner uses; a negative amount is given back. */
  add(ownerId: number, amount: number): void {
    const used = this.usedBy(ownerId) + amount;
    this.#used += amount;
    if (used > 0) this.#usedBy.set(ownerId, used);
    else this.#usedBy.delete(ownerId);
  }
}

/**
 * Limits how many attempts run at a time: in all, of each receiver, and of each owner. So a receiver that does not answer
 * delays no other, and neither does an owner.
 */
export class Slots {
  readonly #limits: Limits;
  /** Receivers that answered the last attempt. The others have a few slots each, and a third of all together. */
  readonly #answering;
  readonly #answeringPool: Capacity;
  readonly #otherPool: Capacity;
  /** Characters of the submissions of running attempts. */
  readonly #memory: Capacity;
  /** The running attempts of each receiver. */
  readonly #running = new Map<string, Capacity>();

  constructor(limits: Limits) {
    this.#limits = limits;
    const third = limits.delivery.concurrent / 3;
    this.#answering = createBoundedCache<string, true>(KNOWN_RECEIVERS);
    this.#answeringPool = new Capacity(2 * third);
    this.#otherPool = new Capacity(third);
    this.#memory = new Capacity(limits.delivery.heldChars);
  }

  /** How many characters the submissions of further attempts may have. */
  get freeChars(): number {
    return this.#memory.free;
  }

  /**
   * The attempts that may begin now, each as its pair, at most `max`. The pairs of a receiver take turns: the one with the
   * fewest running attempts comes first.
   */
  allot(pairs: readonly Pair[], max: number): Pair[] {
    const allotted: { pair: Pair; end: () => void }[] = [];
    let left = shuffled(pairs);
    for (let level = 0; left.length > 0 && allotted.length < max; level += 1) {
      left = left.filter((pair) => {
        if ((this.#running.get(pair.receiver)?.usedBy(pair.ownerId) ?? 0) > level) return true;
        if (allotted.length === max || !this.#accepts(pair)) return false;
        return allotted.push({ pair, end: this.begin(pair) }) > 0;
      });
    }
    for (const { end } of allotted) end();
    return allotted.map(({ pair }) => pair);
  }

  /** Counts an attempt from now on, with the characters of its submission. The function that it returns is called when it ends. */
  begin({ receiver, ownerId }: Pair, chars = 0): () => void {
    const [pool] = this.#poolOf(receiver);
    const running = this.#running.get(receiver) ?? new Capacity(Number.POSITIVE_INFINITY);
    this.#running.set(receiver, running);
    const count = (change: 1 | -1): void => {
      pool.add(ownerId, change);
      running.add(ownerId, change);
      this.#memory.add(ownerId, change * chars);
    };
    count(1);
    return () => {
      count(-1);
      if (running.used === 0) this.#running.delete(receiver);
    };
  }

  /** Remembers whether a receiver answered. */
  noteAnswer(receiver: string, isAnswered: boolean): void {
    if (isAnswered) this.#answering.set(receiver, true);
    else this.#answering.delete(receiver);
  }

  #accepts({ receiver, ownerId }: Pair): boolean {
    const [pool, max] = this.#poolOf(receiver);
    return (this.#running.get(receiver)?.used ?? 0) < max && pool.accepts(ownerId) && this.#memory.accepts(ownerId);
  }

  /** Where the attempts of a receiver count, and how many of them may run. */
  #poolOf(receiver: string): [pool: Capacity, max: number] {
    const { delivery, mail } = this.#limits;
    const max = receiver === MAIL ? mail.concurrent : delivery.concurrentOfReceiver;
    return this.#answering.get(receiver) === true
      ? [this.#answeringPool, max]
      : [this.#otherPool, Math.min(max, delivery.initialConcurrentOfReceiver)];
  }
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
