import { LRUCache } from 'lru-cache';

export type Lanes<Task> = {
  /** Begins a task for a receiver at once, or as soon as there is a place. */
  add(receiver: string, task: Task): void;
  /** Receivers that have enough to do. */
  busy(): readonly string[];
  /** How many more tasks each receiver with tasks can take now; any other can take FIRST_WIDTH. */
  rooms(): ReadonlyMap<string, number>;
  /** Takes out the tasks that have not begun and that are wanted. */
  remove(isWanted: (task: Task) => boolean): Task[];
};

/** The tasks of one receiver. */
type Lane<Task> = { receiver: string; waiting: Task[]; underWay: number };

/** Tasks under way in all; receivers that did not answer last time, or have never been tried, share half of them. */
const PLACES = 1_024;
const PLACES_OF_SUSPECTS = PLACES / 2;
/** Tasks under way for a receiver that has still to answer; each answer doubles it. */
export const FIRST_WIDTH = 2;
/** Tasks for each that may be under way, where the receiver answers: what waits is begun as soon as another ends. */
const SUPPLY = 2;
const REMEMBERED_RECEIVERS = 10_000;

/**
 * Bounds how much is under way, in all and for each receiver, so that those that hang hold up no other: each has a lane of
 * its own, which is wider the better it answers.
 */
export function createLanes<Task>({
  work,
  widest,
  onRoom,
}: {
  /** Does a task; answers whether its receiver answered, undefined when it wasn't asked. Never rejects. */
  work(task: Task): Promise<boolean | undefined>;
  /** The most tasks under way for a receiver. */
  widest(receiver: string): number;
  /** A receiver is no longer busy. */
  onRoom(): void;
}): Lanes<Task> {
  const lanes = new Map<string, Lane<Task>>();
  /** Of receivers that answered last time: the tasks that may be under way. */
  const widths = new LRUCache<string, number>({ max: REMEMBERED_RECEIVERS });
  const busy = new Set<string>();
  /** Lanes that could begin a task if there were a place. */
  const blocked = new Set<Lane<Task>>();
  const blockedSuspects = new Set<Lane<Task>>();
  let underWay = 0;
  let ofSuspects = 0;

  const enoughFor = (receiver: string): number => widthOf(receiver) * (widths.has(receiver) ? SUPPLY : 1);
  const widthOf = (receiver: string): number => Math.min(widths.get(receiver) ?? FIRST_WIDTH, widest(receiver));

  function add(receiver: string, task: Task): void {
    const lane = lanes.get(receiver) ?? { receiver, waiting: [], underWay: 0 };
    lanes.set(receiver, lane);
    lane.waiting.push(task);
    fill(lane);
    note(lane);
  }

  /** Begins what the lane's width and the places allow. */
  function fill(lane: Lane<Task>): void {
    blocked.delete(lane);
    blockedSuspects.delete(lane);
    while (lane.waiting.length > 0 && lane.underWay < widthOf(lane.receiver)) {
      const isSuspect = !widths.has(lane.receiver);
      if (isSuspect && ofSuspects >= PLACES_OF_SUSPECTS) return void blockedSuspects.add(lane);
      if (underWay >= PLACES) return void blocked.add(lane);
      const [task] = lane.waiting.splice(0, 1);
      if (task !== undefined) void begin(lane, task, isSuspect);
    }
  }

  async function begin(lane: Lane<Task>, task: Task, isSuspect: boolean): Promise<void> {
    lane.underWay += 1;
    underWay += 1;
    if (isSuspect) ofSuspects += 1;
    const answered = await work(task);
    lane.underWay -= 1;
    underWay -= 1;
    if (isSuspect) ofSuspects -= 1;
    if (answered) widths.set(lane.receiver, Math.min(widthOf(lane.receiver) * 2, widest(lane.receiver)));
    else if (answered === false) widths.delete(lane.receiver);
    handOn();
    fill(lane);
    note(lane);
  }

  /** Gives places that are free to who has waited for one; a lane that is blocked again is the last of those that are. */
  function handOn(): void {
    for (const lane of blockedSuspects) {
      if (ofSuspects >= PLACES_OF_SUSPECTS || underWay >= PLACES) break;
      fill(lane);
    }
    for (const lane of blocked) {
      if (underWay >= PLACES) break;
      fill(lane);
    }
  }

  /** Notes whether the receiver has enough to do, and forgets one that has nothing. */
  function note(lane: Lane<Task>): void {
    const { receiver, waiting } = lane;
    const load = waiting.length + lane.underWay;
    const enough = enoughFor(receiver);
    if (load >= enough) busy.add(receiver);
    else if (load <= enough / 2 && busy.delete(receiver)) onRoom();
    if (load === 0) lanes.delete(receiver);
  }

  function remove(isWanted: (task: Task) => boolean): Task[] {
    return [...lanes.values()].flatMap((lane) => {
      const removed = lane.waiting.filter(isWanted);
      if (removed.length === 0) return [];
      lane.waiting = lane.waiting.filter((task) => !removed.includes(task));
      if (lane.waiting.length === 0) {
        blocked.delete(lane);
        blockedSuspects.delete(lane);
      }
      note(lane);
      return removed;
    });
  }

  const rooms = (): Map<string, number> =>
    new Map(
      Array.from(lanes.values(), ({ receiver, waiting, underWay }) => [
        receiver,
        enoughFor(receiver) - waiting.length - underWay,
      ]),
    );

  return { add, busy: () => [...busy], rooms, remove };
}
