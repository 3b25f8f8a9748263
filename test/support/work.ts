/*
 * Counts work in place of time: how often lists are looked through, and how many characters texts are searched for.
 */

const LIST_METHODS = ['every', 'filter', 'find', 'findIndex', 'findLast', 'flatMap', 'forEach', 'map', 'some'] as const;
const SEARCHES = ['includes', 'indexOf', 'lastIndexOf'] as const;

const iteratorOf = (list: Iterable<unknown>): { next(): unknown } => Object.getPrototypeOf(list[Symbol.iterator]());

/** Replaces a method by one that calls it; returns what puts it back. */
function replaced(
  owner: object,
  name: string,
  replace: (call: (self: unknown, given: unknown[]) => unknown) => (self: unknown, given: unknown[]) => unknown,
) {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new Error(`There is no method ${name}.`);
  const method = replace((self, given) => Reflect.apply(original, self, given));
  const define = (value: unknown) => Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  define(function (this: unknown, ...given: unknown[]): unknown {
    return method(this, given);
  });
  return () => void define(original);
}

/**
 * The steps of `work`, which is not asynchronous: the items that loops and methods of lists, maps and sets go through, and the
 * characters that regular expressions and searches may read.
 */
export function stepsOf(work: () => unknown): number {
  let steps = 0;
  const undo = [
    // Each call of a callback counts: a search may end early.
    ...LIST_METHODS.map((name) =>
      replaced(Array.prototype, name, (call) => (self, [callback, ...rest]) => {
        if (typeof callback !== 'function') return call(self, [callback, ...rest]);
        const counting = function (this: unknown, ...items: unknown[]): unknown {
          steps += 1;
          return Reflect.apply(callback, this, items);
        };
        return call(self, [counting, ...rest]);
      }),
    ),
    ...SEARCHES.map((name) =>
      replaced(Array.prototype, name, (call) => (self, given) => {
        steps += Array.isArray(self) ? self.length : 0;
        return call(self, given);
      }),
    ),
    ...[[], new Map(), new Set()].map((list) =>
      replaced(iteratorOf(list), 'next', (call) => (self, given) => {
        steps += 1;
        return call(self, given);
      }),
    ),
    replaced(RegExp.prototype, 'exec', (call) => (self, given) => {
      const from = self instanceof RegExp ? self.lastIndex : 0;
      const found = call(self, given);
      const isFound = Array.isArray(found) && 'index' in found && typeof found.index === 'number';
      const to = isFound ? Number(found.index) + String(found[0]).length : String(given[0]).length;
      if (isFound || !(self instanceof RegExp && self.sticky)) steps += Math.max(0, to - from);
      return found;
    }),
  ];
  try {
    work();
  } finally {
    for (const restore of undo.toReversed()) restore();
  }
  return steps;
}
