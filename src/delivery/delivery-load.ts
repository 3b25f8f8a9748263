import type { LeasedDelivery } from '../db/delivery-target.ts';

/** Counts the deliveries in a process, and the characters of their submissions: of each owner, and of all. */
type DeliveryLoad = {
  add(delivery: LeasedDelivery): void;
  remove(delivery: LeasedDelivery): void;
  /** Whether there is no capacity for more; `others` counts towards the number of deliveries. */
  isFull(others: number): boolean;
  /** Whether another delivery of this owner may be added. One is always allowed, however large. */
  accepts(ownerId: number): boolean;
  /** Owners of whom no more may be added. */
  fullOwners(): number[];
};

type Load = { count: number; chars: number };

export const MAX_DELIVERIES = 4_096;
export const MAX_CHARS = 64 * 1024 * 1024;

export function createDeliveryLoad(): DeliveryLoad {
  const all: Load = { count: 0, chars: 0 };
  /** Of each owner with any. */
  const owners = new Map<number, Load>();

  function change(load: Load, { data = '' }: LeasedDelivery, sign: 1 | -1): void {
    load.count += sign;
    load.chars += sign * data.length;
  }

  /**
   * Whether an owner uses as much as is left free. So one owner alone gets half of the capacity, two owners a
   * third each, and so on.
   */
  const hasItsShare = ({ count, chars }: Load): boolean =>
    count >= MAX_DELIVERIES - all.count || chars >= MAX_CHARS - all.chars;

  return {
    add(delivery) {
      const own = owners.get(delivery.ownerId) ?? { count: 0, chars: 0 };
      owners.set(delivery.ownerId, own);
      change(own, delivery, 1);
      change(all, delivery, 1);
    },
    remove(delivery) {
      const own = owners.get(delivery.ownerId);
      if (own) change(own, delivery, -1);
      if (own?.count === 0) owners.delete(delivery.ownerId);
      change(all, delivery, -1);
    },
    isFull: (others) => all.count + others >= MAX_DELIVERIES || all.chars >= MAX_CHARS,
    accepts(ownerId) {
      const own = owners.get(ownerId);
      return !(own && hasItsShare(own)) && (all.count === 0 || all.chars < MAX_CHARS);
    },
    fullOwners: () => [...owners].flatMap(([ownerId, own]) => (hasItsShare(own) ? [ownerId] : [])),
  };
}
