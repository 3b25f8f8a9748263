import { describe, expect, it } from 'vitest';
import type { Pair } from '../../src/db/deliveries/delivery-queue.ts';
import { Slots } from '../../src/delivery/slots.ts';
import { testLimits } from '../support/test-limits.ts';

const { concurrent, concurrentOfReceiver, initialConcurrentOfReceiver: FEW } = testLimits().delivery;
const ALL = Number.POSITIVE_INFINITY;

const pair = (receiver: string, ownerId = 1): Pair => ({ receiver, ownerId });
const receivers = (count: number, ownerId = 1): Pair[] =>
  Array.from({ length: count }, (_, n) => pair(`r${ownerId}-${n}.test`, ownerId));

function answering(...names: string[]): Slots {
  const slots = new Slots(testLimits());
  for (const name of names) slots.noteAnswer(name, true);
  return slots;
}

/** Begins what is allotted. */
const begin = (slots: Slots, pairs: readonly Pair[], max = ALL) =>
  slots.allot(pairs, max).map((one) => slots.begin(one));

describe('Slots', () => {
  it('gives a receiver a few until it answers, then many, and a few again when it stops', () => {
    const slots = new Slots(testLimits());
    const count = () => slots.allot([pair('a.test')], ALL).length;
    expect(count()).toBe(FEW);
    slots.noteAnswer('a.test', true);
    expect(count()).toBe(concurrentOfReceiver);
    slots.noteAnswer('a.test', false);
    expect(count()).toBe(FEW);
  });

  it('gives no more than is asked for, and again what has ended', () => {
    const slots = answering('a.test');
    const first = begin(slots, [pair('a.test')], 3);
    expect(first.length).toBe(3);
    expect(begin(slots, [pair('a.test')]).length).toBe(concurrentOfReceiver - 3);
    expect(slots.allot([pair('a.test')], ALL)).toEqual([]);
    for (const end of first) end();
    expect(slots.allot([pair('a.test')], ALL).length).toBe(3);
  });

  it('lets the owners of a receiver take turns, the one with the fewest running first', () => {
    const slots = answering('a.test');
    const [end] = begin(slots, [pair('a.test', 1)]);
    end?.();
    expect(slots.allot([pair('a.test', 1), pair('a.test', 2)], ALL).map(({ ownerId }) => ownerId)).toEqual([2]);
    const others = slots.allot([pair('b.test', 1), pair('b.test', 2)], ALL);
    expect(others.map(({ ownerId }) => ownerId).toSorted()).toEqual([1, 2]);
  });

  it('leaves slots to receivers that answer, however many do not', () => {
    const slots = answering('live.test');
    for (const ownerId of [1, 2, 3, 4, 5, 6, 7, 8]) begin(slots, receivers(1_000, ownerId));
    expect(slots.allot([pair('live.test')], ALL).length).toBe(concurrentOfReceiver);
  });

  it('leaves slots to other owners: one alone gets half, and so on', () => {
    const slots = new Slots(testLimits());
    const third = concurrent / 3;
    expect(begin(slots, receivers(1_000, 1)).length).toBe(third / 2);
    expect(begin(slots, receivers(1_000, 2)).length).toBe(third / 4);
    expect(slots.allot([pair('new.test', 3)], ALL).length).toBe(FEW);
  });

  it('leaves memory to other owners', () => {
    const slots = new Slots(testLimits({ delivery: { heldChars: 100 } }));
    const end = slots.begin(pair('large.test', 1), 50);
    expect(slots.allot([pair('a.test', 1)], ALL)).toEqual([]);
    expect(slots.allot([pair('a.test', 2)], ALL).length).toBe(FEW);
    expect(slots.freeChars).toBe(50);
    end();
    expect(slots.allot([pair('b.test', 1)], ALL).length).toBe(FEW);
  });
});
