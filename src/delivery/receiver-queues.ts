import { createBoundedCache } from '../bounded-cache.ts';
import type { Limits } from '../limits.ts';

type ReceiverQueues<Task> = {
  /**
   * Starts an owner's task for a receiver at once, or when there is a slot for it. The owners of a receiver are served
   * round-robin.
   */
  add(receiver: string, ownerId: number, task: Task): void;
  /** Receivers that have as many tasks as they can take; undefined: all unproven receivers have as well. */
  busy(): readonly string[] | undefined;
  /**
   * How many more tasks each known receiver can take, and any `other`. All unproven ones together can take no more than
   * `unproven`.
   */
  capacities(): { known: ReadonlyMap<string, number>; other: number; unproven: number };
  /** Removes and returns the matching tasks among those that have not started. */
  remove(matches: (task: Task) => boolean): Task[];
};

/** The tasks of one receiver. */
type Queue<Task> = {
  receiver: string;
  /** At least one of each owner; the owner that is served next comes first. */
  waiting: Map<number, Task[]>;
  waitingCount: number;
  running: number;
};

/**
 * Limits how many tasks run, in all and for each receiver, so that receivers that do not answer delay no other. Each
 * receiver has a queue, and its limit grows while it answers.
 */
export function createReceiverQueues<Task>({
  work,
  limits: { delivery: limits },
  maxConcurrent,
  onCapacity,
}: {
  /** Runs a task. Answers whether its receiver answered; undefined when it was not contacted. Never rejects. */
  work(task: Task): Promise<boolean | undefined>;
  limits: Limits;
  /** The highest limit of a receiver. */
  maxConcurrent(receiver: string): number;
  /** Called when a receiver is no longer busy. */
  onCapacity(): void;
}): ReceiverQueues<Task> {
  const queues = new Map<string, Queue<Task>>();
  /** The known of receivers that answered last time. */
  const known = createBoundedCache<string, number>(limits.knownReceivers);
  const busy = new Set<string>();
  /** For each kind of slot: how many there are, how many are used, and the queues that wait for one. */
  // Unproven receivers, which did not answer last time or have never been tried, share a third of the slots. What other
  // receivers run beyond their first tasks shares another third. So when many receivers stop answering at once, slots are
  // left for the rest.
  const third = limits.concurrent / 3;
  const slots = {
    unproven: { max: third, used: 0, blocked: new Set<Queue<Task>>() },
    initial: { max: limits.concurrent, used: 0, blocked: new Set<Queue<Task>>() },
    surplus: { max: third, used: 0, blocked: new Set<Queue<Task>>() },
  };
  type Slots = (typeof slots)[keyof typeof slots];
  let running = 0;

  /** The slots that the queue's next task needs one of. */
  function slotsFor({ receiver, running: already }: Queue<Task>): Slots {
    if (!known.has(receiver)) return slots.unproven;
    return already < limits.initialConcurrentOfReceiver ? slots.initial : slots.surplus;
  }
  const unblock = (queue: Queue<Task>): void => {
    for (const { blocked } of Object.values(slots)) blocked.delete(queue);
  };
  const isFull = ({ max, used }: Slots): boolean => running >= limits.concurrent || used >= max;

  const limitOf = (receiver: string): number =>
    Math.min(known.get(receiver) ?? limits.initialConcurrentOfReceiver, maxConcurrent(receiver));

  function add(receiver: string, ownerId: number, task: Task): void {
    const queue = queues.get(receiver) ?? { receiver, waiting: new Map(), waitingCount: 0, running: 0 };
    queues.set(receiver, queue);
    const tasks = queue.waiting.get(ownerId);
    if (tasks) tasks.push(task);
    else queue.waiting.set(ownerId, [task]);
    queue.waitingCount += 1;
    startTasks(queue);
    updateBusy(queue);
  }

  /** Removes and returns the next task; its owner is served again after all other owners. */
  function takeNext(queue: Queue<Task>): Task | undefined {
    for (const [ownerId, tasks] of queue.waiting) {
      const task = tasks.shift();
      queue.waiting.delete(ownerId);
      if (tasks.length > 0) queue.waiting.set(ownerId, tasks);
      queue.waitingCount -= 1;
      return task;
    }
    return undefined;
  }

  /** Starts as many tasks as the receiver's limit and the slots allow. */
  function startTasks(queue: Queue<Task>): void {
    unblock(queue);
    while (queue.waitingCount > 0 && queue.running < limitOf(queue.receiver)) {
      const needed = slotsFor(queue);
      if (isFull(needed)) return void needed.blocked.add(queue);
      const task = takeNext(queue);
      if (task !== undefined) void run(queue, task, needed);
    }
  }

  async function run(queue: Queue<Task>, task: Task, used: Slots): Promise<void> {
    queue.running += 1;
    running += 1;
    used.used += 1;
    const answered = await work(task);
    queue.running -= 1;
    running -= 1;
    used.used -= 1;
    const { receiver } = queue;
    if (answered) known.set(receiver, Math.min(limitOf(receiver) * 2, maxConcurrent(receiver)));
    else if (answered === false) known.delete(receiver);
    startBlocked();
    startTasks(queue);
    updateBusy(queue);
  }

  /** Gives free slots to the queues that wait for one, in their order. A queue that is blocked again comes last. */
  function startBlocked(): void {
    for (const each of Object.values(slots)) {
      for (const queue of each.blocked) {
        if (isFull(each)) break;
        startTasks(queue);
      }
    }
  }

  /** Notes whether the receiver is busy, and removes an empty queue. */
  function updateBusy(queue: Queue<Task>): void {
    const { receiver } = queue;
    const load = queue.waitingCount + queue.running;
    const limit = limitOf(receiver);
    if (load >= limit) busy.add(receiver);
    else if (load <= limit / 2 && busy.delete(receiver)) onCapacity();
    if (load === 0) queues.delete(receiver);
  }

  function remove(matches: (task: Task) => boolean): Task[] {
    return [...queues.values()].flatMap((queue) => {
      const removed: Task[] = [];
      for (const [ownerId, tasks] of queue.waiting) {
        const { gone = [], kept } = Object.groupBy(tasks, (task) => (matches(task) ? 'gone' : 'kept'));
        removed.push(...gone);
        if (kept) queue.waiting.set(ownerId, kept);
        else queue.waiting.delete(ownerId);
      }
      if (removed.length === 0) return [];
      queue.waitingCount -= removed.length;
      if (queue.waitingCount === 0) unblock(queue);
      updateBusy(queue);
      return removed;
    });
  }

  function capacities() {
    const unproven = slots.unproven.max - slots.unproven.used;
    // When unproven receivers use all of their slots, more tasks for them would only wait.
    const takesUnproven = unproven > 0;
    const capacities = new Map([...known.keys()].map((receiver) => [receiver, limitOf(receiver)]));
    for (const queue of queues.values()) {
      const { receiver } = queue;
      const limit = known.has(receiver) || takesUnproven ? limitOf(receiver) : 0;
      capacities.set(receiver, limit - queue.waitingCount - queue.running);
    }
    return { known: capacities, other: takesUnproven ? limits.initialConcurrentOfReceiver : 0, unproven };
  }

  return {
    add,
    busy: () => (slots.unproven.used < slots.unproven.max ? [...busy] : undefined),
    capacities,
    remove,
  };
}
