import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPacing } from '../../src/intake/pacing.ts';
import { testLimits } from '../support/limits.ts';

/** Lets these keys wait; who went on in each of so many turns of the event loop. */
async function turnsOf(keys: readonly string[], turns: number): Promise<string[][]> {
  const inTurn = createPacing(testLimits());
  let gone: string[] = [];
  for (const key of keys) void inTurn(key).then(() => gone.push(key));
  const all: string[][] = [];
  while (all.length < turns) {
    await nextTurn();
    all.push(gone);
    gone = [];
  }
  return all;
}
const times = (count: number, key: string): string[] => Array(count).fill(key);
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `key ${n}`);

it('lets four of a key go on in a turn of the event loop, and others of other keys', async () => {
  expect(await turnsOf([...times(10, 'a'), 'b'], 4)).toEqual([
    [...times(4, 'a'), 'b'],
    times(4, 'a'),
    times(2, 'a'),
    [],
  ]);
});

it('lets 32 of all go on in a turn, the keys in turn', async () => {
  const keys = names(12);
  const flood = keys.flatMap((key) => times(6, key));
  const [first, second, third, ...others] = await turnsOf(flood, 4);
  const four = (some: readonly string[]): string[] => some.flatMap((key) => times(4, key));
  // Whoever has had no turn comes before those that have.
  expect(first).toEqual(four(keys.slice(0, 8)));
  const rest = (some: readonly string[]): string[] => some.flatMap((key) => times(2, key));
  expect(second).toEqual([...four(keys.slice(8)), ...rest(keys.slice(0, 8))]);
  expect([third, ...others]).toEqual([rest(keys.slice(8)), []]);
});

it('lets a key whose turn was cut short by the others go on in the next', async () => {
  const keys = names(33);
  expect(await turnsOf(keys, 3)).toEqual([keys.slice(0, 32), keys.slice(32), []]);
});

it('lets one go on that comes when all have gone on', async () => {
  const inTurn = createPacing(testLimits());
  await inTurn('a');
  let isGone = false;
  const second = inTurn('a').then(() => {
    isGone = true;
  });
  await Promise.resolve();
  expect(isGone).toBe(false);
  await second;
});

it('asks for no further turn of the event loop when nobody waits', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  onTestFinished(() => void vi.useRealTimers());
  const inTurn = createPacing(testLimits());
  for (const key of times(6, 'a')) void inTurn(key);
  vi.advanceTimersToNextTimer();
  vi.advanceTimersToNextTimer();
  expect(vi.getTimerCount()).toBe(0);
});
