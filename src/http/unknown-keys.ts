import { createBoundedCache } from '../bounded-cache.ts';
import { type Limits, SIZES } from '../limits.ts';
import { errorKind, HttpError, retryAfter } from './errors.ts';

/** Counts an unknown key from a network. Throws 429 when the network has tried too many. */
export type CountUnknownKey = (network: string) => Promise<void>;

const { maxTries, windowSeconds } = SIZES.unknownKeys;

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
      `More than ${maxTries} unknown API keys in ${windowSeconds} seconds from one address. ` +
      'A valid key is never refused for that reason.',
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many unknown API keys: wait a minute, then use a valid one.', retryAfter(leftMs)),
  windowSeconds * 1_000,
);

export function createCountUnknownKey(countTries: CountTries, { owners }: Limits): CountUnknownKey {
  const triesAtOnce = owners.unknownKeyTriesAtOnce;
  const allowances = createBoundedCache<string, Allowance>(owners.rememberedNetworks);
  /** Queries in progress, one for each network. */
  const asking = new Map<string, Promise<void>>();

  async function ask(network: string): Promise<void> {
    // A read-only database can't count the tries: they are allowed then.
    const { counted, leftMs } = await countTries(network, triesAtOnce, windowSeconds).catch(() => ({
      counted: triesAtOnce,
      leftMs: 1_000,
    }));
    const isUsedUp = counted > maxTries;
    allowances.set(network, { left: isUsedUp ? 0 : triesAtOnce, isUsedUp, until: performance.now() + leftMs });
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
