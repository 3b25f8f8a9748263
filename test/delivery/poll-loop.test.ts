import { expect, it, onTestFinished } from 'vitest';
import { createPollLoop } from '../../src/delivery/poll-loop.ts';
import { testLimits } from '../support/limits.ts';

const LONG_MS = 3_600_000;
const NOTHING = Number.POSITIVE_INFINITY;

/** Polls with each of these answers in turn, until there is none. `ended` settles then. */
function poll(pollMs: number, ...answers: number[]) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const loop = createPollLoop({
    async poll() {
      const answer = answers.shift();
      if (answer === undefined) stopping.abort();
      return answer ?? NOTHING;
    },
    pollMs,
    limits: testLimits({ delivery: { minPollPauseMs: 1 } }),
    onError: () => undefined,
    signal: stopping.signal,
  });
  return { answers, ended: loop.run(), wake: loop.wake };
}

it('polls again after its interval, while nothing is due and before something is', async () => {
  const { answers, ended } = poll(5, NOTHING, LONG_MS);
  await ended;
  expect(answers).toEqual([]);
});

it('polls before that when something is due, and at once when there may be more', async () => {
  const { answers, ended } = poll(LONG_MS, 0, 5, 0, 5);
  await ended;
  expect(answers).toEqual([]);
});

it('waits for its interval, unless it is woken', async () => {
  const waiting = poll(LONG_MS, NOTHING);
  // As long as another polls fifty times.
  await poll(LONG_MS, ...Array.from({ length: 50 }, () => 0)).ended;
  expect(waiting.answers).toEqual([]);
  const isOver = await Promise.race([waiting.ended.then(() => true), Promise.resolve(false)]);
  expect(isOver).toBe(false);
  waiting.wake();
  await waiting.ended;
});
