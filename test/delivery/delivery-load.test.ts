import { describe, expect, it } from 'vitest';
import type { LeasedDelivery } from '../../src/db/delivery-target.ts';
import { createDeliveryLoad } from '../../src/delivery/delivery-load.ts';
import { testLimits } from '../support/limits.ts';

const { heldDeliveries: MAX_DELIVERIES, heldChars: MAX_CHARS } = testLimits().delivery;

const delivery = (ownerId: number, chars = 0): LeasedDelivery => ({
  id: 'dl_1',
  attempts: 1,
  receiver: 'receiver.test:443',
  ownerId,
  deploymentId: 'd_1',
  slug: 'a-form',
  submissionId: undefined,
  target: { kind: 'mail', to: 'owner@test.example', recipientId: undefined },
  data: 'x'.repeat(chars),
  createdAt: new Date(),
});

/** Adds deliveries of these owners, one after the other, until none of them may have more; how many each has. */
function fill(owners: readonly number[], chars = 0) {
  const load = createDeliveryLoad(testLimits());
  const counts = owners.map(() => 0);
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const [at, ownerId] of owners.entries()) {
      if (!load.accepts(ownerId)) continue;
      load.add(delivery(ownerId, chars));
      counts[at] = (counts[at] ?? 0) + 1;
      isMore = true;
    }
  }
  return { load, counts };
}

describe('createDeliveryLoad', () => {
  it('gives one owner half of the capacity, and others a part of what is left', () => {
    const { load, counts } = fill([1]);
    expect(counts).toEqual([MAX_DELIVERIES / 2]);
    expect([load.fullOwners(), load.accepts(2), load.isFull(0)]).toEqual([[1], true, false]);
  });

  it('gives two owners a third each', () => {
    const { load, counts } = fill([1, 2]);
    expect(counts).toEqual([1_366, 1_365]);
    expect(load.fullOwners()).toEqual([1, 2]);
  });

  it('counts characters like deliveries', () => {
    const { counts } = fill([1], MAX_CHARS / 8);
    expect(counts).toEqual([4]);
  });

  it('accepts one that is larger than the whole capacity, if there is no other', () => {
    const load = createDeliveryLoad(testLimits());
    expect(load.accepts(1)).toBe(true);
    load.add(delivery(1, MAX_CHARS + 1));
    expect([load.accepts(1), load.accepts(2), load.isFull(0)]).toEqual([false, false, true]);
  });

  it('is full with as many deliveries, including others', () => {
    const load = createDeliveryLoad(testLimits());
    load.add(delivery(1));
    expect([load.isFull(MAX_DELIVERIES - 2), load.isFull(MAX_DELIVERIES - 1)]).toEqual([false, true]);
  });

  it('has what was removed to give again', () => {
    const { load, counts } = fill([1]);
    for (let count = 0; count < (counts[0] ?? 0); count += 1) load.remove(delivery(1));
    expect([load.accepts(1), load.fullOwners(), load.isFull(MAX_DELIVERIES - 1)]).toEqual([true, [], false]);
  });
});
