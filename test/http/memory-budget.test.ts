import { expect, it } from 'vitest';
import { counted, MemoryBudget } from '../../src/http/response/memory-budget.ts';
import { SIZES } from '../../src/sizes.ts';
import { testLimits } from '../support/test-limits.ts';

const BUDGET = 1_000;
const limits = testLimits({ requests: { memoryBudgetBytes: BUDGET } });

/** A reservation for a client, with so many bytes. */
function reserve(budget: MemoryBudget, client: string, bytes = 0) {
  const reservation = budget.reserve(client);
  if (bytes > 0) reservation.add(bytes);
  return reservation;
}

it('is one for all, and half of it for one client', () => {
  const budget = new MemoryBudget(1, limits);
  const own = [reserve(budget, 'a', BUDGET / 2 - 2), reserve(budget, 'a', 1)];
  expect(own.map((one) => [one.fits(1), one.fits(2)])).toEqual([
    [true, false],
    [true, false],
  ]);
  reserve(budget, 'b', BUDGET / 4);
  const other = reserve(budget, 'c');
  expect([other.fits(BUDGET / 4 + 1), other.fits(BUDGET / 4 + 2)]).toEqual([true, false]);
});

it('is free again once a reservation is disposed of, no more of it when that is said twice', () => {
  const budget = new MemoryBudget(1, limits);
  const [first, second] = [reserve(budget, 'a', BUDGET / 4), reserve(budget, 'a', BUDGET / 4)];
  expect(second.fits(1)).toBe(false);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const third = reserve(budget, 'a');
  expect([third.fits(BUDGET / 4), third.fits(BUDGET / 4 + 1)]).toEqual([true, false]);
  second[Symbol.dispose]();
  expect(third.fits(2 * BUDGET)).toBe(true);
});

it('lets one that is alone have as much as it asks for, of which only half counts for others', () => {
  const budget = new MemoryBudget(1, limits);
  const huge = reserve(budget, 'a');
  expect(huge.fits(2 * BUDGET)).toBe(true);
  huge.add(2 * BUDGET);
  expect([reserve(budget, 'a').fits(1), reserve(budget, 'b').fits(BUDGET / 2)]).toEqual([false, true]);
});

it('leaves something for others, however many use it', () => {
  const budget = new MemoryBudget(1, limits);
  const used = Array.from({ length: 5 }, (_, number) => {
    const reservation = reserve(budget, `${number}`, 1);
    while (reserve(budget, `${number}`).fits(1)) reserve(budget, `${number}`, 1);
    return reservation;
  });
  expect(used.map((reservation) => reservation.fits(1))).toEqual([false, false, false, false, false]);
  // A client that has nothing may use all that is free.
  const other = reserve(budget, 'other');
  expect([other.fits(32), other.fits(33)]).toEqual([true, false]);
  expect([budget.hasRoomFor(0), budget.hasRoomFor(32), budget.hasRoomFor(33)]).toEqual([true, true, false]);
});

it('counts nothing for what has ended', () => {
  const budget = new MemoryBudget(1, limits);
  const ended = reserve(budget, 'a', 1);
  ended[Symbol.dispose]();
  ended.add(BUDGET);
  ended.set(BUDGET);
  expect(reserve(budget, 'b', 1).fits(BUDGET / 2 - 1)).toBe(true);
});

it('counts the piece of a file that was read last, and has smaller ones read where there is little room', async () => {
  const { chunkBytes, maxPieceBytes } = SIZES.file;
  const large = new MemoryBudget(1, testLimits({ requests: { memoryBudgetBytes: 2 * maxPieceBytes } }));
  reserve(large, 'b', 1);
  const read = counted(async (_from, maxBytes = 0) => Buffer.alloc(maxBytes), large.reserve('a'));
  const sizes = [(await read(0))?.length, (await read(1))?.length];
  expect(sizes).toEqual([maxPieceBytes, chunkBytes]);
  // The second is in memory in place of the first.
  const other = large.reserve('a');
  expect([other.fits(maxPieceBytes - chunkBytes - 1), other.fits(maxPieceBytes - chunkBytes)]).toEqual([true, false]);
});

it('reads no further piece once its reader has left', async () => {
  const reservation = new MemoryBudget(1, limits).reserve('a');
  const reads: number[] = [];
  const read = counted(async (from) => {
    reads.push(from);
    return Buffer.alloc(1);
  }, reservation);
  await read(0);
  reservation[Symbol.dispose]();
  expect([await read(1), reads]).toEqual([undefined, [0]]);
});

it('has room for four of the largest', () => {
  const budget = new MemoryBudget(BUDGET, limits);
  for (const client of ['a', 'b', 'c', 'd']) expect(reserve(budget, client, BUDGET).fits(0)).toBe(true);
  expect(reserve(budget, 'e').fits(1)).toBe(false);
});
