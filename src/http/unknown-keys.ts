import { createBoundedCache } from '../bounded-cache.ts';
import { errorKind, HttpError, retryAfter } from './errors.ts';

/** Counts an unknown key from a network. Throws 429 when the network has tried too many. */
export type CountUnknownKey = (network: string) => Promise<void>;

/** Unknown keys that a network may try in WINDOW_SECONDS, in all processes together. */
export const MAX_TRIES = 300;
export const WINDOW_SECONDS = 60;
/** Counted in the database at a time, so that not every try is a write. */
export const TRIES_AT_ONCE = 10;
const MAX_REMEMBERED = 10_000;

/**
 * Counts `tries` of a network in the database. `counted`: the tries in the network's window, these included;
 * `leftMs`: how long until its next window.
 */
export type CountTries = (
  network: string,
  tries: number,
  windowSeconds: number,
) => Promise<{ counted: number; leftMs: number }>;

/** The tries that this process may allow a network until `until`, as performance.now() returns it. */
type Allowance = { left: number; isUsedUp: boolean; until: number };

export const tooManyUnknownKeys = errorKind(
  {
    id: 'UnknownKeys',
    description:
      `More than ${MAX_TRIES} unknown API keys in ${WINDOW_SECONDS} seconds from one address. ` +
      'A valid key is never refused for that reason.',
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many unknown API keys: wait a minute, then use a valid one.', retryAfter(leftMs)),
  WINDOW_SECONDS * 1_000,
);

export function createCountUnknownKey(countTries: CountTries): CountUnknownKey {
  const allowances = createBoundedCache<string, Allowance>(MAX_REMEMBERED);
  /** Queries in progress, one for each network. */
  const asking = new Map<string, Promise<void>>();

  async function ask(network: string): Promise<void> {
    // A read-only database can't count the tries: they are allowed then.
    const { counted, leftMs } = await countTries(network, TRIES_AT_ONCE, WINDOW_SECONDS).catch(() => ({
      counted: TRIES_AT_ONCE,
      leftMs: 1_000,
    }));
    const isUsedUp = counted > MAX_TRIES;
    allowances.set(network, { left: isUsedUp ? 0 : TRIES_AT_ONCE, isUsedUp, until: performance.now() + leftMs });
  }

  return async (network) => {
    for (;;) {
      const allowance = allowances.get(network);
      const leftMs = (allowance?.until ?? 0) - performance.now();
      if (allowance && leftMs > 0) {
        if (allowance.isUsedUp) throw tooManyUnknownKeys(leftMs);
        if (allowance.left > 0) {
          allowance.left -= 1;
          return;
        }
      }
      const asked = asking.get(network) ?? ask(network).finally(() => asking.delete(network));
      asking.set(network, asked);
      await asked;
    }
  };
}
