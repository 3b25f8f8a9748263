import { setTimeout as delay } from 'node:timers/promises';
import { HttpError, retryAfter } from './errors.ts';

/** How long a request waits for a service that is starting. */
const STARTUP_WAIT_MS = 2_000;
const POLL_MS = 25;

/** Settles when the service has started. Throws 503 after STARTUP_WAIT_MS. */
export async function untilStarted(isStarting: () => boolean): Promise<void> {
  // Polls: on one promise, a reaction of each request would pile up while the database is out of reach.
  for (let waited = 0; isStarting(); waited += POLL_MS) {
    if (waited >= STARTUP_WAIT_MS) {
      throw new HttpError(503, 'The service is starting: try again shortly.', retryAfter(2_000));
    }
    await delay(POLL_MS, undefined, { ref: false });
  }
}
