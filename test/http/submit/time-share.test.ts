import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createTimeShare } from '../../../src/http/submit/time-share.ts';

afterEach(() => void vi.useRealTimers());

it('does one holder’s work in order, each after a pause of four times the work before, and holds up no other', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pauses: { ms: number; end(): void }[] = [];
  const timeShare = createTimeShare(
    (ms) => new Promise((resolve) => void pauses.push({ ms: Math.round(ms), end: resolve })),
  );
  const done: string[] = [];
  const all = Promise.all(
    [10, 20, 30].map((ms) =>
      timeShare('flooder', () => {
        vi.advanceTimersByTime(ms);
        done.push(`${ms} ms`);
      }),
    ),
  );
  await timeShare('other', () => done.push('other'));
  await nextTurn();
  expect(done.toSorted()).toEqual(['10 ms', 'other']);
  expect(pauses.map(({ ms }) => ms).toSorted()).toEqual([0, 40]);
  pauses.find(({ ms }) => ms === 40)?.end();
  await nextTurn();
  expect(done.at(-1)).toBe('20 ms');
  expect(pauses.at(-1)?.ms).toBe(80);
  await nextTurn();
  expect(done).toHaveLength(3);
  pauses.at(-1)?.end();
  await all;
  expect(done.at(-1)).toBe('30 ms');
});

it('answers what the work answers, and goes on after work that throws', async () => {
  const timeShare = createTimeShare(async () => undefined);
  const wrong = timeShare('a', () => {
    throw new Error('wrong');
  });
  const right = timeShare('a', () => 'right');
  await expect(wrong).rejects.toThrow('wrong');
  expect(await right).toBe('right');
  await nextTurn();
  expect(await timeShare('a', () => 'again')).toBe('again');
});
