import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../src/db/deliveries/settle-deliveries.ts';
import { OutcomeQueue } from '../../src/delivery/outcome-queue.ts';
import { createLog } from '../../src/lib/log.ts';

const outcome = (id: string, result: AttemptOutcome['result']): AttemptOutcome => ({
  id,
  deploymentId: 'd_a',
  attempts: 1,
  webhook: undefined,
  mail: undefined,
  result,
  lastStatus: undefined,
  lastError: undefined,
  attempt: undefined,
  delay: 0,
});

/** A queue over a database that is away for the first write, and notes the others. */
function startQueue() {
  const written: string[][] = [];
  let tries = 0;
  const queue = new OutcomeQueue(async (batch) => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    written.push(batch.map(({ id }) => id));
  }, createLog('silent'));
  return { queue, written };
}

it('fails while what succeeded waits for the database, and no more once it is stored', async () => {
  const { queue, written } = startQueue();
  queue.add(outcome('a', 'succeeded'));
  queue.add(outcome('b', 'returned'));
  await expect.poll(() => queue.isFailing).toBe(true);
  await expect.poll(() => written).toEqual([['a', 'b']]);
  await expect.poll(() => queue.isFailing).toBe(false);
});

it('has stored all when it is closed, also what waited for others', async () => {
  const written: string[][] = [];
  const queue = new OutcomeQueue(async (batch) => void written.push(batch.map(({ id }) => id)), createLog('silent'));
  queue.add(outcome('a', 'succeeded'));
  queue.add(outcome('b', 'returned'));
  await queue.close();
  expect(written).toEqual([['a', 'b']]);
});

it('does not wait for a database that is away when it is closed', async () => {
  let tries = 0;
  const queue = new OutcomeQueue(async () => {
    tries += 1;
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  }, createLog('silent'));
  queue.add(outcome('a', 'succeeded'));
  await expect.poll(() => queue.isFailing).toBe(true);
  await queue.close();
  expect(tries).toBe(2);
});
