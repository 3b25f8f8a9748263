import { LIMITS } from '../../../limits.ts';
import { perService } from '../../operation/declaration.ts';
import { RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';

export const tooManyTests = errorKind(
  {
    id: 'TooManyTests',
    description: `The owner has sent ${LIMITS.owners.testsPerMinute} tests within a minute; also for the reasons of any request with a key.`,
    isCounted: true,
  },
  (retryAfterMs: number) =>
    new HttpError(429, `Too many tests: try again in ${inSeconds(retryAfterMs)}.`, retryAfter(retryAfterMs)),
  17_000,
);

export const ONE_TEST = `one of the ${LIMITS.owners.testsPerMinute} tests that an owner may send in a minute, to forms, to webhooks and by mail together.`;

/** The tests that owners send, to forms, to webhooks and by mail together. */
export const testsOf = perService(
  ({ limits }) =>
    new RateLimit({ name: 'tests', max: limits.owners.testsPerMinute, seconds: 60, refusal: tooManyTests }),
);
