import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../src/lib/log.ts';
import { PollLoop } from '../../src/lib/poll-loop.ts';

const LONG_MS = 3_600_000;

/** Polls with each of these pauses in turn, or failures, until there is none. `ended` settles then. */
function poll(retryMs: number, ...pauses: (number | Error)[]) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const loop = new PollLoop({
    async poll() {
      const pause = pauses.shift();
      if (pause instanceof Error) throw pause;
      if (pause === undefined) stopping.abort();
      return pause ?? LONG_MS;
    },
    retryMs,
    failure: 'A poll failed.',
    log: createLog('silent'),
    signal: stopping.signal,
  });
  return { pauses, ended: loop.run(), loop };
}

it('polls again after each pause, and after a failure', async () => {
  const { pauses, ended } = poll(5, 0, 5, new Error('It failed.'), 0);
  await ended;
  expect(pauses).toEqual([]);
});

it('waits for the end of a pause, unless it is woken', async () => {
  const { ended, loop } = poll(LONG_MS, LONG_MS);
  // This wait is as long as fifty polls of another loop.
  await poll(LONG_MS, ...Array<number>(50).fill(0)).ended;
  expect(await Promise.race([ended.then(() => true), Promise.resolve(false)])).toBe(false);
  loop.wake();
  await ended;
});

it('polls once more when it is woken during a poll', async () => {
  const { ended, loop } = poll(LONG_MS, LONG_MS);
  loop.wake();
  await ended;
});
