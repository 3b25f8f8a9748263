import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OwnerQueue } from '../../src/http/request/owner-queue.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import { testLimits } from '../support/test-limits.ts';

/** Work of owners that ends when the test says, without rests; `log` says what became of each, by its name. */
function start(limits: { requestWaitTimeoutMs?: number; waitingRequests?: number } = {}) {
  const queue = new OwnerQueue(testLimits({ owners: { ...limits, maxRestMs: 0 } }));
  const log: string[] = [];
  const running = new Map<string, PromiseWithResolvers<void>>();
  return {
    log,
    add(name: string, ownerId = 1, response = new ServerResponse(new IncomingMessage(new Socket()))) {
      const work = async (): Promise<void> => {
        log.push(`${name} works`);
        const task = Promise.withResolvers<void>();
        running.set(name, task);
        await task.promise;
      };
      return queue.run(ownerId, response, work).catch((error: Error) => void log.push(`${name}: ${error.message}`));
    },
    async end(name: string, error?: Error): Promise<void> {
      const task = running.get(name);
      if (error) task?.reject(error);
      else task?.resolve();
      await nextTurn();
    },
  };
}

it('lets two of an owner work at a time, others beside them, and the next when one ends', async () => {
  const { log, add, end } = start();
  for (const name of ['a', 'b', 'c']) void add(name);
  void add('other', 2);
  expect(log).toEqual(['a works', 'b works', 'other works']);
  await end('a', new BusyError('its own'));
  expect(log.slice(3).toSorted()).toEqual(['a: its own', 'c works']);
});

it('refuses what has waited too long', async () => {
  const { log, add } = start({ requestWaitTimeoutMs: 20 });
  for (const name of ['a', 'b']) void add(name);
  await add('c');
  expect(log.at(-1)).toMatch(/^c: Too many requests of this API key/);
});

it('begins no work for a client that has left', async () => {
  const { log, add, end } = start();
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  for (const name of ['a', 'b']) void add(name);
  const left = add('c', 1, response);
  response.destroy();
  await nextTurn();
  await end('a');
  await left;
  expect(log.at(-1)).toBe('c: The client has left.');
});
