import { setImmediate as anotherTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type AttemptOutcome, claimDeliveries, type Pair, settleDeliveries } from '../db/delivery-queue.ts';
import { type LeasedDelivery, MAIL } from '../db/delivery-target.ts';
import type { Limits } from '../limits.ts';
import type { Log } from '../log.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createDeliveryLoad } from './delivery-load.ts';
import { createOutcomeQueue } from './outcome-queue.ts';
import { createPollLoop } from './poll-loop.ts';
import { createReceiverQueues } from './receiver-queues.ts';
import { decide } from './retry-policy.ts';
import { createRunningAttempts } from './running-attempts.ts';
import type { Attempt } from './send-webhook.ts';
import { within } from './within.ts';

export type Dispatcher = {
  /** Starts to claim what is due. */
  run(): void;
  /**
   * Is called when a deployment's deliveries, or their targets, have changed: returns waiting ones to the database,
   * and claims at once.
   */
  review(deploymentId: string): void;
  /**
   * Receivers whose deliveries should not be leased for this process now; undefined: all of them, and `wake` is called
   * instead.
   */
  busy(): readonly string[] | undefined;
  /** Claims at once. */
  wake(): void;
  /**
   * Attempts deliveries that were leased at `leasedAt` (a time of performance.now()) or later: some now, others soon.
   */
  start(deliveries: readonly LeasedDelivery[], leasedAt: number): void;
  /** Starts no more attempts. */
  drain(): void;
  /**
   * Settles when the running attempts have ended, or have been aborted some seconds after `drain`. Others attempt the
   * rest.
   */
  close(): Promise<void>;
};

/** Times are of performance.now(). The lease ends earlier here than in the database, which starts it later. */
type Task = { delivery: LeasedDelivery; addedAt: number; leaseEndsAt: number };

/**
 * Attempts deliveries: new ones at once, and due ones from the database. Each is leased to one process at a time, so
 * that any number of dispatchers can share a database.
 */
export function createDispatcher({
  db,
  attempt,
  retryDelays,
  timeoutMs,
  leaseMs,
  limits: all,
  log,
  count,
}: {
  db: Knex;
  attempt: AttemptDelivery;
  /** Seconds. */
  retryDelays: readonly number[];
  timeoutMs: number;
  leaseMs: number;
  limits: Limits;
  log: Log;
  /** Is called for each attempt that has ended. */
  count(kind: 'webhook' | 'mail', result: AttemptOutcome['result']): void;
}): Dispatcher {
  const limits = all.delivery;
  const running = createRunningAttempts(attempt, all, log);
  const outcomes = createOutcomeQueue(store, all, log);
  /** What runs, or waits in the queue of its receiver. */
  const load = createDeliveryLoad(all);
  const queues = createReceiverQueues<Task>({
    work: startAttempt,
    limits: all,
    maxConcurrent: (receiver) => (receiver === MAIL ? all.mail.concurrent : limits.concurrentOfReceiver),
    onCapacity: wake,
  });
  /** Not in the queues of their receivers yet. */
  let incoming: Task[] = [];
  let nextTurn: NodeJS.Immediate | undefined;
  /** Where the last claim stopped; undefined when it has seen everything. */
  let last: Pair | undefined;
  const drained = new AbortController();
  let ending: Promise<void> | undefined;
  let polling: Promise<void> | undefined;
  const loop = createPollLoop({
    poll: claim,
    pollMs: limits.pollIntervalMs,
    limits: all,
    onError: (error) => log.warn({ err: error }, 'due deliveries could not be claimed; trying again'),
    signal: drained.signal,
  });

  function wake(): void {
    loop.wake();
  }

  const isFull = (): boolean => load.isFull(incoming.length + outcomes.size());

  /** Claims what is due. Answers in how many milliseconds more may be due. */
  async function claim(): Promise<number> {
    giveBackWaiting(isLate);
    // While outcomes are not stored, leases end, and deliveries that have succeeded would be sent again.
    if (isFull() || outcomes.isBehind()) return Number.POSITIVE_INFINITY;
    const { known, other, unproven } = queues.capacities();
    const hasKnownCapacity = [...known.values()].some((capacity) => capacity > 0);
    if (unproven <= 0 && !hasKnownCapacity) return Number.POSITIVE_INFINITY;
    const leasedAt = performance.now();
    const claimed = await claimDeliveries(db, {
      after: last,
      capacities: known,
      otherCapacity: other,
      fullOwners: load.fullOwners(),
      // Beyond the slots of unproven receivers, deliveries would wait here, and be given back.
      limit: hasKnownCapacity ? limits.claimedDeliveries : Math.min(limits.claimedDeliveries, unproven),
      memory: limits.claimedBytes,
      leaseMs,
      maxAttempts: retryDelays.length + 1,
    });
    last = claimed.last;
    // This process may just have stored their submissions: it answers the visitors first, in the turn after this one.
    await anotherTurn();
    await anotherTurn();
    start(claimed.deliveries, leasedAt);
    return claimed.deliveries.length > 0 || last !== undefined ? 0 : claimed.nextDueInMs;
  }

  function start(deliveries: readonly LeasedDelivery[], leasedAt: number): void {
    const leaseEndsAt = leasedAt + leaseMs;
    for (const delivery of deliveries) incoming.push({ delivery, addedAt: performance.now(), leaseEndsAt });
    if (nextTurn === undefined) enqueueSome();
  }

  function enqueueSome(): void {
    nextTurn = undefined;
    for (const task of incoming.splice(0, limits.startsPerTurn)) enqueue(task);
    if (incoming.length > 0) nextTurn = setImmediate(enqueueSome);
  }

  function enqueue(task: Task): void {
    const { delivery } = task;
    if (drained.signal.aborted || !load.accepts(delivery.ownerId)) outcomes.add(returned(delivery));
    else {
      load.add(delivery);
      queues.add(delivery.receiver, delivery.ownerId, task);
    }
  }

  /** Records the outcome of a task that has left its queue. */
  function finish(delivery: LeasedDelivery, outcome: AttemptOutcome): void {
    load.remove(delivery);
    outcomes.add(outcome);
  }

  const giveBack = (delivery: LeasedDelivery): void => finish(delivery, returned(delivery));

  function giveBackWaiting(matches: (task: Task) => boolean): void {
    for (const { delivery } of incoming.filter(matches)) outcomes.add(returned(delivery));
    incoming = incoming.filter((task) => !matches(task));
    for (const { delivery } of queues.remove(matches)) giveBack(delivery);
  }

  function isLate({ addedAt, leaseEndsAt }: Task): boolean {
    const now = performance.now();
    return leaseEndsAt - now < timeoutMs * limits.minPartOfTimeout || now - addedAt > limits.queueTimeoutMs;
  }

  /** Whether the receiver answered; undefined when it was too late to contact it. */
  async function startAttempt(task: Task): Promise<boolean | undefined> {
    const { delivery, leaseEndsAt } = task;
    if (isLate(task)) {
      giveBack(delivery);
      return undefined;
    }
    const { attempt, isAnswered, isCancelled } = await running.run(
      delivery,
      Math.min(timeoutMs, leaseEndsAt - performance.now()),
    );
    if (isCancelled) giveBack(delivery);
    else conclude(delivery, attempt);
    return isAnswered;
  }

  function conclude(delivery: LeasedDelivery, attempt: Attempt): void {
    const { id, attempts, target } = delivery;
    const { result, delay } = decide(attempt, attempts, retryDelays, Math.random());
    finish(delivery, toOutcome(delivery, result, attempt, delay));
    count(target.kind === 'webhook' ? 'webhook' : 'mail', result);
    const webhook = target.kind === 'webhook' ? target.webhookId : undefined;
    const { status, error } = attempt;
    const level = error === undefined ? 'debug' : 'info';
    log[level]({ delivery: id, webhook, attempts, status, error }, `delivery: ${result}`);
  }

  async function store(batch: readonly AttemptOutcome[]): Promise<void> {
    const { webhooks, mails } = await settleDeliveries(db, batch);
    for (const webhook of webhooks) log.warn({ webhook }, 'webhook switched off');
    for (const { deploymentId, recipient } of mails) {
      log.warn({ deployment: deploymentId, recipient }, 'mail switched off: the mail server refuses the address');
    }
    // Their notices are due.
    if (webhooks.length > 0 || mails.length > 0) wake();
  }

  function drain(): void {
    drained.abort();
    ending ??= endAttempts();
  }

  async function endAttempts(): Promise<void> {
    giveBackWaiting(() => true);
    await running.stop();
  }

  async function close(): Promise<void> {
    drain();
    await ending;
    while (incoming.length > 0) enqueueSome();
    await polling;
    await within(limits.storeOutcomesTimeoutMs, outcomes.close());
  }

  return {
    run: () => {
      polling ??= loop.run();
    },
    review(deploymentId) {
      giveBackWaiting(({ delivery }) => delivery.deploymentId === deploymentId);
      wake();
    },
    busy: () => (isFull() || drained.signal.aborted ? undefined : queues.busy()),
    wake,
    start,
    drain,
    close,
  };
}

const toOutcome = (
  { id, attempts, deploymentId, target }: LeasedDelivery,
  result: AttemptOutcome['result'],
  { status, error, isRefused = false }: Attempt,
  delay: number,
): AttemptOutcome => ({
  id,
  deploymentId,
  attempts,
  webhook:
    target.kind === 'webhook' && (target.isFailing || result !== 'succeeded')
      ? { id: target.webhookId, url: target.url }
      : undefined,
  mail:
    target.kind === 'mail' || target.kind === 'digest' || target.kind === 'test-mail'
      ? { deploymentId, recipientId: target.recipientId, isRefused }
      : undefined,
  result,
  lastStatus: status,
  lastError: error,
  delay,
});

const returned = (delivery: LeasedDelivery): AttemptOutcome => toOutcome(delivery, 'returned', {}, 0);
