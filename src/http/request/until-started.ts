import { setTimeout as delay } from 'node:timers/promises';
import { type Limits, SIZES } from '../../limits.ts';
import { HttpError, retryAfter } from '../response/errors.ts';

/** Settles when the service has started. Throws 503 after `startWaitTimeoutMs`. */
export async function untilStarted(isStarting: () => boolean, { requests }: Limits): Promise<void> {
  // Polls: on one promise, a reaction of each request would pile up while the database is out of reach.
  for (let waited = 0; isStarting(); waited += requests.startPollIntervalMs) {
    if (waited >= requests.startWaitTimeoutMs) {
      throw new HttpError(503, 'The service is starting: try again shortly.', retryAfter(SIZES.retryAfter.busyMs));
    }
    await delay(requests.startPollIntervalMs, undefined, { ref: false });
  }
}
