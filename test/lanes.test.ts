import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLanes } from '../src/delivery/lanes.ts';

/*
 * Tasks are named by their receiver and a number, such as `a/0`, and end when a test says so.
 */

const PLACES = 1_536;
const PLACES_OF_SUSPECTS = 512;
const PLACES_OF_SURPLUS = 512;
const FIRST_WIDTH = 2;

/** Whether a receiver answered; undefined when it wasn't asked. */
type Answered = boolean | undefined;

const receiverOf = (task: string): string => task.slice(0, task.indexOf('/'));

/** Every promise and microtask that is due by now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function heldLanes(widest = 64, onBegin: (task: string) => void = () => undefined) {
  const begun: string[] = [];
  const ends = new Map<string, (answered: Answered) => void>();
  let timesOfRoom = 0;
  const lanes = createLanes<string>({
    work: (task) => {
      onBegin(task);
      begun.push(task);
      const { promise, resolve } = Promise.withResolvers<Answered>();
      ends.set(task, resolve);
      return promise;
    },
    widest: () => widest,
    onRoom: () => {
      timesOfRoom += 1;
    },
  });
  const counts = new Map<string, number>();
  return {
    ...lanes,
    /** Every task that was begun, in order. */
    begun,
    underWay: () => [...ends.keys()],
    timesOfRoom: () => timesOfRoom,
    /** Adds as many further tasks for a receiver; their names. */
    addTo(receiver: string, count = 1): string[] {
      const from = counts.get(receiver) ?? 0;
      counts.set(receiver, from + count);
      const tasks = Array.from({ length: count }, (_, n) => `${receiver}/${from + n}`);
      for (const task of tasks) lanes.add(receiver, task);
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

type HeldLanes = ReturnType<typeof heldLanes>;

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** How many tasks are under way for this receiver. */
const widthNow = ({ underWay }: HeldLanes, receiver: string): number =>
  underWay().filter((task) => receiverOf(task) === receiver).length;

/** Has each of these receivers answer once, so that four tasks may be under way for it. */
async function acquaint(lanes: HeldLanes, receivers: readonly string[]): Promise<void> {
  await lanes.end(true, ...receivers.flatMap((receiver) => lanes.addTo(receiver)));
}

/** Takes all places but these, with one task for each of many suspects and four for each of many that answer. */
async function occupy(lanes: HeldLanes, free: { ofSuspects: number; ofOthers: number }): Promise<void> {
  const good = names('good', (PLACES - PLACES_OF_SUSPECTS) / 4);
  await acquaint(lanes, good);
  for (const receiver of names('silent', PLACES_OF_SUSPECTS - free.ofSuspects)) lanes.addTo(receiver);
  good.forEach((receiver, n) => {
    lanes.addTo(receiver, n === 0 ? 4 - free.ofOthers : 4);
  });
}

describe('createLanes: the width of a receiver', () => {
  it('begins two tasks at once, while they are being added, and the others in their order', async () => {
    const lanes = heldLanes();
    const tasks = lanes.addTo('a', 5);
    expect(lanes.begun).toEqual(['a/0', 'a/1']);
    await lanes.end(false, 'a/1');
    expect(lanes.begun).toEqual(['a/0', 'a/1', 'a/2']);
    await lanes.end(false, 'a/0', 'a/2');
    expect(lanes.begun).toEqual(tasks);
  });

  it.each([
    [64, [2, 4, 8, 16, 32, 64, 64, 64]],
    [5, [2, 4, 5, 5]],
    [2, [2, 2, 2]],
    [1, [1, 1, 1]],
  ])('doubles with each answer, up to the widest, %i: %j', async (widest, widths) => {
    const lanes = heldLanes(widest);
    const tasks = lanes.addTo('a', 300);
    const seen = [widthNow(lanes, 'a')];
    for (const task of tasks.slice(0, widths.length - 1)) {
      await lanes.end(true, task);
      seen.push(widthNow(lanes, 'a'));
    }
    expect(seen).toEqual(widths);
    expect(lanes.begun).toEqual(tasks.slice(0, lanes.begun.length));
  });

  it('is two again after one that got no answer, and grows anew', async () => {
    const lanes = heldLanes();
    lanes.addTo('a', 300);
    await lanes.end(true, 'a/0', 'a/1');
    expect(widthNow(lanes, 'a')).toBe(8);
    await lanes.end(false, 'a/2');
    await lanes.end(undefined, ...lanes.underWay().slice(0, 5));
    expect(widthNow(lanes, 'a')).toBe(2);
    await lanes.end(true, ...lanes.underWay().slice(0, 1));
    expect(widthNow(lanes, 'a')).toBe(4);
  });

  it('stays as it is where the receiver was not asked', async () => {
    const lanes = heldLanes();
    lanes.addTo('a', 300);
    await lanes.end(undefined, 'a/0', 'a/1');
    expect(lanes.underWay()).toEqual(['a/2', 'a/3']);
    await lanes.end(true, 'a/2');
    await lanes.end(undefined, ...lanes.underWay());
    expect(widthNow(lanes, 'a')).toBe(4);
  });

  it('is remembered while the receiver has nothing to do, and is nobody else’s', async () => {
    const lanes = heldLanes();
    await acquaint(lanes, ['a']);
    expect(lanes.underWay()).toEqual([]);
    lanes.addTo('a', 10);
    lanes.addTo('b', 10);
    expect([widthNow(lanes, 'a'), widthNow(lanes, 'b')]).toEqual([4, 2]);
  });
});

describe('createLanes: the places', () => {
  it('of 1,000 silent receivers half hold no place up for one that answers, which begins at once', async () => {
    const lanes = heldLanes();
    await acquaint(lanes, ['live']);
    for (const receiver of names('silent', 1_000)) lanes.addTo(receiver, 3);
    expect(lanes.underWay().length).toBe(PLACES_OF_SUSPECTS);
    const tasks = lanes.addTo('live', 4);
    expect(lanes.begun.slice(-4)).toEqual(tasks);
  });

  it('leave one that is new its place beside 250 silent ones', () => {
    const lanes = heldLanes();
    for (const receiver of names('silent', 250)) lanes.addTo(receiver, 50);
    const tasks = lanes.addTo('new', 2);
    expect(lanes.begun.slice(-2)).toEqual(tasks);
  });

  it('are bounded for all together, whoever answers', async () => {
    const lanes = heldLanes();
    const receivers = names('good', 800);
    await acquaint(lanes, receivers);
    for (const receiver of receivers) lanes.addTo(receiver, 4);
    expect(lanes.underWay().length).toBe(PLACES);
  });

  it('of receivers that all fall silent at once are not all, so that one that answers finds one', async () => {
    const lanes = heldLanes();
    const receivers = names('r', 50);
    await acquaint(lanes, ['live']);
    for (let answers = 0; answers < 6; answers += 1) await acquaint(lanes, receivers);
    for (const receiver of receivers) lanes.addTo(receiver, 200);
    expect(lanes.underWay().length).toBe(receivers.length * FIRST_WIDTH + PLACES_OF_SURPLUS);
    const tasks = lanes.addTo('live', 2);
    expect(lanes.begun.slice(-2)).toEqual(tasks);
  });

  it('go down to a third of them for receivers that all fall silent', async () => {
    const lanes = heldLanes();
    const receivers = names('r', PLACES / 4);
    await acquaint(lanes, ['live']);
    await acquaint(lanes, receivers);
    for (const receiver of receivers) lanes.addTo(receiver, 20);
    expect(lanes.underWay().length).toBe(receivers.length * FIRST_WIDTH + PLACES_OF_SURPLUS);
    // The first of them leave their places to others that have still to fall silent.
    for (let round = 0; round < 2; round += 1) await lanes.end(false, ...lanes.underWay());
    expect(lanes.underWay().length).toBe(PLACES_OF_SUSPECTS);
    lanes.addTo('live');
    expect(lanes.begun.slice(-1)).toEqual(['live/1']);
  });

  it.each([
    {
      kind: 'suspects',
      free: { ofSuspects: 0, ofOthers: 1 },
      wait: ['a', 'b', 'c'],
      known: [],
      ended: 'silent',
      width: 2,
    },
    {
      kind: 'others',
      free: { ofSuspects: 0, ofOthers: 0 },
      wait: ['a', 'b', 'c'],
      known: ['a', 'b', 'c'],
      ended: 'good',
      width: 4,
    },
  ])('go in turn to $kind that wait for one', async ({ free, wait, known, ended, width }) => {
    const lanes = heldLanes();
    await acquaint(lanes, known);
    await occupy(lanes, free);
    const held = lanes.underWay().filter((task) => task.startsWith(ended));
    const before = lanes.begun.length;
    for (const receiver of wait) lanes.addTo(receiver, 9);
    expect(lanes.begun.length).toBe(before);
    for (const task of held.slice(0, wait.length * width + 5)) await lanes.end(false, task);
    const turns = Array.from({ length: width }, () => wait).flat();
    expect(lanes.begun.slice(before).map(receiverOf)).toEqual(turns);
  });

  it('go to those who wait before the receiver that left one takes it again', async () => {
    const lanes = heldLanes();
    await occupy(lanes, { ofSuspects: 1, ofOthers: 0 });
    lanes.addTo('greedy');
    expect(lanes.begun.slice(-1)).toEqual(['greedy/0']);
    lanes.addTo('modest');
    lanes.addTo('greedy', 50);
    expect(lanes.begun.slice(-1)).toEqual(['greedy/0']);
    await lanes.end(false, 'greedy/0');
    expect(lanes.begun.slice(-1)).toEqual(['modest/0']);
    await lanes.end(false, 'modest/0');
    expect(lanes.begun.slice(-1)).toEqual(['greedy/1']);
  });

  it('go to the next who waits where what waited before it was taken out', async () => {
    const lanes = heldLanes();
    await occupy(lanes, { ofSuspects: 0, ofOthers: 0 });
    lanes.addTo('late');
    lanes.addTo('next');
    expect(lanes.remove((task) => receiverOf(task) === 'late')).toEqual(['late/0']);
    await lanes.end(false, 'silent0/0');
    expect(lanes.begun.slice(-1)).toEqual(['next/0']);
  });

  it('go to the next suspect where the first that waits answers, and is none any more', async () => {
    const lanes = heldLanes();
    await occupy(lanes, { ofSuspects: 1, ofOthers: 1 });
    lanes.addTo('first', 2);
    lanes.addTo('next');
    expect(lanes.begun.slice(-1)).toEqual(['first/0']);
    await lanes.end(true, 'first/0');
    expect(lanes.begun.slice(-2).toSorted()).toEqual(['first/1', 'next/0']);
  });
});

describe('createLanes: busy', () => {
  it.each([
    { known: false, enough: 2 },
    { known: true, enough: 4 },
  ])('is a receiver with $enough tasks, until it has half of them', async ({ known, enough }) => {
    const lanes = heldLanes();
    if (known) await acquaint(lanes, ['a']);
    const seen: (readonly string[] | undefined)[] = [];
    const tasks = Array.from({ length: enough }, () => {
      seen.push(lanes.busy());
      return lanes.addTo('a');
    }).flat();
    expect(seen).toEqual(tasks.map(() => []));
    expect(lanes.busy()).toEqual(['a']);
    const left = enough / 2;
    for (const task of tasks.slice(0, -left)) {
      expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([['a'], 0]);
      await lanes.end(undefined, task);
    }
    expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([[], 1]);
    await lanes.end(undefined, ...tasks.slice(-left));
    expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([[], 1]);
  });

  it('is one that has no wider a lane, and has room when its answers widen it', async () => {
    const lanes = heldLanes();
    lanes.addTo('a', 2);
    lanes.addTo('b', 1);
    expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([['a'], 0]);
    await lanes.end(true, 'a/0');
    expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([[], 1]);
  });

  it('is one that falls silent with much to do', async () => {
    const lanes = heldLanes();
    await acquaint(lanes, ['a']);
    lanes.addTo('a', 3);
    expect(lanes.busy()).toEqual([]);
    await lanes.end(false, 'a/1');
    expect(lanes.busy()).toEqual(['a']);
  });

  it('is one whose tasks were taken out until half of what is under way has ended', async () => {
    const lanes = heldLanes();
    await acquaint(lanes, ['a', 'b']);
    const [first = '', second = ''] = lanes.addTo('a', 20);
    lanes.addTo('b', 20);
    lanes.remove((task) => receiverOf(task) === 'a');
    expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([['a', 'b'], 0]);
    await lanes.end(undefined, first, second);
    expect([lanes.busy(), lanes.timesOfRoom()]).toEqual([['b'], 1]);
  });
});

describe('createLanes: remove', () => {
  it('takes out what is wanted, never what has begun', async () => {
    const lanes = heldLanes();
    lanes.addTo('a', 6);
    lanes.addTo('b', 4);
    lanes.addTo('c', 3);
    const wanted = ['a/0', 'a/2', 'a/3', 'a/5', 'b/3', 'c/2'];
    expect(lanes.remove((task) => wanted.includes(task)).toSorted()).toEqual(['a/2', 'a/3', 'a/5', 'b/3', 'c/2']);
    for (let round = 0; round < 5; round += 1) await lanes.end(true, ...lanes.underWay());
    expect(lanes.begun.toSorted()).toEqual(['a/0', 'a/1', 'a/4', 'b/0', 'b/1', 'b/2', 'c/0', 'c/1']);
  });

  it('takes out all that waits, and what comes after begins as ever', async () => {
    const lanes = heldLanes();
    lanes.addTo('a', 4);
    expect(lanes.remove(() => true)).toEqual(['a/2', 'a/3']);
    expect(lanes.remove(() => true)).toEqual([]);
    lanes.addTo('a', 1);
    await lanes.end(false, 'a/0', 'a/1');
    expect(lanes.begun).toEqual(['a/0', 'a/1', 'a/4']);
  });
});

type Step =
  | { do: 'add'; receiver: string; count: number }
  /** Ends one of those under way, counted from the one that began last. */
  | { do: 'end'; which: number; answered: Answered }
  /** Ends one of those that hold places. */
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

type Kind = 'suspect' | 'first' | 'surplus';
const MOST: Readonly<Record<Kind, number>> = {
  suspect: PLACES_OF_SUSPECTS,
  first: PLACES,
  surplus: PLACES_OF_SURPLUS,
};

type Receiver = { name: string; waiting: string[]; underWay: number; width: number | undefined; isBusy: boolean };

/** Lanes, and beside them what they have to do; throws where they do otherwise. */
function modelled(widest: number) {
  const receivers = new Map<string, Receiver>();
  const underWay = new Map<string, Kind>();
  const added: string[] = [];
  const removed: string[] = [];
  const counts: Record<Kind, number> = { suspect: 0, first: 0, surplus: 0 };
  let timesOfRoom = 0;

  function get(name: string): Receiver {
    const receiver = receivers.get(name) ?? { name, waiting: [], underWay: 0, width: undefined, isBusy: false };
    receivers.set(name, receiver);
    return receiver;
  }
  const widthOf = ({ width = FIRST_WIDTH }: Receiver): number => Math.min(width, widest);
  const kindOf = ({ width, underWay: already }: Receiver): Kind =>
    width === undefined ? 'suspect' : already < FIRST_WIDTH ? 'first' : 'surplus';
  const mayBegin = (receiver: Receiver): boolean =>
    receiver.underWay < widthOf(receiver) &&
    underWay.size < PLACES &&
    counts[kindOf(receiver)] < MOST[kindOf(receiver)];

  const lanes = heldLanes(widest, (task) => {
    const receiver = get(receiverOf(task));
    if (task !== receiver.waiting[0]) throw new Error(`${task} began, and not ${receiver.waiting[0]}`);
    if (!mayBegin(receiver)) throw new Error(`${task} began without a place`);
    receiver.waiting.shift();
    underWay.set(task, kindOf(receiver));
    counts[kindOf(receiver)] += 1;
    receiver.underWay += 1;
  });

  /** Compares what holds between two steps. */
  function check(): void {
    const rooms: [string, number][] = [];
    const isOpen = counts.suspect < PLACES_OF_SUSPECTS;
    for (const receiver of receivers.values()) {
      if (receiver.waiting.length > 0 && mayBegin(receiver)) throw new Error(`${receiver.waiting[0]} has a place`);
      const load = receiver.waiting.length + receiver.underWay;
      const enough = widthOf(receiver);
      if (receiver.isBusy && load <= enough / 2) timesOfRoom += 1;
      receiver.isBusy = load >= enough || (receiver.isBusy && load > enough / 2);
      const isKnown = receiver.width !== undefined;
      if (load > 0 || isKnown) rooms.push([receiver.name, (isKnown || isOpen ? enough : 0) - load]);
    }
    const busy = [...receivers.values()].filter(({ isBusy }) => isBusy).map(({ name }) => name);
    expect([lanes.busy()?.toSorted(), lanes.timesOfRoom()]).toEqual([
      isOpen ? busy.toSorted() : undefined,
      timesOfRoom,
    ]);
    expect(lanes.rooms()).toEqual({
      known: new Map(rooms),
      other: isOpen ? FIRST_WIDTH : 0,
      places: PLACES_OF_SUSPECTS - counts.suspect,
    });
  }

  function add(name: string, count = 1): void {
    for (let n = 0; n < count; n += 1) {
      const task = `${name}/${added.length}`;
      added.push(task);
      get(name).waiting.push(task);
      lanes.add(name, task);
    }
  }

  async function end(task: string, answered: Answered): Promise<void> {
    const receiver = get(receiverOf(task));
    receiver.underWay -= 1;
    counts[underWay.get(task) ?? 'first'] -= 1;
    underWay.delete(task);
    if (answered) receiver.width = Math.min(widthOf(receiver) * 2, widest);
    else if (answered === false) receiver.width = undefined;
    await lanes.end(answered, task);
  }

  function remove(but: number): void {
    const isWanted = (task: string): boolean => Number(task.slice(task.indexOf('/') + 1)) < added.length - but;
    const expected = [...receivers.values()].flatMap((receiver) => {
      const wanted = receiver.waiting.filter(isWanted);
      receiver.waiting = receiver.waiting.filter((task) => !isWanted(task));
      return wanted;
    });
    expect(lanes.remove(isWanted).toSorted()).toEqual(expected.toSorted());
    removed.push(...expected);
  }

  return { check, add, end, remove, added, removed, begun: lanes.begun, underWay: () => [...underWay.keys()] };
}

describe('createLanes: whatever happens', () => {
  it('begins every task once unless it was taken out, in order, as soon as width and places allow', async () => {
    const widest = fc.constantFrom(1, 5, 64);
    const free = fc.integer({ min: 0, max: 3 });
    await fc.assert(
      fc.asyncProperty(
        widest,
        free,
        free,
        fc.array(step, { maxLength: 150, size: 'max' }),
        async (most, few, fewOthers, steps) => {
          const model = modelled(most);
          const each = Math.min(4, most);
          const good = names('good', Math.floor((PLACES - PLACES_OF_SUSPECTS - fewOthers) / each));
          for (const name of good) model.add(name);
          model.check();
          for (const task of model.underWay()) await model.end(task, true);
          model.check();
          for (const name of good) model.add(name, each);
          for (const name of names('silent', PLACES_OF_SUSPECTS - few)) model.add(name);
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
      { numRuns: 40 },
    );
  });
});
