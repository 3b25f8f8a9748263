import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HttpError } from '../../src/http/errors.ts';
import { type CountTries, createCountUnknownKey } from '../../src/http/unknown-keys.ts';
import { LIMITS, SIZES } from '../../src/limits.ts';

const { maxTries: MAX_TRIES, windowSeconds: WINDOW_SECONDS } = SIZES.unknownKeys;
const TRIES_AT_ONCE = LIMITS.owners.unknownKeyTriesAtOnce;

const NETWORK = '192.0.2.1';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A count of tries as the database keeps it, for any number of processes. */
function startCount() {
  const windows = new Map<string, { counted: number; endsAt: number }>();
  const calls: [network: string, tries: number, windowSeconds: number][] = [];
  const countTries: CountTries = async (network, tries, windowSeconds) => {
    calls.push([network, tries, windowSeconds]);
    const now = performance.now();
    const known = windows.get(network);
    const window = known && known.endsAt > now ? known : { counted: 0, endsAt: now + windowSeconds * 1_000 };
    windows.set(network, window);
    window.counted += tries;
    return { counted: window.counted, leftMs: window.endsAt - now };
  };
  return { countTries, calls };
}

type CountKey = ReturnType<typeof createCountUnknownKey>;

/** What becomes of a try: that it is counted, or when to try again. */
async function tryOnce(countKey: CountKey, network = NETWORK): Promise<string> {
  try {
    await countKey(network);
    return 'counted';
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return `${error.status}, ${error.headers['Retry-After']}`;
  }
}

/** What becomes of so many tries, all at once or one after another. */
const tryAtOnce = (countKey: CountKey, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => tryOnce(countKey)));
async function tryInTurn(countKey: CountKey, count: number): Promise<string[]> {
  const outcomes: string[] = [];
  while (outcomes.length < count) outcomes.push(await tryOnce(countKey));
  return outcomes;
}

it.each([tryAtOnce, tryInTurn])(
  'lets a network try 300 in a minute, and refuses more until that is over: %o',
  async (tryMany) => {
    const { countTries, calls } = startCount();
    const countKey = createCountUnknownKey(countTries, LIMITS);
    expect(await tryMany(countKey, MAX_TRIES)).toEqual(Array(MAX_TRIES).fill('counted'));
    expect(calls).toEqual(Array(MAX_TRIES / TRIES_AT_ONCE).fill([NETWORK, TRIES_AT_ONCE, WINDOW_SECONDS]));
    expect(await tryMany(countKey, 20)).toEqual(Array(20).fill('429, 60'));
    vi.advanceTimersByTime(1_000 * WINDOW_SECONDS - 500);
    expect(await tryOnce(countKey)).toBe('429, 1');
    // Nobody asks for each of those that are refused.
    expect(calls.length).toBe(MAX_TRIES / TRIES_AT_ONCE + 1);
    vi.advanceTimersByTime(500);
    expect(await tryMany(countKey, MAX_TRIES + 1)).toEqual([...Array(MAX_TRIES).fill('counted'), '429, 60']);
  },
);

it('lets no network use up what is another’s', async () => {
  const countKey = createCountUnknownKey(startCount().countTries, LIMITS);
  await tryInTurn(countKey, MAX_TRIES);
  expect([await tryOnce(countKey), await tryOnce(countKey, '192.0.2.2')]).toEqual(['429, 60', 'counted']);
});

it('counts for all processes together', async () => {
  const { countTries } = startCount();
  const processes = [createCountUnknownKey(countTries, LIMITS), createCountUnknownKey(countTries, LIMITS)];
  const outcomes = await Promise.all(processes.map((countKey) => tryInTurn(countKey, MAX_TRIES)));
  expect(outcomes.flat().filter((outcome) => outcome === 'counted').length).toBe(MAX_TRIES);
});

it('counts a try that a process has left only while the minute lasts that it is of', async () => {
  const { countTries, calls } = startCount();
  const countKey = createCountUnknownKey(countTries, LIMITS);
  await tryOnce(countKey);
  vi.advanceTimersByTime(1_000 * WINDOW_SECONDS - 1);
  await tryOnce(countKey);
  expect(calls.length).toBe(1);
  vi.advanceTimersByTime(1);
  await tryOnce(countKey);
  expect(calls.length).toBe(2);
});

it('lets a network try while nothing can be counted, and asks again for the next ten, and after a second', async () => {
  let asked = 0;
  const countKey = createCountUnknownKey(async () => {
    asked += 1;
    throw new Error('cannot execute INSERT in a read-only transaction');
  }, LIMITS);
  expect(await tryInTurn(countKey, TRIES_AT_ONCE + 1)).toEqual(Array(TRIES_AT_ONCE + 1).fill('counted'));
  expect(asked).toBe(2);
  vi.advanceTimersByTime(999);
  await tryOnce(countKey);
  expect(asked).toBe(2);
  vi.advanceTimersByTime(1);
  await tryOnce(countKey);
  expect(asked).toBe(3);
});
