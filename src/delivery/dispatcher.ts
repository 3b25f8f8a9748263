import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { findDuePairs, leaseDeliveries, type Pair } from '../db/deliveries/delivery-queue.ts';
import { type LeasedDelivery, MAIL } from '../db/deliveries/delivery-target.ts';
import { type AttemptOutcome, settleDeliveries } from '../db/deliveries/settle-deliveries.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import { OutcomeQueue } from './outcome-queue.ts';
import { type Polled, PollLoop } from './poll-loop.ts';
import { decide } from './retry-policy.ts';
import type { Sender } from './sender.ts';
import { type Slot, Slots } from './slots.ts';
import type { Attempt } from './webhooks/send-webhook.ts';
import { within } from './within.ts';

type Options = {
  db: Knex;
  sender: Pick<Sender, 'attempt'>;
  /** Seconds. */
  retryDelays: readonly number[];
  timeoutMs: number;
  leaseMs: number;
  limits: Limits;
  log: Log;
  /** Called for each attempt that has ended. */
  count(kind: 'webhook' | 'mail', result: AttemptOutcome['result']): void;
};

/**
 * Attempts deliveries that are due: it leases as many as it can run at once, and runs them all. A lease belongs to one
 * process at a time, so any number of dispatchers can share a database.
 */
export class Dispatcher {
  readonly #options: Options;
  readonly #slots: Slots;
  readonly #outcomes: OutcomeQueue;
  readonly #loop: PollLoop;
  readonly #draining = new AbortController();
  readonly #running = new Map<AbortController, Promise<void>>();
  /** Where the last look for due deliveries stopped; undefined when it has seen all. */
  #last: Pair | undefined;
  /** Whether attempts that end now fail because the service stops. */
  #isCancelling = false;
  #polling: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: Options) {
    const { limits, log } = options;
    this.#options = options;
    this.#slots = new Slots(limits);
    this.#outcomes = new OutcomeQueue((batch) => this.#settle(batch), limits, log);
    this.#loop = new PollLoop({
      poll: () => this.#claim(),
      pollMs: limits.delivery.pollIntervalMs,
      limits,
      onError: (error) => log.warn({ err: error }, 'due deliveries could not be claimed; trying again'),
      signal: this.#draining.signal,
    });
  }

  /** Starts to claim what is due. */
  run(): void {
    this.#polling ??= this.#loop.run();
  }

  /** Claims soon: deliveries have become due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Starts no more attempts. */
  drain(): void {
    this.#draining.abort();
    this.#stopping ??= this.#stopAttempts();
  }

  /**
   * Settles when the running attempts have ended, or have been aborted some seconds after `drain`, and their outcomes are
   * stored.
   */
  async close(): Promise<void> {
    this.drain();
    await this.#stopping;
    const stored = Promise.resolve(this.#polling).then(() => this.#outcomes.close());
    await within(this.#options.limits.delivery.storeOutcomesTimeoutMs, stored);
  }

  async #claim(): Promise<Polled> {
    const { db, limits, leaseMs, retryDelays } = this.#options;
    const memory = Math.min(limits.delivery.claimedBytes, this.#slots.freeChars);
    if (memory <= 0 || this.#outcomes.isFailing) return 'nothing';
    const { pairs, last } = await findDuePairs(db, this.#last);
    this.#last = last;
    const slots = this.#slots.take(pairs, limits.delivery.claimedDeliveries);
    const otherwise = last ? 'more' : 'nothing';
    if (slots.length === 0) return otherwise;
    const leaseEndsAt = performance.now() + leaseMs;
    try {
      const options = { memory, leaseMs, maxAttempts: retryDelays.length + 1 };
      const { deliveries, count } = await leaseDeliveries(db, slots, options);
      await this.#startAll(deliveries, slots, leaseEndsAt);
      return count > 0 ? 'work' : otherwise;
    } finally {
      for (const slot of slots) this.#slots.release(slot);
    }
  }

  /** Starts all that were leased, and removes their slots from `slots`. `leaseEndsAt` is a time of performance.now(). */
  async #startAll(deliveries: readonly LeasedDelivery[], slots: Slot[], leaseEndsAt: number): Promise<void> {
    const { timeoutMs, limits } = this.#options;
    for (const [index, delivery] of deliveries.entries()) {
      // Hundreds in one turn would delay other work.
      if (index % limits.delivery.startsPerTurn === 0) await nextTurn();
      const ms = attemptTimeMs(timeoutMs, leaseEndsAt - performance.now(), limits);
      const slot = ms === undefined || this.#draining.signal.aborted ? undefined : removeSlot(slots, delivery);
      if (ms !== undefined && slot) this.#start(delivery, slot, ms);
      else this.#outcomes.add(toOutcome(delivery, 'returned', {}, 0));
    }
  }

  #start(delivery: LeasedDelivery, slot: Slot, timeoutMs: number): void {
    const controller = new AbortController();
    const timeout = setTimeout(() => controller.abort(), timeoutMs);
    const chars = delivery.data?.length ?? 0;
    this.#slots.addChars(slot.ownerId, chars);
    const ended = this.#attempt(delivery, controller.signal).finally(() => {
      clearTimeout(timeout);
      this.#running.delete(controller);
      this.#slots.addChars(slot.ownerId, -chars);
      this.#slots.release(slot);
      // Others may wait for this slot.
      this.wake();
    });
    this.#running.set(controller, ended);
  }

  /** Never rejects. */
  async #attempt(delivery: LeasedDelivery, signal: AbortSignal): Promise<void> {
    const { sender, log } = this.#options;
    const attempt = await sender.attempt(delivery, signal).catch((error): Attempt => {
      log.error({ err: error, delivery: delivery.id }, 'an attempt failed because of an internal error');
      return { error: 'an internal error of the service' };
    });
    if (delivery.target.kind !== 'unreadable') {
      this.#slots.noteAnswer(delivery.receiver, attempt.status !== undefined && !signal.aborted);
    }
    if (this.#isCancelling && attempt.error !== undefined) {
      this.#outcomes.add(toOutcome(delivery, 'returned', {}, 0));
    } else this.#conclude(delivery, attempt);
  }

  #conclude(delivery: LeasedDelivery, attempt: Attempt): void {
    const { retryDelays, count, log } = this.#options;
    const { id, attempts, receiver, target } = delivery;
    const { result, delay } = decide(attempt, attempts, retryDelays, Math.random());
    this.#outcomes.add(toOutcome(delivery, result, attempt, delay));
    count(receiver === MAIL ? 'mail' : 'webhook', result);
    const webhook = target.kind === 'webhook' ? target.webhookId : undefined;
    const { status, error } = attempt;
    const level = error === undefined ? 'debug' : 'info';
    log[level]({ delivery: id, webhook, attempts, status, error }, `delivery: ${result}`);
  }

  async #settle(batch: readonly AttemptOutcome[]): Promise<void> {
    const { db, log } = this.#options;
    const { webhooks, mails } = await settleDeliveries(db, batch);
    for (const webhook of webhooks) log.warn({ webhook }, 'webhook switched off');
    for (const { deploymentId, recipient } of mails) {
      log.warn({ deployment: deploymentId, recipient }, 'mail switched off: the mail server refuses the address');
    }
    // Their notices are due.
    if (webhooks.length > 0 || mails.length > 0) this.wake();
  }

  async #stopAttempts(): Promise<void> {
    const { stopTimeoutMs, abortTimeoutMs } = this.#options.limits.delivery;
    await within(stopTimeoutMs, Promise.all(this.#running.values()));
    this.#isCancelling = true;
    for (const controller of this.#running.keys()) controller.abort();
    await within(abortTimeoutMs, Promise.all(this.#running.values()));
  }
}

/** How long an attempt may take: it ends before its lease. undefined: too little of the lease is left to begin. */
export function attemptTimeMs(timeoutMs: number, leftMs: number, { delivery }: Limits): number | undefined {
  return leftMs < timeoutMs * delivery.minPartOfTimeout ? undefined : Math.min(timeoutMs, leftMs);
}

function removeSlot(slots: Slot[], { receiver, ownerId }: Pair): Slot | undefined {
  const index = slots.findIndex((slot) => slot.receiver === receiver && slot.ownerId === ownerId);
  return index < 0 ? undefined : slots.splice(index, 1)[0];
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
