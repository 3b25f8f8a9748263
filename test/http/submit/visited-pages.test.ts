import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { VisitedPage } from '../../../src/db/deployments.ts';
import { createVisitedPages } from '../../../src/http/submit/visited-pages.ts';
import { newDeploymentId } from '../../../src/ids.ts';
import { LIMITS } from '../../../src/limits.ts';

const NETWORK = '192.0.2.1';
const PAGE: VisitedPage = { slug: 'a-page', language: null, lang: 'de', destinations: [] };

afterEach(() => void vi.useRealTimers());

/** Pages whose look-ups are counted, and answered when the test says so if `isHeld`. */
function start({ isHeld = false, isAbsent = false }: { isHeld?: boolean; isAbsent?: boolean } = {}) {
  const asked: PromiseWithResolvers<VisitedPage | undefined>[] = [];
  const pages = createVisitedPages(() => {
    const answer = Promise.withResolvers<VisitedPage | undefined>();
    asked.push(answer);
    if (!isHeld) answer.resolve(isAbsent ? undefined : PAGE);
    return answer.promise;
  }, LIMITS);
  return { ...pages, asked };
}

it('asks the database once for a page, however often and from wherever it is asked for', async () => {
  const { find, inMemory, asked } = start();
  const id = newDeploymentId();
  expect(inMemory(id)).toBeUndefined();
  const networks = Array.from({ length: 50 }, (_, index) => `192.0.2.${index % 5}`);
  expect(await Promise.all(networks.map((network) => find(id, network)))).toEqual(networks.map(() => PAGE));
  // Two at a time begin before the first has ended.
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(await find(id, NETWORK)).toEqual(PAGE);
  expect([asked.length <= 2, inMemory(id)]).toEqual([true, PAGE]);
});

it('remembers that there is none, and asks for no text that is no id', async () => {
  const { find, inMemory, asked } = start({ isAbsent: true });
  const id = newDeploymentId();
  for (const _time of [1, 2]) expect(await find(id, NETWORK)).toBe('absent');
  for (const text of ['', 'nonsense', '\0', `${id}!`]) expect(await find(text, NETWORK)).toBe('absent');
  expect([asked.length, inMemory(id)]).toEqual([1, undefined]);
});

it('runs two look-ups at a time, however many pages are asked for', async () => {
  const { find, asked } = start({ isHeld: true });
  const all = Array.from({ length: 20 }, (_, index) => find(newDeploymentId(), `192.0.2.${index}`));
  for (let done = 0; done < all.length; done += 1) {
    await nextTurn();
    expect(asked.length).toBe(Math.min(done + 2, all.length));
    asked[done]?.resolve(PAGE);
  }
  expect(await Promise.all(all)).toEqual(all.map(() => PAGE));
});

it('knows nothing when the look-up takes too long or fails', async () => {
  vi.useFakeTimers();
  const { find, asked } = start({ isHeld: true });
  const late = find(newDeploymentId(), NETWORK);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await late).toBeUndefined();
  asked[0]?.reject(new Error('The database is away.'));
  const failing = find(newDeploymentId(), '192.0.2.2');
  await vi.advanceTimersByTimeAsync(0);
  asked[1]?.reject(new Error('The database is away.'));
  expect(await failing).toBeUndefined();
});

it('asks again once a deployment has changed, also while it is being looked up', async () => {
  const { find, invalidateAll, asked } = start({ isHeld: true });
  const id = newDeploymentId();
  const first = find(id, NETWORK);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  invalidateAll();
  asked[0]?.resolve(PAGE);
  await first;
  const second = find(id, NETWORK);
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[1]?.resolve({ ...PAGE, language: 'fr' });
  expect(await second).toEqual({ ...PAGE, language: 'fr' });
});
