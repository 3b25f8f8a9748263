import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LOGGED_MAIL_EVENTS } from '../db/deliveries/delivery-log-queries.ts';
import { findDuePairs, type LeasedDelivery, leaseDeliveries, type Pair } from '../db/deliveries/delivery-queue.ts';
import { type AttemptOutcome, type LoggedAttempt, settleDeliveries } from '../db/deliveries/settle-deliveries.ts';
import { CONFIRMATION_EVENT } from '../db/deliveries/visitor-confirmation-queries.ts';
import type { Log } from '../lib/log.ts';
import { PollLoop } from '../lib/poll-loop.ts';
import type { Limits } from '../limits.ts';
import { FAILURES } from '../problems/delivery-failures.ts';
import { type Attempt, decide } from './attempt.ts';
import { OutcomeQueue } from './outcome-queue.ts';
import type { Sender } from './sender.ts';
import { Slots } from './slots.ts';

/**
 * Polls that find nothing take this part of the time at most: after a slow one the pause is longer. A receiver whose slots
 * are all in use gets nothing more in that pause.
 */
const MAX_POLL_SHARE = 0.5;
/** Deliveries that one statement leases. The deliveries of at most two statements wait to be started. */
const LEASED_DELIVERIES = 192;
/** An attempt starts only while this part of its time-out is left of its lease. It gets no more time than is left. */
const MIN_PART_OF_TIMEOUT = 0.9;
/** Attempts that are started in one turn of the event loop. Hundreds would delay other work. */
const STARTS_PER_TURN = 4;

export type DispatcherSettings = {
  db: Knex;
  sender: Pick<Sender, 'attempt'>;
  /** Seconds. */
  retryDelays: readonly number[];
  /** The time-out of an attempt to call a webhook. `leaseMs` is the time of its lease; `limits` has the times for mail. */
  timeoutMs: number;
  leaseMs: number;
  limits: Limits;
  log: Log;
  /** Called for each attempt that has ended. */
  count(kind: 'webhook' | 'mail', result: AttemptOutcome['result'] | 'skipped'): void;
};

/**
 * Attempts deliveries that are due: it leases as many as it can run at once, and runs them all. A lease belongs to one
 * process at a time, so any number of dispatchers can share a database.
 */
export class Dispatcher {
  readonly #options: DispatcherSettings;
  readonly #slots: Slots;
  readonly #outcomes: OutcomeQueue;
  readonly #loop: PollLoop;
  readonly #draining = new AbortController();
  readonly #running = new Map<AbortController, Promise<void>>();
  /** Settles when all that were leased have been started. */
  #starting: Promise<void> = Promise.resolve();
  /** Where the last look for due deliveries stopped; undefined when it has seen all. */
  #last: Pair | undefined;
  /** True if attempts that end now fail because the service stops. */
  #isCancelling = false;
  #polling: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: DispatcherSettings) {
    const { limits, log } = options;
    this.#options = options;
    this.#slots = new Slots(limits);
    this.#outcomes = new OutcomeQueue((batch) => this.#settle(batch), log);
    this.#loop = new PollLoop({
      poll: () => this.#poll(),
      retryMs: limits.delivery.pollIntervalMs,
      failure: 'due deliveries could not be leased; trying again',
      log,
      signal: this.#draining.signal,
    });
  }

  /** Starts to lease what is due. */
  run(): void {
    this.#polling ??= this.#loop.run();
  }

  /** Leases soon: deliveries have become due. */
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
    const started = Promise.resolve(this.#polling).then(() => this.#starting);
    const stored = started.then(() => this.#outcomes.close());
    await within(this.#options.limits.delivery.storeOutcomesTimeoutMs, stored);
  }

  /** Returns the pause until the next poll. */
  async #poll(): Promise<number> {
    const { pollIntervalMs } = this.#options.limits.delivery;
    const startedAt = performance.now();
    const found = await this.#leaseDue();
    // The next poll finds work too.
    if (found === 'work') return 0;
    // Polls that only look use half of the time at most, however often the loop is woken.
    const tookMs = performance.now() - startedAt;
    await delay(tookMs / MAX_POLL_SHARE - tookMs, undefined, { signal: this.#draining.signal }).catch(() => undefined);
    return found === 'more' ? 0 : pollIntervalMs;
  }

  /** `work`: there was some. `more`: none yet, and the look for it has not seen all. */
  async #leaseDue(): Promise<'work' | 'more' | 'nothing'> {
    const { db, limits, leaseMs, retryDelays } = this.#options;
    const memory = Math.min(limits.delivery.leasedBytes, this.#slots.freeChars);
    if (memory <= 0 || this.#outcomes.isFailing) return 'nothing';
    const { pairs, last } = await findDuePairs(db, this.#last);
    this.#last = last;
    const allotted = this.#slots.allot(pairs, LEASED_DELIVERIES);
    const otherwise = last ? 'more' : 'nothing';
    if (allotted.length === 0) return otherwise;
    const mailLeaseMs = limits.mail.attemptTimeoutMs + limits.mail.leaseMarginMs;
    const options = { memory, leaseMs, mailLeaseMs, maxAttempts: retryDelays.length + 1 };
    const leasedAt = performance.now();
    const { deliveries, count } = await leaseDeliveries(db, allotted, options);
    await this.#startAll(deliveries, leasedAt);
    return count > 0 ? 'work' : otherwise;
  }

  /**
   * Starts them, while the next ones are leased, after those before; settles when those have been started. `leasedAt` is a
   * time of performance.now().
   */
  #startAll(deliveries: readonly LeasedDelivery[], leasedAt: number): Promise<void> {
    const before = this.#starting;
    const held = deliveries.map((delivery) => ({
      delivery,
      end: this.#slots.begin(delivery, delivery.data?.length),
    }));
    this.#starting = before.then(async () => {
      for (const [index, { delivery, end }] of held.entries()) {
        if (index % STARTS_PER_TURN === 0) await nextTurn();
        this.#start(delivery, leasedAt, end);
      }
    });
    return before;
  }

  /** `end` gives the slot back. */
  #start(delivery: LeasedDelivery, leasedAt: number, end: () => void): void {
    const { timeoutMs, leaseMs, limits } = this.#options;
    const { attemptTimeoutMs, leaseMarginMs } = limits.mail;
    const [wanted, lease] = delivery.webhook
      ? [timeoutMs, leaseMs]
      : [attemptTimeoutMs, attemptTimeoutMs + leaseMarginMs];
    const ms = attemptTimeMs(wanted, leasedAt + lease - performance.now());
    if (ms === undefined || this.#draining.signal.aborted) {
      end();
      this.wake();
      this.#outcomes.add(toOutcome(delivery, 'returned', {}, 0));
      return;
    }
    const controller = new AbortController();
    const timeout = setTimeout(() => controller.abort(), ms);
    const ended = this.#attempt(delivery, controller.signal).finally(() => {
      clearTimeout(timeout);
      this.#running.delete(controller);
      end();
      // Others may wait for this slot.
      this.wake();
    });
    this.#running.set(controller, ended);
  }

  /** Never rejects. */
  async #attempt(delivery: LeasedDelivery, signal: AbortSignal): Promise<void> {
    const { sender, log } = this.#options;
    const at = new Date().toISOString();
    const startedAt = performance.now();
    const attempt = await sender.attempt(delivery, signal).catch((error): Attempt => {
      log.error({ err: error, delivery: delivery.id }, 'an attempt failed because of an internal error');
      return { error: FAILURES['service-failed'] };
    });
    if (!attempt.isSkipped) this.#slots.noteAnswer(delivery.receiver, attempt.status !== undefined && !signal.aborted);
    if (this.#isCancelling && attempt.error !== undefined) {
      this.#outcomes.add(toOutcome(delivery, 'returned', {}, 0));
    } else this.#conclude(delivery, attempt, { at, durationMs: Math.round(performance.now() - startedAt) });
  }

  #conclude(delivery: LeasedDelivery, attempt: Attempt, when: Pick<LoggedAttempt, 'at' | 'durationMs'>): void {
    const { retryDelays, count, log } = this.#options;
    const { id, attempts, webhook } = delivery;
    const { result, delay: seconds } = decide(attempt, attempts, retryDelays, Math.random());
    const { status, error, response } = attempt;
    const answered = { status: status ?? null, error: error ?? null, response: response ?? null };
    const logged = webhook ? { ...when, ...answered } : undefined;
    this.#outcomes.add(toOutcome(delivery, result, attempt, seconds, logged));
    count(webhook ? 'webhook' : 'mail', attempt.isSkipped ? 'skipped' : result);
    const level = error === undefined ? 'debug' : 'info';
    log[level]({ delivery: id, webhook: webhook?.id, attempts, status, error }, `delivery: ${result}`);
  }

  async #settle(batch: readonly AttemptOutcome[]): Promise<void> {
    const { db, log } = this.#options;
    const { webhooks, mails } = await settleDeliveries(db, batch);
    for (const webhook of webhooks) log.warn({ webhook }, 'webhook switched off');
    for (const { deploymentId, recipientId } of mails) {
      log.warn(
        { deployment: deploymentId, recipient: recipientId },
        'mail switched off: the mail server refuses the address',
      );
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
export function attemptTimeMs(timeoutMs: number, leftMs: number): number | undefined {
  return leftMs < timeoutMs * MIN_PART_OF_TIMEOUT ? undefined : Math.min(timeoutMs, leftMs);
}

function toOutcome(
  { id, attempts, deploymentId, event, webhook, recipientId }: LeasedDelivery,
  result: AttemptOutcome['result'],
  { status, error, isRefused = false }: Attempt,
  delay: number,
  logged?: LoggedAttempt,
): AttemptOutcome {
  const isTelling = isRefused || result === 'succeeded';
  const addressee = { deploymentId, recipientId, ...(event === CONFIRMATION_EVENT && { confirmationId: id }) };
  return {
    id,
    deploymentId,
    attempts,
    webhook:
      webhook && (webhook.isFailing || result !== 'succeeded') ? { id: webhook.id, url: webhook.url } : undefined,
    mail: !webhook && LOGGED_MAIL_EVENTS.has(event) && isTelling ? { ...addressee, isRefused } : undefined,
    result,
    lastStatus: status,
    lastError: error,
    attempt: logged,
    delay,
  };
}

/** Waits for a promise, but at most `ms` milliseconds. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  await Promise.race([promise, delay(ms, undefined, { ref: false })]);
}
