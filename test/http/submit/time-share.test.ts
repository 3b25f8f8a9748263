import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTimeShare } from '../../../src/http/submit/time-share.ts';

const WORK_MS = 10;

/** Takes the processor for a while. */
function work(): void {
  for (const end = performance.now() + WORK_MS; performance.now() < end; );
}

it('does one holder’s work in order, and leaves others most of the time in between', async () => {
  const timeShare = createTimeShare();
  const done: number[] = [];
  const startedAt = performance.now();
  const all = Array.from({ length: 5 }, (_, index) =>
    timeShare('flooder', () => {
      work();
      done.push(index);
    }),
  );
  const other = timeShare('other', () => done.length);
  // Another's is not behind it.
  expect(await other).toBeLessThanOrEqual(1);
  await Promise.all(all);
  expect(done).toEqual([0, 1, 2, 3, 4]);
  // Five of 10 ms with four pauses of 40 ms at least between them.
  expect(performance.now() - startedAt).toBeGreaterThan(5 * WORK_MS + 4 * 3.9 * WORK_MS);
});

it('answers what the work answers, and goes on after work that throws', async () => {
  const timeShare = createTimeShare();
  const wrong = timeShare('a', () => {
    throw new Error('wrong');
  });
  const right = timeShare('a', () => 'right');
  await expect(wrong).rejects.toThrow('wrong');
  expect(await right).toBe('right');
  await nextTurn();
  expect(await timeShare('a', () => 'again')).toBe('again');
});
