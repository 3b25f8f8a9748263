import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceiverQueues } from '../../src/delivery/receiver-queues.ts';
import { testLimits } from '../support/limits.ts';

/*
 * Tasks are named by their receiver and a number, such as `a/0`, and end when a test says so.
 */

const { concurrent: MAX_CONCURRENT, initialConcurrentOfReceiver: INITIAL_CONCURRENT } = testLimits().delivery;
const MAX_CONCURRENT_UNPROVEN = MAX_CONCURRENT / 3;
const MAX_CONCURRENT_SURPLUS = MAX_CONCURRENT / 3;

/** Whose tasks they are where it doesn't matter. */
const OWNER = 1;

/** Whether a receiver answered; undefined when it wasn't asked. */
type Answered = boolean | undefined;

const receiverOf = (task: string): string => task.slice(0, task.indexOf('/'));

/** Every promise and microtask that is due by now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function heldQueues(maxConcurrent = 64, onBegin: (task: string) => void = () => undefined) {
  const begun: string[] = [];
  const ends = new Map<string, (answered: Answered) => void>();
  let timesOfCapacity = 0;
  const queues = createReceiverQueues<string>({
    limits: testLimits(),
    work: (task) => {
      onBegin(task);
      begun.push(task);
      const { promise, resolve } = Promise.withResolvers<Answered>();
      ends.set(task, resolve);
      return promise;
    },
    maxConcurrent: () => maxConcurrent,
    onCapacity: () => {
      timesOfCapacity += 1;
    },
  });
  const counts = new Map<string, number>();
  return {
    ...queues,
    /** Every task that was begun, in order. */
    begun,
    underWay: () => [...ends.keys()],
    timesOfCapacity: () => timesOfCapacity,
    /** Adds as many further tasks for a receiver; their names. */
    addTo(receiver: string, count = 1): string[] {
      const from = counts.get(receiver) ?? 0;
      counts.set(receiver, from + count);
      const tasks = Array.from({ length: count }, (_, n) => `${receiver}/${from + n}`);
      for (const task of tasks) queues.add(receiver, OWNER, task);
      return tasks;
    },
    async end(answered: Answered, ...tasks: string[]): Promise<void> {
      for (const task of tasks) {
        ends.get(task)?.(answered);
        ends.delete(task);
      }
      await settled();
    },
  };
}

type HeldQueues = ReturnType<typeof heldQueues>;

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** How many tasks are under way for this receiver. */
const runningNow = ({ underWay }: HeldQueues, receiver: string): number =>
  underWay().filter((task) => receiverOf(task) === receiver).length;

/** Has each of these receivers answer once, so that four tasks may be under way for it. */
async function prove(queues: HeldQueues, receivers: readonly string[]): Promise<void> {
  await queues.end(true, ...receivers.flatMap((receiver) => queues.addTo(receiver)));
}

/**
 * Uses all slots except these, with one task for each of many unproven receivers and four for each of many that answer.
 */
async function occupy(queues: HeldQueues, free: { unproven: number; others: number }): Promise<void> {
  const good = names('good', (MAX_CONCURRENT - MAX_CONCURRENT_UNPROVEN) / 4);
  await prove(queues, good);
  for (const receiver of names('silent', MAX_CONCURRENT_UNPROVEN - free.unproven)) queues.addTo(receiver);
  good.forEach((receiver, n) => {
    queues.addTo(receiver, n === 0 ? 4 - free.others : 4);
  });
}

describe('createReceiverQueues: the limit of a receiver', () => {
  it('begins two tasks at once, while they are being added, and the others in their order', async () => {
    const queues = heldQueues();
    const tasks = queues.addTo('a', 5);
    expect(queues.begun).toEqual(['a/0', 'a/1']);
    await queues.end(false, 'a/1');
    expect(queues.begun).toEqual(['a/0', 'a/1', 'a/2']);
    await queues.end(false, 'a/0', 'a/2');
    expect(queues.begun).toEqual(tasks);
  });

  it.each([
    [64, [2, 4, 8, 16, 32, 64, 64, 64]],
    [5, [2, 4, 5, 5]],
    [2, [2, 2, 2]],
    [1, [1, 1, 1]],
  ])('doubles with each answer, up to the highest, %i: %j', async (maxConcurrent, limits) => {
    const queues = heldQueues(maxConcurrent);
    const tasks = queues.addTo('a', 300);
    const seen = [runningNow(queues, 'a')];
    for (const task of tasks.slice(0, limits.length - 1)) {
      await queues.end(true, task);
      seen.push(runningNow(queues, 'a'));
    }
    expect(seen).toEqual(limits);
    expect(queues.begun).toEqual(tasks.slice(0, queues.begun.length));
  });

  it('is two again after one that got no answer, and grows anew', async () => {
    const queues = heldQueues();
    queues.addTo('a', 300);
    await queues.end(true, 'a/0', 'a/1');
    expect(runningNow(queues, 'a')).toBe(8);
    await queues.end(false, 'a/2');
    await queues.end(undefined, ...queues.underWay().slice(0, 5));
    expect(runningNow(queues, 'a')).toBe(2);
    await queues.end(true, ...queues.underWay().slice(0, 1));
    expect(runningNow(queues, 'a')).toBe(4);
  });

  it('stays as it is where the receiver was not asked', async () => {
    const queues = heldQueues();
    queues.addTo('a', 300);
    await queues.end(undefined, 'a/0', 'a/1');
    expect(queues.underWay()).toEqual(['a/2', 'a/3']);
    await queues.end(true, 'a/2');
    await queues.end(undefined, ...queues.underWay());
    expect(runningNow(queues, 'a')).toBe(4);
  });

  it('is remembered while the receiver has nothing to do, and is nobody else’s', async () => {
    const queues = heldQueues();
    await prove(queues, ['a']);
    expect(queues.underWay()).toEqual([]);
    queues.addTo('a', 10);
    queues.addTo('b', 10);
    expect([runningNow(queues, 'a'), runningNow(queues, 'b')]).toEqual([4, 2]);
  });
});

describe('createReceiverQueues: the owners', () => {
  /** Adds tasks of owners, each named by its receiver, its owner and a number. */
  function addOf(queues: HeldQueues, receiver: string, counts: readonly (readonly [ownerId: number, count: number])[]) {
    for (const [ownerId, count] of counts) {
      for (let n = 0; n < count; n += 1) queues.add(receiver, ownerId, `${receiver}/${ownerId}.${n}`);
    }
  }
  const ownersOf = (tasks: readonly string[]): number[] =>
    tasks.map((task) => Number(/\/(\d+)\./.exec(task)?.[1] ?? 0));

  it('of a receiver are served round-robin, each with its tasks in their order, however many an owner has and whichever came first', async () => {
    const queues = heldQueues(1);
    addOf(queues, 'a', [
      [1, 6],
      [2, 2],
      [3, 1],
    ]);
    for (let [task] = queues.underWay(); task !== undefined; [task] = queues.underWay()) await queues.end(true, task);
    expect(queues.begun).toEqual(['a/1.0', 'a/1.1', 'a/2.0', 'a/3.0', 'a/1.2', 'a/2.1', 'a/1.3', 'a/1.4', 'a/1.5']);
  });

  it('that come again are served after those that wait', async () => {
    const queues = heldQueues(1);
    addOf(queues, 'a', [
      [9, 1],
      [1, 3],
      [2, 3],
    ]);
    await queues.end(true, 'a/9.0');
    queues.add('a', 9, 'a/9.1');
    for (let [task] = queues.underWay(); task !== undefined; [task] = queues.underWay()) await queues.end(true, task);
    expect(ownersOf(queues.begun)).toEqual([9, 1, 2, 1, 9, 2, 1, 2]);
  });

  it('are passed over when their waiting tasks were taken out, which no longer count', async () => {
    const queues = heldQueues(1);
    addOf(queues, 'a', [
      [1, 3],
      [2, 2],
      [3, 2],
    ]);
    const removed = queues.remove((task) => ownersOf([task])[0] === 2 || task === 'a/1.1');
    expect(removed.toSorted()).toEqual(['a/1.1', 'a/2.0', 'a/2.1']);
    expect(queues.capacities().known).toEqual(new Map([['a', 1 - 4]]));
    for (let [task] = queues.underWay(); task !== undefined; [task] = queues.underWay()) await queues.end(true, task);
    expect(queues.begun).toEqual(['a/1.0', 'a/1.2', 'a/3.0', 'a/3.1']);
  });
});

describe('createReceiverQueues: the slots', () => {
  it('of 1,000 silent receivers leave some to one that answers, whose tasks start at once', async () => {
    const queues = heldQueues();
    await prove(queues, ['live']);
    for (const receiver of names('silent', 1_000)) queues.addTo(receiver, 3);
    expect(queues.underWay().length).toBe(MAX_CONCURRENT_UNPROVEN);
    const tasks = queues.addTo('live', 4);
    expect(queues.begun.slice(-4)).toEqual(tasks);
  });

  it('are left for a new receiver beside 250 silent ones', () => {
    const queues = heldQueues();
    for (const receiver of names('silent', 250)) queues.addTo(receiver, 50);
    const tasks = queues.addTo('new', 2);
    expect(queues.begun.slice(-2)).toEqual(tasks);
  });

  it('are bounded for all together, whoever answers', async () => {
    const queues = heldQueues();
    const receivers = names('good', 800);
    await prove(queues, receivers);
    for (const receiver of receivers) queues.addTo(receiver, 4);
    expect(queues.underWay().length).toBe(MAX_CONCURRENT);
  });

  it('of receivers that all fall silent at once are not all, so that one that answers finds one', async () => {
    const queues = heldQueues();
    const receivers = names('r', 50);
    await prove(queues, ['live']);
    for (let answers = 0; answers < 6; answers += 1) await prove(queues, receivers);
    for (const receiver of receivers) queues.addTo(receiver, 200);
    expect(queues.underWay().length).toBe(receivers.length * INITIAL_CONCURRENT + MAX_CONCURRENT_SURPLUS);
    const tasks = queues.addTo('live', 2);
    expect(queues.begun.slice(-2)).toEqual(tasks);
  });

  it('go down to a third of them for receivers that all fall silent', async () => {
    const queues = heldQueues();
    const receivers = names('r', MAX_CONCURRENT / 4);
    await prove(queues, ['live']);
    await prove(queues, receivers);
    for (const receiver of receivers) queues.addTo(receiver, 20);
    expect(queues.underWay().length).toBe(receivers.length * INITIAL_CONCURRENT + MAX_CONCURRENT_SURPLUS);
    // The first of them leave their slots to others that have still to fall silent.
    for (let round = 0; round < 2; round += 1) await queues.end(false, ...queues.underWay());
    expect(queues.underWay().length).toBe(MAX_CONCURRENT_UNPROVEN);
    queues.addTo('live');
    expect(queues.begun.slice(-1)).toEqual(['live/1']);
  });

  it.each([
    {
      kind: 'unproven receivers',
      free: { unproven: 0, others: 1 },
      wait: ['a', 'b', 'c'],
      known: [],
      ended: 'silent',
      limit: 2,
    },
    {
      kind: 'others',
      free: { unproven: 0, others: 0 },
      wait: ['a', 'b', 'c'],
      known: ['a', 'b', 'c'],
      ended: 'good',
      limit: 4,
    },
  ])('go to $kind that wait for one, round-robin', async ({ free, wait, known, ended, limit }) => {
    const queues = heldQueues();
    await prove(queues, known);
    await occupy(queues, free);
    const held = queues.underWay().filter((task) => task.startsWith(ended));
    const before = queues.begun.length;
    for (const receiver of wait) queues.addTo(receiver, 9);
    expect(queues.begun.length).toBe(before);
    for (const task of held.slice(0, wait.length * limit + 5)) await queues.end(false, task);
    const expected = Array.from({ length: limit }, () => wait).flat();
    expect(queues.begun.slice(before).map(receiverOf)).toEqual(expected);
  });

  it('go to those who wait before the receiver that left one takes it again', async () => {
    const queues = heldQueues();
    await occupy(queues, { unproven: 1, others: 0 });
    queues.addTo('greedy');
    expect(queues.begun.slice(-1)).toEqual(['greedy/0']);
    queues.addTo('modest');
    queues.addTo('greedy', 50);
    expect(queues.begun.slice(-1)).toEqual(['greedy/0']);
    await queues.end(false, 'greedy/0');
    expect(queues.begun.slice(-1)).toEqual(['modest/0']);
    await queues.end(false, 'modest/0');
    expect(queues.begun.slice(-1)).toEqual(['greedy/1']);
  });

  it('go to the next receiver that waits when the tasks of the one before it were taken out', async () => {
    const queues = heldQueues();
    await occupy(queues, { unproven: 0, others: 0 });
    queues.addTo('late');
    queues.addTo('next');
    expect(queues.remove((task) => receiverOf(task) === 'late')).toEqual(['late/0']);
    await queues.end(false, 'silent0/0');
    expect(queues.begun.slice(-1)).toEqual(['next/0']);
  });

  it('go to the next unproven receiver when the first that waits answers, and is proven', async () => {
    const queues = heldQueues();
    await occupy(queues, { unproven: 1, others: 1 });
    queues.addTo('first', 2);
    queues.addTo('next');
    expect(queues.begun.slice(-1)).toEqual(['first/0']);
    await queues.end(true, 'first/0');
    expect(queues.begun.slice(-2).toSorted()).toEqual(['first/1', 'next/0']);
  });
});

describe('createReceiverQueues: busy', () => {
  it.each([
    { known: false, enough: 2 },
    { known: true, enough: 4 },
  ])('is a receiver with $enough tasks, until it has half of them', async ({ known, enough }) => {
    const queues = heldQueues();
    if (known) await prove(queues, ['a']);
    const seen: (readonly string[] | undefined)[] = [];
    const tasks = Array.from({ length: enough }, () => {
      seen.push(queues.busy());
      return queues.addTo('a');
    }).flat();
    expect(seen).toEqual(tasks.map(() => []));
    expect(queues.busy()).toEqual(['a']);
    const left = enough / 2;
    for (const task of tasks.slice(0, -left)) {
      expect([queues.busy(), queues.timesOfCapacity()]).toEqual([['a'], 0]);
      await queues.end(undefined, task);
    }
    expect([queues.busy(), queues.timesOfCapacity()]).toEqual([[], 1]);
    await queues.end(undefined, ...tasks.slice(-left));
    expect([queues.busy(), queues.timesOfCapacity()]).toEqual([[], 1]);
  });

  it('is one at its limit, and no more when its answer raises the limit', async () => {
    const queues = heldQueues();
    queues.addTo('a', 2);
    queues.addTo('b', 1);
    expect([queues.busy(), queues.timesOfCapacity()]).toEqual([['a'], 0]);
    await queues.end(true, 'a/0');
    expect([queues.busy(), queues.timesOfCapacity()]).toEqual([[], 1]);
  });

  it('is one that falls silent with much to do', async () => {
    const queues = heldQueues();
    await prove(queues, ['a']);
    queues.addTo('a', 3);
    expect(queues.busy()).toEqual([]);
    await queues.end(false, 'a/1');
    expect(queues.busy()).toEqual(['a']);
  });

  it('is one whose tasks were taken out until half of what is under way has ended', async () => {
    const queues = heldQueues();
    await prove(queues, ['a', 'b']);
    const [first = '', second = ''] = queues.addTo('a', 20);
    queues.addTo('b', 20);
    queues.remove((task) => receiverOf(task) === 'a');
    expect([queues.busy(), queues.timesOfCapacity()]).toEqual([['a', 'b'], 0]);
    await queues.end(undefined, first, second);
    expect([queues.busy(), queues.timesOfCapacity()]).toEqual([['b'], 1]);
  });
});

describe('createReceiverQueues: remove', () => {
  it('takes out what is wanted, never what has begun', async () => {
    const queues = heldQueues();
    queues.addTo('a', 6);
    queues.addTo('b', 4);
    queues.addTo('c', 3);
    const wanted = ['a/0', 'a/2', 'a/3', 'a/5', 'b/3', 'c/2'];
    expect(queues.remove((task) => wanted.includes(task)).toSorted()).toEqual(['a/2', 'a/3', 'a/5', 'b/3', 'c/2']);
    for (let round = 0; round < 5; round += 1) await queues.end(true, ...queues.underWay());
    expect(queues.begun.toSorted()).toEqual(['a/0', 'a/1', 'a/4', 'b/0', 'b/1', 'b/2', 'c/0', 'c/1']);
  });

  it('takes out all that waits, and what comes after begins as ever', async () => {
    const queues = heldQueues();
    queues.addTo('a', 4);
    expect(queues.remove(() => true)).toEqual(['a/2', 'a/3']);
    expect(queues.remove(() => true)).toEqual([]);
    queues.addTo('a', 1);
    await queues.end(false, 'a/0', 'a/1');
    expect(queues.begun).toEqual(['a/0', 'a/1', 'a/4']);
  });
});

type Step =
  | { do: 'add'; receiver: string; count: number }
  /** Ends one of those under way, counted from the one that began last. */
  | { do: 'end'; which: number; answered: Answered }
  /** Ends one of those that use slots. */
  | { do: 'free'; holder: 'good' | 'silent' }
  /** Takes out what waits, but of the newest so many. */
  | { do: 'remove'; but: number };

const FEW = ['a', 'b', 'c', 'd', 'e'];
const isOfFew = (task: string): boolean => FEW.includes(receiverOf(task));
const receiver = fc.constantFrom(...FEW);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add'), receiver, count: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('end'),
      which: fc.integer({ min: 1, max: 12 }),
      answered: fc.constantFrom(true, true, true, false, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('free'), holder: fc.constantFrom('good', 'silent') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), but: fc.integer({ min: 0, max: 40 }) }) },
);

type Kind = 'unproven' | 'initial' | 'surplus';
const MOST: Readonly<Record<Kind, number>> = {
  unproven: MAX_CONCURRENT_UNPROVEN,
  initial: MAX_CONCURRENT,
  surplus: MAX_CONCURRENT_SURPLUS,
};

type Receiver = { name: string; waiting: string[]; underWay: number; limit: number | undefined; isBusy: boolean };

/** Lanes, and beside them what they have to do; throws where they do otherwise. */
function modelled(maxConcurrent: number) {
  const receivers = new Map<string, Receiver>();
  const underWay = new Map<string, Kind>();
  const added: string[] = [];
  const removed: string[] = [];
  const counts: Record<Kind, number> = { unproven: 0, initial: 0, surplus: 0 };
  let timesOfCapacity = 0;

  function get(name: string): Receiver {
    const receiver = receivers.get(name) ?? { name, waiting: [], underWay: 0, limit: undefined, isBusy: false };
    receivers.set(name, receiver);
    return receiver;
  }
  const limitOf = ({ limit = INITIAL_CONCURRENT }: Receiver): number => Math.min(limit, maxConcurrent);
  const kindOf = ({ limit, underWay: already }: Receiver): Kind =>
    limit === undefined ? 'unproven' : already < INITIAL_CONCURRENT ? 'initial' : 'surplus';
  const mayBegin = (receiver: Receiver): boolean =>
    receiver.underWay < limitOf(receiver) &&
    underWay.size < MAX_CONCURRENT &&
    counts[kindOf(receiver)] < MOST[kindOf(receiver)];

  const queues = heldQueues(maxConcurrent, (task) => {
    const receiver = get(receiverOf(task));
    if (task !== receiver.waiting[0]) throw new Error(`${task} began, and not ${receiver.waiting[0]}`);
    if (!mayBegin(receiver)) throw new Error(`${task} began without a slot`);
    receiver.waiting.shift();
    underWay.set(task, kindOf(receiver));
    counts[kindOf(receiver)] += 1;
    receiver.underWay += 1;
  });

  /** Compares what holds between two steps. */
  function check(): void {
    const capacities: [string, number][] = [];
    const isOpen = counts.unproven < MAX_CONCURRENT_UNPROVEN;
    for (const receiver of receivers.values()) {
      if (receiver.waiting.length > 0 && mayBegin(receiver)) throw new Error(`${receiver.waiting[0]} has a slot`);
      const load = receiver.waiting.length + receiver.underWay;
      const enough = limitOf(receiver);
      if (receiver.isBusy && load <= enough / 2) timesOfCapacity += 1;
      receiver.isBusy = load >= enough || (receiver.isBusy && load > enough / 2);
      const isKnown = receiver.limit !== undefined;
      if (load > 0 || isKnown) capacities.push([receiver.name, (isKnown || isOpen ? enough : 0) - load]);
    }
    const busy = [...receivers.values()].filter(({ isBusy }) => isBusy).map(({ name }) => name);
    expect([queues.busy()?.toSorted(), queues.timesOfCapacity()]).toEqual([
      isOpen ? busy.toSorted() : undefined,
      timesOfCapacity,
    ]);
    expect(queues.capacities()).toEqual({
      known: new Map(capacities),
      other: isOpen ? INITIAL_CONCURRENT : 0,
      unproven: MAX_CONCURRENT_UNPROVEN - counts.unproven,
    });
  }

  function add(name: string, count = 1): void {
    for (let n = 0; n < count; n += 1) {
      const task = `${name}/${added.length}`;
      added.push(task);
      get(name).waiting.push(task);
      queues.add(name, OWNER, task);
    }
  }

  async function end(task: string, answered: Answered): Promise<void> {
    const receiver = get(receiverOf(task));
    receiver.underWay -= 1;
    counts[underWay.get(task) ?? 'initial'] -= 1;
    underWay.delete(task);
    if (answered) receiver.limit = Math.min(limitOf(receiver) * 2, maxConcurrent);
    else if (answered === false) receiver.limit = undefined;
    await queues.end(answered, task);
  }

  function remove(but: number): void {
    const isWanted = (task: string): boolean => Number(task.slice(task.indexOf('/') + 1)) < added.length - but;
    const expected = [...receivers.values()].flatMap((receiver) => {
      const wanted = receiver.waiting.filter(isWanted);
      receiver.waiting = receiver.waiting.filter((task) => !isWanted(task));
      return wanted;
    });
    expect(queues.remove(isWanted).toSorted()).toEqual(expected.toSorted());
    removed.push(...expected);
  }

  return { check, add, end, remove, added, removed, begun: queues.begun, underWay: () => [...underWay.keys()] };
}

describe('createReceiverQueues: whatever happens', () => {
  it('begins every task once unless it was taken out, in order, as soon as limit and slots allow', async () => {
    const maxConcurrent = fc.constantFrom(1, 5, 64);
    const free = fc.integer({ min: 0, max: 3 });
    await fc.assert(
      fc.asyncProperty(
        maxConcurrent,
        free,
        free,
        fc.array(step, { maxLength: 150, size: 'max' }),
        async (most, few, fewOthers, steps) => {
          const model = modelled(most);
          const each = Math.min(4, most);
          const good = names('good', Math.floor((MAX_CONCURRENT - MAX_CONCURRENT_UNPROVEN - fewOthers) / each));
          for (const name of good) model.add(name);
          model.check();
          for (const task of model.underWay()) await model.end(task, true);
          model.check();
          for (const name of good) model.add(name, each);
          for (const name of names('silent', MAX_CONCURRENT_UNPROVEN - few)) model.add(name);
          model.check();
          for (const now of steps) {
            if (now.do === 'add') model.add(now.receiver, now.count);
            else if (now.do === 'remove') model.remove(now.but);
            else if (now.do === 'free') {
              const held = model.underWay().find((task) => task.startsWith(now.holder));
              if (held !== undefined) await model.end(held, false);
            } else {
              const task = model.underWay().filter(isOfFew).at(-now.which);
              if (task !== undefined) await model.end(task, now.answered);
            }
            model.check();
          }
          for (let [task] = model.underWay(); task !== undefined; [task] = model.underWay())
            await model.end(task, true);
          model.check();
          expect([...model.begun, ...model.removed].toSorted()).toEqual(model.added.toSorted());
        },
      ),
      { numRuns: 10 },
    );
  });
});
