import { expect, it, onTestFinished, vi } from 'vitest';
import { RateLimit } from '../../src/http/request/rate-limit.ts';

it('lets each key be used so often in a window, however many uses come at once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const limit = new RateLimit({ max: 3, seconds: 60 });
  const used = await Promise.all(Array.from({ length: 5 }, () => limit.use('a')));
  expect(used).toEqual([undefined, undefined, undefined, 60_000, 60_000]);
  expect(await limit.use('b')).toBeUndefined();
  vi.setSystemTime(Date.now() + 59_500);
  expect(await limit.use('a')).toBe(500);
  vi.setSystemTime(Date.now() + 500);
  expect(await limit.use('a')).toBeUndefined();
});
