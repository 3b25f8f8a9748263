import type { LeasedDelivery } from '../db/delivery-target.ts';
import type { Limits } from '../limits.ts';
import type { Log } from '../log.ts';
import type { AttemptDelivery } from './attempt.ts';
import type { Attempt } from './send-webhook.ts';
import { within } from './within.ts';

type Ended = {
  attempt: Attempt;
  /** Whether the receiver answered in time. */
  isAnswered: boolean;
  /** Whether it failed because the service stops. */
  isCancelled: boolean;
};

type RunningAttempts = {
  /** Attempts a delivery once, for at most `timeoutMs`. Never rejects. */
  run(delivery: LeasedDelivery, timeoutMs: number): Promise<Ended>;
  /** Settles when all attempts have ended; those that take too long are aborted. */
  stop(): Promise<void>;
};

/** Runs attempts, each with a time limit. */
export function createRunningAttempts(
  attemptDelivery: AttemptDelivery,
  { delivery: limits }: Limits,
  log: Log,
): RunningAttempts {
  const running = new Map<AbortController, Promise<Ended>>();
  /** Timed out, and not aborted yet. */
  const expired: AbortController[] = [];
  let isStopped = false;

  function abortSome(): void {
    for (const controller of expired.splice(0, limits.abortsPerTurn)) controller.abort();
    if (expired.length > 0) setImmediate(abortSome);
  }

  async function attemptOnce(delivery: LeasedDelivery, timeoutMs: number, controller: AbortController): Promise<Ended> {
    const timeout = setTimeout(() => {
      // Attempts that started together expire together: the first one schedules abortSome for all.
      if (expired.push(controller) === 1) setImmediate(abortSome);
    }, timeoutMs);
    const attempt = await attemptDelivery(delivery, controller.signal).catch((error): Attempt => {
      log.error({ err: error, delivery: delivery.id }, 'an attempt failed because of an internal error');
      return { error: 'an internal error of the service' };
    });
    clearTimeout(timeout);
    running.delete(controller);
    return {
      attempt,
      isAnswered: attempt.status !== undefined && !controller.signal.aborted,
      isCancelled: isStopped && attempt.error !== undefined,
    };
  }

  return {
    run(delivery, timeoutMs) {
      const controller = new AbortController();
      const ended = attemptOnce(delivery, timeoutMs, controller);
      running.set(controller, ended);
      return ended;
    },
    async stop() {
      await within(limits.stopTimeoutMs, Promise.all(running.values()));
      isStopped = true;
      for (const controller of running.keys()) controller.abort();
      await within(limits.abortTimeoutMs, Promise.all(running.values()));
    },
  };
}
