import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../src/db/delivery-queue.ts';
import { createOutcomeQueue } from '../../src/delivery/outcome-queue.ts';
import { createLog } from '../../src/log.ts';
import { testLimits } from '../support/limits.ts';

const outcome = (id: string, result: AttemptOutcome['result']): AttemptOutcome => ({
  id,
  deploymentId: 'd_a',
  attempts: 1,
  webhook: undefined,
  mail: undefined,
  result,
  lastStatus: undefined,
  lastError: undefined,
  delay: 0,
});

/** A queue over a database that is away for the first write, and notes the others. */
function startQueue() {
  const written: string[][] = [];
  let tries = 0;
  const queue = createOutcomeQueue(
    async (batch) => {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      written.push(batch.map(({ id }) => id));
    },
    testLimits(),
    createLog('silent'),
  );
  return { ...queue, written, tries: () => tries };
}

it('is behind while what succeeded waits for the database, and no more once it is written', async () => {
  const queue = startQueue();
  queue.add(outcome('a', 'succeeded'));
  queue.add(outcome('b', 'returned'));
  await expect.poll(queue.isBehind).toBe(true);
  await expect.poll(() => queue.written).toEqual([['a']]);
  await expect.poll(queue.isBehind).toBe(false);
});

it('is not behind for what was only given back, which is not written twice', async () => {
  const queue = startQueue();
  queue.add(outcome('a', 'returned'));
  await expect.poll(queue.tries).toBe(1);
  await expect.poll(queue.isBehind).toBe(false);
  queue.add(outcome('b', 'succeeded'));
  await expect.poll(() => queue.written).toEqual([['b']]);
});

it('has written all down when it is closed, also what waited for others', async () => {
  const written: string[][] = [];
  const queue = createOutcomeQueue(
    async (batch) => void written.push(batch.map(({ id }) => id)),
    testLimits(),
    createLog('silent'),
  );
  queue.add(outcome('a', 'succeeded'));
  queue.add(outcome('b', 'returned'));
  await queue.close();
  expect(written).toEqual([['a', 'b']]);
});

it('does not wait for a database that is away when it is closed', async () => {
  let tries = 0;
  const queue = createOutcomeQueue(
    async () => {
      tries += 1;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
    testLimits(),
    createLog('silent'),
  );
  queue.add(outcome('a', 'succeeded'));
  await expect.poll(queue.isBehind).toBe(true);
  await queue.close();
  expect([tries, queue.size()]).toEqual([2, 0]);
});
