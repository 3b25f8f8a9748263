import type { Limits } from '../limits.ts';

/** Settles in a later turn of the event loop, a few calls at a time. Keys are served round-robin. */
export type Pace = (key: string) => Promise<void>;

/** Slows down clients that wait for an answer before they send the next request. */
export function createPacing(limits: Limits): Pace {
  const waiting = new Map<string, (() => void)[]>();

  function settleSome(): void {
    let free = limits.submissions.maxPacedPerTurn;
    let keys = waiting.size;
    for (const [key, calls] of waiting) {
      if (keys === 0 || free === 0) break;
      keys -= 1;
      const some = calls.splice(0, Math.min(limits.submissions.maxPacedPerKey, free));
      free -= some.length;
      for (const settle of some) settle();
      // The rest of the key's calls go behind those of the other keys.
      waiting.delete(key);
      if (calls.length > 0) waiting.set(key, calls);
    }
    if (waiting.size > 0) setImmediate(settleSome);
  }

  return (key) =>
    new Promise((resolve) => {
      if (waiting.size === 0) setImmediate(settleSome);
      const calls = waiting.get(key);
      if (calls) calls.push(resolve);
      else waiting.set(key, [resolve]);
    });
}
