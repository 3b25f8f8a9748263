import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createComputePool } from '../../../src/compute/pool.ts';
import { NO_RULES } from '../../../src/db/form-rules.ts';
import type { Outcome } from '../../../src/db/store-submissions.ts';
import { createBodyReader } from '../../../src/http/body.ts';
import { HttpError } from '../../../src/http/errors.ts';
import { createOwnerConcurrency } from '../../../src/http/owner-concurrency.ts';
import { createSpeak } from '../../../src/http/speech.ts';
import { SubmissionError } from '../../../src/http/submit/refusals.ts';
import { createSubmit } from '../../../src/http/submit/submit.ts';
import { createVisitorPages } from '../../../src/http/submit/visitors.ts';
import { newDeploymentId } from '../../../src/ids.ts';
import { createIntake } from '../../../src/intake/intake.ts';
import { testLimits } from '../../support/limits.ts';
import { NO_SPAM } from '../../support/no-spam.ts';

/** What the database answers of a submission. */
type Decided = Exclude<Outcome, { kind: 'busy' }>;

const slug = 'full';
const LIMITS = testLimits();
const FULL_MS = 30_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Submissions to deployments that are at their rate limit, and how often the database was asked to store one. */
function startSubmit() {
  let asked = 0;
  const counted: string[] = [];
  /** What the database answers. */
  let outcome: Promise<Decided> = Promise.resolve({ kind: 'rate-limited', slug, retryAfterMs: FULL_MS });
  const decide = (): Promise<Decided> => {
    asked += 1;
    return outcome;
  };
  const startDeliveries = (): void => undefined;
  const intake = createIntake({
    store: {
      batch: async (batch) => ({ outcomes: await Promise.all(batch.map(decide)), startDeliveries }),
      alone: async () => ({ outcome: await decide(), startDeliveries }),
    },
    findStored: async () => ({ slug, first: undefined }),
    findByKey: async () => ({ slug, first: undefined }),
    findRules: async () => ({ slug, version: 0, rules: NO_RULES }),
    judge: () => ({ kind: 'accepted' }),
    ...NO_SPAM,
    count: (outcome) => counted.push(outcome),
    countHoneypot: () => undefined,
    limits: LIMITS,
  });
  const submit = createSubmit({
    intake,
    visited: { find: async () => undefined, inMemory: () => undefined },
    visitorPages: createVisitorPages(() => 'http://full.example', createSpeak(), testLimits()),
    body: createBodyReader({
      largest: 1_024,
      concurrency: createOwnerConcurrency(testLimits()),
      compute: createComputePool({ maxHtmlBytes: 0 }, testLimits()),
      limits: testLimits(),
    }),
    clientAddress: () => '127.0.0.1',
    maxSubmissionBytes: 1_024,
    maxFileBytes: 1_024,
    maxFilesBytes: 1_024,
    limits: LIMITS,
  });

  /** What is answered to a submission: 200, or the status of its refusal and when to try again. */
  async function send(
    deploymentId: string,
    headers: Record<string, string> = {},
  ): Promise<[status: number, retryAfter?: string | undefined]> {
    const request = new IncomingMessage(new Socket());
    Object.assign(request.headers, { 'content-type': 'application/json', ...headers });
    request.push('{}');
    request.push(null);
    const target = { deploymentId, requestId: 'x', pageSlug: undefined };
    try {
      await submit.handle(request, new ServerResponse(request), target);
      return [200];
    } catch (error) {
      const cause = error instanceof SubmissionError ? error.cause : error;
      if (cause instanceof HttpError) return [cause.status, cause.headers['Retry-After']];
      throw error;
    }
  }

  return {
    send,
    counted,
    invalidateAll: intake.invalidateAll,
    asked: () => asked,
    answerWith(next: Promise<Decided>) {
      outcome = next;
    },
  };
}

const ACCEPTED: Promise<Decided> = Promise.resolve({ kind: 'accepted', slug });

it('refuses from memory until a slot can be free, and says when that is', async () => {
  const { send, asked, answerWith, counted } = startSubmit();
  const id = newDeploymentId();
  expect(await send(id)).toEqual([429, '30']);
  answerWith(ACCEPTED);
  vi.advanceTimersByTime(10_000);
  expect(await send(id)).toEqual([429, '20']);
  expect(await send(id, { 'idempotency-key': 'a' })).toEqual([429, '20']);
  vi.advanceTimersByTime(19_999);
  expect(await send(id)).toEqual([429, '1']);
  expect(asked()).toBe(1);
  vi.advanceTimersByTime(1);
  expect([await send(id), asked()]).toEqual([[200], 2]);
  expect(counted).toEqual([...Array(4).fill('rate-limited'), 'accepted']);
});

it('refuses no other deployment from memory', async () => {
  const { send, asked, answerWith } = startSubmit();
  await send(newDeploymentId());
  answerWith(ACCEPTED);
  expect([await send(newDeploymentId()), asked()]).toEqual([[200], 2]);
});

it.each([{}, { 'idempotency-key': 'a' }])(
  'asks again when a deployment has changed, before or while it is refused (%j)',
  async (headers) => {
    const { send, asked, answerWith, invalidateAll } = startSubmit();
    const id = newDeploymentId();
    await send(id, headers);
    invalidateAll();
    const refusal = Promise.withResolvers<Decided>();
    answerWith(refusal.promise);
    const refused = send(id, headers);
    while (asked() < 2) await nextTurn();
    invalidateAll();
    refusal.resolve({ kind: 'rate-limited', slug, retryAfterMs: FULL_MS });
    expect(await refused).toEqual([429, '30']);
    answerWith(ACCEPTED);
    expect([await send(id, headers), asked()]).toEqual([[200], 3]);
  },
);

it('spreads refusals from memory over turns of the event loop', async () => {
  const { send, asked } = startSubmit();
  const id = newDeploymentId();
  await send(id);
  let answered = 0;
  const flood = Array.from({ length: 100 }, () =>
    send(id).then(() => {
      answered += 1;
    }),
  );
  const eachTurn: number[] = [];
  while (answered < flood.length) {
    const before = answered;
    await nextTurn();
    eachTurn.push(answered - before);
  }
  expect([Math.max(...eachTurn), asked()]).toEqual([4, 1]);
});
