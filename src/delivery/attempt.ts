import { SIZES } from '../sizes.ts';

/** A delay is longer by up to this part of it. Deliveries that failed together are not tried again together. */
const MAX_JITTER = 0.1;

/** The result of an attempt to deliver. */
export type Attempt = {
  /** The HTTP status or the SMTP reply, if one came. */
  status?: number;
  /** The reason why it failed, as the owner reads it; absent when it succeeded. */
  error?: string;
  /** The beginning of the text that a receiver has answered; absent when no answer came, or none that is a text. */
  response?: string;
  /** The seconds that Retry-After asks for: 0 or more, without a limit. */
  retryAfter?: number;
  /** True if another attempt would fail as well. Then there is none. */
  isFinal?: boolean;
  /** True if a mail server has refused the recipient, or the mail, for good. */
  isRefused?: boolean;
  /** True if nothing was attempted, because of a limit or because there is no address. */
  isSkipped?: boolean;
};

/** `delay`: seconds until the next attempt; 0 when there is none. */
type Decision = { result: 'succeeded' | 'failed' | 'retry'; delay: number };

/**
 * Decides what follows from an attempt. `attempts`: how many there have been, including this one. `retryDelays`: seconds
 * between them; a delivery fails when none is left. `random`: 0 or more, and less than 1.
 */
export function decide(
  { error, retryAfter = 0, isFinal = false }: Attempt,
  attempts: number,
  retryDelays: readonly number[],
  random: number,
): Decision {
  if (error === undefined) return { result: 'succeeded', delay: 0 };
  const scheduled = retryDelays[attempts - 1];
  if (scheduled === undefined || isFinal) return { result: 'failed', delay: 0 };
  const delay = Math.max(
    scheduled * (1 + random * MAX_JITTER),
    Math.min(retryAfter, SIZES.delivery.maxRetryAfterSeconds),
  );
  return { result: 'retry', delay };
}
