import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type Request } from 'express';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { BodyReader } from '../../src/http/request/body.ts';
import { answerInTime } from '../../src/http/request/deadline.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import { LIMITS } from '../../src/limits.ts';

const ANSWER_MS = LIMITS.requests.answerTimeoutMs;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A request with these headers, and how often it was found to be late. */
function begin(headers: Record<string, string> = {}) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  const response = new ServerResponse(request);
  let late = 0;
  const onLate = (): void => {
    late += 1;
  };
  answerInTime(request, response, onLate, LIMITS);
  return { request, response, late: () => late };
}

it.each<Record<string, string>>([{}, { 'content-length': '0' }])(
  'a request without a body is late when its time is over, once: %j',
  (headers) => {
    const { late } = begin(headers);
    vi.advanceTimersByTime(ANSWER_MS - 1);
    expect(late()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(late()).toBe(1);
    vi.advanceTimersByTime(10 * ANSWER_MS);
    expect(late()).toBe(1);
  },
);

it.each<Record<string, string>>([{ 'content-length': '1' }, { 'transfer-encoding': 'chunked' }])(
  'a request with a body is late when its time is over before it is read: %j',
  (headers) => {
    const { late } = begin(headers);
    vi.advanceTimersByTime(ANSWER_MS - 1);
    expect(late()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(late()).toBe(1);
  },
);

it.each<Record<string, string>>([{ 'content-length': '1' }, { 'transfer-encoding': 'chunked' }])(
  'the time in which a body is received does not count: %j',
  async (headers) => {
    const before = 1_000;
    const { request, late } = begin(headers);
    vi.advanceTimersByTime(before);
    request.resume();
    await nextTurn();
    vi.advanceTimersByTime(10 * ANSWER_MS);
    expect(late()).toBe(0);
    request.push('x');
    request.push(null);
    while (!request.readableEnded) await nextTurn();
    vi.advanceTimersByTime(ANSWER_MS - before - 1);
    expect(late()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(late()).toBe(1);
  },
);

it('the time in which a large JSON body is parsed does not count', async () => {
  const { request, response, late } = begin({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  const parse = (): Promise<never> => {
    vi.advanceTimersByTime(10 * ANSWER_MS);
    throw new BusyError();
  };
  const declared = { schema: z.object({}), maxBytes: 1024 * 1024 };
  const reader = new BodyReader(1, { run: parse }, LIMITS);
  // As Express does.
  const ofExpress: Request = Object.setPrototypeOf(Object.assign(request, { res: response }), express.request);
  const reading = reader.fields(ofExpress, 1, declared);
  request.push(`{"a":"${'a'.repeat(500_000)}"}`);
  request.push(null);
  await expect(reading).rejects.toThrow(BusyError);
  expect(late()).toBe(0);
  vi.advanceTimersByTime(ANSWER_MS);
  expect(late()).toBe(1);
});

it('a request whose answer is under way is not late, however long it takes', () => {
  const { response, late } = begin();
  response.writeHead(200).flushHeaders();
  vi.advanceTimersByTime(10 * ANSWER_MS);
  expect(late()).toBe(0);
});

it('nothing is left of a request that was answered in time, or whose client has left', () => {
  const { response } = begin();
  expect(vi.getTimerCount()).toBe(1);
  response.emit('close');
  expect(vi.getTimerCount()).toBe(0);
});
