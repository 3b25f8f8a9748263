import { expect, it, onTestFinished, vi } from 'vitest';
import { RateLimit } from '../../src/http/request/rate-limit.ts';

it('lets each key be used so often in a window that begins with its first use', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const limit = new RateLimit({ max: 3, seconds: 60 });
  expect([1, 2, 3, 4].map(() => limit.use('a'))).toEqual([undefined, undefined, undefined, 60_000]);
  expect(limit.use('b')).toBeUndefined();
  vi.advanceTimersByTime(59_500);
  expect(limit.use('a')).toBe(500);
  vi.advanceTimersByTime(500);
  expect(limit.use('a')).toBeUndefined();
});
