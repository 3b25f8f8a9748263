import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { claimDeliveries, type LeasedDelivery, MAIL, type Outcome, settleDeliveries } from '../db/deliveries.ts';
import type { Log } from '../log.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createLanes } from './lanes.ts';
import { createOutcomeQueue } from './outcome-queue.ts';
import type { Attempt } from './send-webhook.ts';

export type Dispatcher = {
  /** Begins to look for what is due. */
  run(): void;
  /** Something about a deployment's deliveries has changed: looks at once, also again at those that wait here. */
  review(deploymentId: string): void;
  /** Receivers whose deliveries are better left in the database for now; undefined: all are, and `wake` has them looked for. */
  busy(): readonly string[] | undefined;
  /** Looks at once. */
  wake(): void;
  /** Attempts deliveries that were leased at `leasedAt` (as performance.now() tells it) or later: some now, others in a moment. */
  start(deliveries: readonly LeasedDelivery[], leasedAt: number): void;
  /** Begins no more attempts. */
  drain(): void;
  /** Settles when those under way have ended, or have been cut some seconds after `drain`; leaves the rest to the next process. */
  close(): Promise<void>;
};

/** Times are as performance.now() tells them; the lease is from before the database began it. */
type Task = { delivery: LeasedDelivery; addedAt: number; leaseEndsAt: number };

const POLL_MS = 500;
/** The part of the time that looking may take, however much there is to look through. */
const SHARE_OF_TIME = 0.1;
const LEAST_NAP_MS = 20;
const STOP_MS = 5_000;
/** After the attempts under way are cut. */
const CUT_MS = 500;
/** For writing the last outcomes down; a database that hangs finds the leases run out. */
const WRITE_MS = 1_500;
const MOST_TASKS = 4_096;
const MOST_CHARS = 64 * 1024 * 1024;
const CLAIM = 512;
const CLAIM_BYTES = 16 * 1024 * 1024;
/** Attempts under way to one host and port; connections to the mail server. */
const WIDEST = 64;
const WIDEST_MAIL = 5;
/** An attempt begins only while so much of its time-out is left of its lease; it gets no more than what is left. */
const LEAST_TIME = 0.9;
/** What has waited for longer is given back as well: its webhook may have been changed since, by any process. */
const LONGEST_WAIT_MS = 1_000;
const JITTER = 0.1;
const LONGEST_RETRY_AFTER = 24 * 60 * 60;

/** Attempts begun, or cut, at a time: what else there is to do shall not wait for hundreds of them. */
const AT_A_TIME = 4;

const charsOf = ({ data = '' }: LeasedDelivery): number => data.length;

/**
 * Attempts deliveries: those just made, at once; those that are due, from the database. Each is leased to one process at a
 * time, so that any number of dispatchers work on one database.
 */
export function createDispatcher({
  db,
  attempt,
  retryDelays,
  timeoutMs,
  leaseMs,
  log,
  count,
}: {
  db: Knex;
  attempt: AttemptDelivery;
  /** Seconds. */
  retryDelays: readonly number[];
  timeoutMs: number;
  leaseMs: number;
  log: Log;
  /** Is told of each attempt that has ended. */
  count(kind: 'webhook' | 'mail', result: Outcome['result']): void;
}): Dispatcher {
  const underWay = new Map<AbortController, Promise<boolean>>();
  const outcomes = createOutcomeQueue(write, log);
  const lanes = createLanes<Task>({
    work: begin,
    widest: (receiver) => (receiver === MAIL ? WIDEST_MAIL : WIDEST),
    onRoom: wake,
  });
  /** Not given to their lanes yet. */
  let incoming: Task[] = [];
  let soon: NodeJS.Immediate | undefined;
  /** Out of time, and still to be cut. */
  const expired: AbortController[] = [];
  /** All that has begun, or waits to. */
  let tasks = 0;
  let chars = 0;
  const drained = new AbortController();
  let ending: Promise<void> | undefined;
  let isCut = false;
  let isWoken = false;
  let nap = new AbortController();
  let polling: Promise<void> | undefined;

  const isFull = (): boolean => tasks + outcomes.size() >= MOST_TASKS || chars >= MOST_CHARS;

  function start(deliveries: readonly LeasedDelivery[], leasedAt: number): void {
    const leaseEndsAt = leasedAt + leaseMs;
    for (const delivery of deliveries) {
      tasks += 1;
      chars += charsOf(delivery);
      incoming.push({ delivery, addedAt: performance.now(), leaseEndsAt });
    }
    if (soon === undefined) beginSome();
  }

  function beginSome(): void {
    soon = undefined;
    for (const task of incoming.splice(0, AT_A_TIME)) {
      const { delivery } = task;
      // One at least, however large.
      if (drained.signal.aborted || (chars > MOST_CHARS && tasks > 1)) giveBack(delivery);
      else lanes.add(delivery.receiver, task);
    }
    if (incoming.length > 0) soon = setImmediate(beginSome);
  }

  function finish(delivery: LeasedDelivery, outcome: Outcome): void {
    tasks -= 1;
    chars -= charsOf(delivery);
    outcomes.add(outcome);
  }

  function giveBack(delivery: LeasedDelivery): void {
    finish(delivery, toOutcome(delivery, 'returned', {}));
  }

  function isLate({ addedAt, leaseEndsAt }: Task): boolean {
    const now = performance.now();
    return leaseEndsAt - now < timeoutMs * LEAST_TIME || now - addedAt > LONGEST_WAIT_MS;
  }

  function giveBackWaiting(isWanted: (task: Task) => boolean): void {
    const removed = [...incoming.filter(isWanted), ...lanes.remove(isWanted)];
    incoming = incoming.filter((task) => !isWanted(task));
    for (const { delivery } of removed) giveBack(delivery);
  }

  /** Whether the receiver answered; undefined when it was too late to ask it. */
  async function begin(task: Task): Promise<boolean | undefined> {
    if (isLate(task)) {
      giveBack(task.delivery);
      return undefined;
    }
    const controller = new AbortController();
    const done = attemptOnce(task, controller);
    underWay.set(controller, done);
    return done;
  }

  function cutSome(): void {
    for (const controller of expired.splice(0, AT_A_TIME)) controller.abort();
    if (expired.length > 0) setImmediate(cutSome);
  }

  async function attemptOnce({ delivery, leaseEndsAt }: Task, controller: AbortController): Promise<boolean> {
    const deadline = setTimeout(
      () => {
        // Those that were begun together run out together.
        if (expired.push(controller) === 1) setImmediate(cutSome);
      },
      Math.min(timeoutMs, leaseEndsAt - performance.now()),
    );
    const result = await attempt(delivery, controller.signal).catch((error): Attempt => {
      log.error({ err: error, delivery: delivery.id }, 'an attempt failed for a reason of our own');
      return { error: 'the service failed in the attempt' };
    });
    clearTimeout(deadline);
    underWay.delete(controller);
    // What was cut because the service stops is nobody's failure.
    if (isCut && result.error !== undefined) giveBack(delivery);
    else conclude(delivery, result);
    return result.status !== undefined && !controller.signal.aborted;
  }

  function conclude(delivery: LeasedDelivery, result: Attempt): void {
    const { id, attempts, target } = delivery;
    const next = retryDelays[attempts - 1];
    const outcome =
      result.error === undefined
        ? toOutcome(delivery, 'succeeded', result)
        : next === undefined
          ? toOutcome(delivery, 'failed', result)
          : toOutcome(delivery, 'retry', result, waitAfter(next, result));
    finish(delivery, outcome);
    count(target.kind, outcome.result);
    const webhook = target.kind === 'webhook' ? target.webhookId : undefined;
    const level = result.error === undefined ? 'debug' : 'info';
    const { status, error } = result;
    log[level]({ delivery: id, webhook, attempts, status, error }, `delivery: ${outcome.result}`);
  }

  /** Leases what is due; whether there may be more that could be begun. */
  async function claim(): Promise<boolean> {
    giveBackWaiting(isLate);
    // What succeeded meanwhile would be sent again once its lease runs out.
    if (isFull() || outcomes.isBehind()) return false;
    const rooms = lanes.rooms();
    const areKnown = [...rooms.known.values()].some((room) => room > 0);
    if (rooms.places <= 0 && !areKnown) return false;
    const leasedAt = performance.now();
    const claimed = await claimDeliveries(db, {
      rooms: rooms.known,
      otherRoom: rooms.other,
      // What nobody has a place for would wait here, and be given back.
      limit: areKnown ? CLAIM : Math.min(CLAIM, rooms.places),
      memory: CLAIM_BYTES,
      leaseMs,
      mostAttempts: retryDelays.length + 1,
    });
    start(claimed, leasedAt);
    return claimed.length > 0;
  }

  async function poll(): Promise<void> {
    let isAway = false;
    while (!drained.signal.aborted) {
      isWoken = false;
      const beganAt = performance.now();
      let isMore = false;
      try {
        isMore = await claim();
        isAway = false;
      } catch (error) {
        if (!isAway) log.warn({ err: error }, 'deliveries cannot be looked for; trying again');
        isAway = true;
      }
      const took = performance.now() - beganAt;
      await rest(Math.max(LEAST_NAP_MS, took / SHARE_OF_TIME - took), drained.signal);
      if (isWoken || isMore) continue;
      nap = new AbortController();
      const signal = AbortSignal.any([nap.signal, drained.signal]);
      await rest(POLL_MS, signal);
    }
  }

  function wake(): void {
    isWoken = true;
    nap.abort();
  }

  async function write(batch: readonly Outcome[]): Promise<void> {
    const switchedOff = await settleDeliveries(db, batch);
    for (const webhook of switchedOff) log.warn({ webhook }, 'webhook switched off');
    // The mails that say so are due.
    if (switchedOff.length > 0) wake();
  }

  async function endAttempts(): Promise<void> {
    giveBackWaiting(() => true);
    await within(STOP_MS, Promise.all(underWay.values()));
    isCut = true;
    for (const controller of underWay.keys()) controller.abort();
    await within(CUT_MS, Promise.all(underWay.values()));
  }

  function drain(): void {
    drained.abort();
    ending ??= endAttempts();
  }

  async function close(): Promise<void> {
    drain();
    await ending;
    while (incoming.length > 0) beginSome();
    await polling;
    await within(WRITE_MS, outcomes.close());
  }

  return {
    run: () => {
      polling ??= poll();
    },
    review(deploymentId) {
      giveBackWaiting(({ delivery }) => delivery.deploymentId === deploymentId);
      wake();
    },
    busy: () => (isFull() || drained.signal.aborted ? undefined : lanes.busy()),
    wake,
    start,
    drain,
    close,
  };
}

/** Seconds until the next attempt: as scheduled, or as the receiver asks if that is longer. */
const waitAfter = (scheduled: number, { retryAfter = 0 }: Attempt): number =>
  Math.max(scheduled * (1 + Math.random() * JITTER), Math.min(retryAfter, LONGEST_RETRY_AFTER));

const toOutcome = (
  { id, attempts, target }: LeasedDelivery,
  result: Outcome['result'],
  { status, error }: Attempt,
  delay = 0,
): Outcome => ({
  id,
  attempts,
  webhook:
    target.kind === 'webhook' && (target.isFailing || result !== 'succeeded')
      ? { id: target.webhookId, url: target.url }
      : undefined,
  result,
  lastStatus: status,
  lastError: error,
  delay,
});

/** Waits, or until the signal fires. */
const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/** Waits for something, but no longer than so many milliseconds. */
async function within(ms: number, something: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  await Promise.race([
    something.finally(() => enough.abort()),
    delay(ms, undefined, { signal: enough.signal }).catch(() => undefined),
  ]);
}
