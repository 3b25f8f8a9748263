import { expect, it, onTestFinished } from 'vitest';
import { createPollLoop } from '../../src/delivery/poll-loop.ts';

/** Polls with each of these answers in turn, until there is none; how many milliseconds it took. */
async function pollFor(...answers: number[]): Promise<number> {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const start = performance.now();
  const loop = createPollLoop({
    async poll() {
      const answer = answers.shift();
      if (answer === undefined) stopping.abort();
      return answer ?? Number.POSITIVE_INFINITY;
    },
    onError: () => undefined,
    signal: stopping.signal,
  });
  await loop.run();
  return performance.now() - start;
}

it('polls every half a second while nothing is due', async () => {
  expect(await pollFor(Number.POSITIVE_INFINITY, 10_000)).toBeGreaterThan(1_000);
});

it('polls before that when something is due, and at once when there may be more', async () => {
  // Eight times half a second would be 4 s.
  const took = await pollFor(0, 100, 0, 100, 0, 100, 0, 100);
  expect([took >= 400, took < 3_000]).toEqual([true, true]);
});
