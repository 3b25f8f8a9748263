import { LRUCache } from 'lru-cache';

export type Lanes<Task> = {
  /** Begins a task for a receiver at once, or as soon as there is a place. */
  add(receiver: string, task: Task): void;
  /** Receivers that have enough to do; undefined: all that have still to answer. */
  busy(): readonly string[] | undefined;
  /** How many more tasks receivers can take now, and any `other`; of those that have still to answer no more than `places`. */
  rooms(): { known: ReadonlyMap<string, number>; other: number; places: number };
  /** Takes out the tasks that have not begun and that are wanted. */
  remove(isWanted: (task: Task) => boolean): Task[];
};

/** The tasks of one receiver. */
type Lane<Task> = { receiver: string; waiting: Task[]; underWay: number };

/**
 * Tasks under way in all. Receivers that did not answer last time, or have never been tried, share a third of them; what
 * others have under way beyond FIRST_WIDTH shares another, so that many that fall silent at once leave places to the rest.
 */
const PLACES = 1_536;
const PLACES_OF_SUSPECTS = PLACES / 3;
const PLACES_OF_SURPLUS = PLACES / 3;
/** Tasks under way for a receiver that has still to answer; each answer doubles it. */
const FIRST_WIDTH = 2;
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
  /** What is under way of each kind, how much of it there may be, and the lanes that wait for a place of its. */
  const kinds = {
    suspect: { places: PLACES_OF_SUSPECTS, underWay: 0, blocked: new Set<Lane<Task>>() },
    first: { places: PLACES, underWay: 0, blocked: new Set<Lane<Task>>() },
    surplus: { places: PLACES_OF_SURPLUS, underWay: 0, blocked: new Set<Lane<Task>>() },
  };
  type Kind = (typeof kinds)[keyof typeof kinds];
  let underWay = 0;

  function kindOf({ receiver, underWay: already }: Lane<Task>): Kind {
    if (!widths.has(receiver)) return kinds.suspect;
    return already < FIRST_WIDTH ? kinds.first : kinds.surplus;
  }
  const unblock = (lane: Lane<Task>): void => {
    for (const { blocked } of Object.values(kinds)) blocked.delete(lane);
  };
  const isFull = (kind: Kind): boolean => underWay >= PLACES || kind.underWay >= kind.places;

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
    unblock(lane);
    while (lane.waiting.length > 0 && lane.underWay < widthOf(lane.receiver)) {
      const kind = kindOf(lane);
      if (isFull(kind)) return void kind.blocked.add(lane);
      const [task] = lane.waiting.splice(0, 1);
      if (task !== undefined) void begin(lane, task, kind);
    }
  }

  async function begin(lane: Lane<Task>, task: Task, kind: Kind): Promise<void> {
    lane.underWay += 1;
    underWay += 1;
    kind.underWay += 1;
    const answered = await work(task);
    lane.underWay -= 1;
    underWay -= 1;
    kind.underWay -= 1;
    if (answered) widths.set(lane.receiver, Math.min(widthOf(lane.receiver) * 2, widest(lane.receiver)));
    else if (answered === false) widths.delete(lane.receiver);
    handOn();
    fill(lane);
    note(lane);
  }

  /** Gives places that are free to who has waited for one; a lane that is blocked again is the last of those that are. */
  function handOn(): void {
    for (const kind of Object.values(kinds)) {
      for (const lane of kind.blocked) {
        if (isFull(kind)) break;
        fill(lane);
      }
    }
  }

  /** Notes whether the receiver has enough to do, and forgets one that has nothing. */
  function note(lane: Lane<Task>): void {
    const { receiver, waiting } = lane;
    const load = waiting.length + lane.underWay;
    const width = widthOf(receiver);
    if (load >= width) busy.add(receiver);
    else if (load <= width / 2 && busy.delete(receiver)) onRoom();
    if (load === 0) lanes.delete(receiver);
  }

  function remove(isWanted: (task: Task) => boolean): Task[] {
    return [...lanes.values()].flatMap((lane) => {
      const removed = lane.waiting.filter(isWanted);
      if (removed.length === 0) return [];
      const gone = new Set(removed);
      lane.waiting = lane.waiting.filter((task) => !gone.has(task));
      if (lane.waiting.length === 0) unblock(lane);
      note(lane);
      return removed;
    });
  }

  function rooms() {
    // Where suspects have all of their places, more of them would only wait.
    const places = kinds.suspect.places - kinds.suspect.underWay;
    const isOpen = places > 0;
    const known = new Map([...widths.keys()].map((receiver) => [receiver, widthOf(receiver)]));
    for (const { receiver, waiting, underWay: begun } of lanes.values()) {
      const width = widths.has(receiver) || isOpen ? widthOf(receiver) : 0;
      known.set(receiver, width - waiting.length - begun);
    }
    return { known, other: isOpen ? FIRST_WIDTH : 0, places };
  }

  return {
    add,
    busy: () => (kinds.suspect.underWay < kinds.suspect.places ? [...busy] : undefined),
    rooms,
    remove,
  };
}
