import type { Attempt } from './send-webhook.ts';

/** A delay is longer by up to this part of it, so that deliveries that failed together are not tried again together. */
const MAX_JITTER = 0.1;
/** Seconds; a longer Retry-After counts as this. */
export const MAX_RETRY_AFTER = 24 * 60 * 60;

/** `delay`: seconds until the next attempt; 0 when there is none. */
type Decision = { result: 'succeeded' | 'failed' | 'retry'; delay: number };

/**
 * What follows from an attempt. `attempts`: how many there have been, including this one. `retryDelays`: seconds
 * between them; a delivery fails when none is left. `random`: 0 or more, and less than 1.
 */
export function decide(
  { error, retryAfter = 0 }: Attempt,
  attempts: number,
  retryDelays: readonly number[],
  random: number,
): Decision {
  if (error === undefined) return { result: 'succeeded', delay: 0 };
  const scheduled = retryDelays[attempts - 1];
  if (scheduled === undefined) return { result: 'failed', delay: 0 };
  const delay = Math.max(scheduled * (1 + random * MAX_JITTER), Math.min(retryAfter, MAX_RETRY_AFTER));
  return { result: 'retry', delay };
}
