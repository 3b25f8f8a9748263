import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { TimeShare } from '../../../src/http/submit/time-share.ts';

const REQUEST = new IncomingMessage(new Socket());
const LARGE = 1024 * 1024;

afterEach(() => void vi.useRealTimers());

it('does one holder’s work in order, each after a pause of four times the work before, and holds up no other', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pauses: { ms: number; end(): void }[] = [];
  const timeShare = new TimeShare(
    (ms) => new Promise((resolve) => void pauses.push({ ms: Math.round(ms), end: resolve })),
  );
  const done: string[] = [];
  const all = Promise.all(
    [10, 20, 30].map((ms) =>
      timeShare.run(REQUEST, 'flooder', LARGE, () => {
        vi.advanceTimersByTime(ms);
        done.push(`${ms} ms`);
      }),
    ),
  );
  await timeShare.run(REQUEST, 'other', LARGE, () => done.push('other'));
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
  const timeShare = new TimeShare(async () => undefined);
  const wrong = timeShare.run(REQUEST, 'a', LARGE, () => {
    throw new Error('wrong');
  });
  const right = timeShare.run(REQUEST, 'a', LARGE, () => 'right');
  await expect(wrong).rejects.toThrow('wrong');
  expect(await right).toBe('right');
  await nextTurn();
  expect(await timeShare.run(REQUEST, 'a', LARGE, () => 'again')).toBe('again');
});
