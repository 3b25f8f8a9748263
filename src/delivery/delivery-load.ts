import type { LeasedDelivery } from '../db/delivery-target.ts';
import type { Limits } from '../limits.ts';

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

export function createDeliveryLoad({ delivery: limits }: Limits): DeliveryLoad {
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
    count >= limits.heldDeliveries - all.count || chars >= limits.heldChars - all.chars;

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
    isFull: (others) => all.count + others >= limits.heldDeliveries || all.chars >= limits.heldChars,
    accepts(ownerId) {
      const own = owners.get(ownerId);
      return !(own && hasItsShare(own)) && (all.count === 0 || all.chars < limits.heldChars);
    },
    fullOwners: () => [...owners].flatMap(([ownerId, own]) => (hasItsShare(own) ? [ownerId] : [])),
  };
}
