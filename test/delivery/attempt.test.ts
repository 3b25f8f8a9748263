import { describe, expect, it } from 'vitest';
import { decide } from '../../src/delivery/attempt.ts';
import { SIZES } from '../../src/sizes.ts';

const RETRY_DELAYS = [60, 3_600];
const ERROR = { status: 503, error: 'the receiver answered 503' };

describe('decide: the result', () => {
  it.each([1, 2, 3, 4])('is succeeded without an error, at attempt %i', (attempts) => {
    expect(decide({ status: 200 }, attempts, RETRY_DELAYS, 0.5)).toEqual({ result: 'succeeded', delay: 0 });
  });

  it.each([
    [1, { result: 'retry', delay: 60 }],
    [2, { result: 'retry', delay: 3_600 }],
    [3, { result: 'failed', delay: 0 }],
    // The schedule has become shorter since.
    [9, { result: 'failed', delay: 0 }],
  ])('of a failed attempt %i is as the schedule has it', (attempts, decision) => {
    expect(decide(ERROR, attempts, RETRY_DELAYS, 0)).toEqual(decision);
  });

  it('is failed at once where the schedule is empty, and where another attempt would fail as well', () => {
    expect(decide({ error: 'no answer' }, 1, [], 0)).toEqual({ result: 'failed', delay: 0 });
    expect(decide({ ...ERROR, isFinal: true }, 1, RETRY_DELAYS, 0)).toEqual({ result: 'failed', delay: 0 });
  });

  it('is failed after the last attempt, whatever Retry-After asks for', () => {
    expect(decide({ ...ERROR, retryAfter: 10 }, 3, RETRY_DELAYS, 0)).toEqual({ result: 'failed', delay: 0 });
  });
});

describe('decide: the delay', () => {
  it.each([
    [0, 60],
    [0.5, 63],
    [1, 66],
  ])('is longer by a tenth at most (random %f)', (random, delay) => {
    expect(decide(ERROR, 1, RETRY_DELAYS, random).delay).toBeCloseTo(delay, 9);
  });

  it.each([
    ['a shorter one', 30, 60],
    ['an equal one', 60, 60],
    ['a longer one', 61, 61],
    ['a day', SIZES.delivery.maxRetryAfterSeconds, SIZES.delivery.maxRetryAfterSeconds],
    ['more than a day', SIZES.delivery.maxRetryAfterSeconds + 1, SIZES.delivery.maxRetryAfterSeconds],
    ['a number beyond all', Number.POSITIVE_INFINITY, SIZES.delivery.maxRetryAfterSeconds],
  ])('is the longer of schedule and Retry-After, of which a day counts at most: %s', (_case, retryAfter, delay) => {
    expect(decide({ ...ERROR, retryAfter }, 1, RETRY_DELAYS, 0).delay).toBe(delay);
  });

  it('may be none', () => {
    expect(decide(ERROR, 1, [0], 0.9)).toEqual({ result: 'retry', delay: 0 });
  });
});
