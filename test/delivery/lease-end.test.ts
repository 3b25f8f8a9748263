import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LeasedDelivery } from '../../src/db/delivery-target.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { createDispatcher } from '../../src/delivery/dispatcher.ts';
import { createLog } from '../../src/log.ts';
import { testLimits } from '../support/limits.ts';

const TIMEOUT_MS = 1_000;
const DELIVERY: LeasedDelivery = {
  ...{ id: 'dl_1', attempts: 1, receiver: 'a.test:80', ownerId: 1, deploymentId: 'd_1', slug: 'a' },
  target: {
    ...{ kind: 'webhook', webhookId: 'wh_1', event: 'submission', url: 'http://a.test/' },
    ...{ type: 'generic', secrets: [], isFailing: false },
  },
  ...{ submissionId: 'sub_1', data: '{}', createdAt: new Date(0) },
};

it('aborts an attempt when its lease ends, though its time-out has not passed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  // It connects when it is first asked, which is never.
  const limits = testLimits({ delivery: { storeOutcomesTimeoutMs: 0, stopTimeoutMs: 0, abortTimeoutMs: 0 } });
  const db = connect({ connectionString: 'postgres://nobody@localhost/nothing' }, { limits });
  const begun = Promise.withResolvers<AbortSignal>();
  const dispatcher = createDispatcher({
    ...{ db, limits, retryDelays: [], timeoutMs: TIMEOUT_MS, leaseMs: TIMEOUT_MS, log: createLog('silent') },
    count: () => undefined,
    attempt: (_delivery, signal) => {
      begun.resolve(signal);
      return new Promise(() => undefined);
    },
  });
  const leasedAt = performance.now();
  vi.advanceTimersByTime(60);
  dispatcher.start([DELIVERY], leasedAt);
  const signal = await begun.promise;
  vi.advanceTimersByTime(TIMEOUT_MS - 60 - 1);
  await nextTurn();
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  await nextTurn();
  await nextTurn();
  expect(signal.aborted).toBe(true);
});
