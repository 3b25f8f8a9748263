import { expect, it, onTestFinished } from 'vitest';
import { type Polled, PollLoop } from '../../src/delivery/poll-loop.ts';
import { createLog } from '../../src/lib/log.ts';
import { testLimits } from '../support/limits.ts';

const LONG_MS = 3_600_000;

/** Polls with each of these results in turn, until there is none. `ended` settles then. */
function poll(pollMs: number, ...results: Polled[]) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const loop = new PollLoop({
    async poll() {
      const result = results.shift();
      if (result === undefined) stopping.abort();
      return result ?? 'nothing';
    },
    pollMs,
    limits: testLimits({ delivery: { minPollPauseMs: 1 } }),
    failure: 'A poll failed.',
    log: createLog('silent'),
    signal: stopping.signal,
  });
  return { results, ended: loop.run(), loop };
}

it('polls at its interval while there is nothing', async () => {
  const { results, ended } = poll(5, 'nothing', 'nothing');
  await ended;
  expect(results).toEqual([]);
});

it('polls at once while there may be more', async () => {
  const { results, ended } = poll(LONG_MS, 'work', 'more', 'work');
  await ended;
  expect(results).toEqual([]);
});

it('waits for its interval, unless it is woken', async () => {
  const { ended, loop } = poll(LONG_MS, 'nothing');
  // As long as another polls fifty times.
  await poll(LONG_MS, ...Array<Polled>(50).fill('work')).ended;
  expect(await Promise.race([ended.then(() => true), Promise.resolve(false)])).toBe(false);
  loop.wake();
  await ended;
});
