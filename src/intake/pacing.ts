/** Calls of one key that settle in one turn of the event loop: the requests of others are handled in between. */
const MAX_PER_KEY = 4;
/** Calls of all keys together. */
const MAX_PER_TURN = 32;

/** Settles in a later turn of the event loop, a few calls at a time. Keys are served round-robin. */
export type Pace = (key: string) => Promise<void>;

/** Slows down clients that wait for an answer before they send the next request. */
export function createPacing(): Pace {
  const waiting = new Map<string, (() => void)[]>();

  function settleSome(): void {
    let free = MAX_PER_TURN;
    let keys = waiting.size;
    for (const [key, calls] of waiting) {
      if (keys === 0 || free === 0) break;
      keys -= 1;
      const some = calls.splice(0, Math.min(MAX_PER_KEY, free));
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
