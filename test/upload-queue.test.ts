import { describe, expect, it } from 'vitest';
import { QueueBusyError } from '../src/db/submission-queue.ts';
import type { NewSubmission, Outcome } from '../src/db/submissions.ts';
import { createUploadQueue } from '../src/db/upload-queue.ts';

const AT_A_TIME = 3;
// No queue that holds more than this in memory is bounded.
const MANY = 5_000;

const submission = (id: string): NewSubmission => ({ id, deploymentId: 'd_1', data: '{}', ipAddress: '127.0.0.1' });
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);

/** Every promise and microtask that is due by now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose store ends each submission when it is told to. */
function heldQueue() {
  const underWay = new Map<string, PromiseWithResolvers<Outcome>>();
  const queue = createUploadQueue(({ id }) => {
    const end = Promise.withResolvers<Outcome>();
    underWay.set(id, end);
    return end.promise.finally(() => underWay.delete(id));
  });
  /** Settles with the outcome, or with the error. */
  const submit = (id: string): Promise<unknown> => queue.submit(submission(id), []).catch((error) => error);
  return { underWay, submit };
}

describe('createUploadQueue', () => {
  it('stores a few at a time, in order, each with its own outcome', async () => {
    const { underWay, submit } = heldQueue();
    const answers = names(5).map(submit);
    await settled();
    expect([...underWay.keys()]).toEqual(names(AT_A_TIME));
    underWay.get('s1')?.resolve({ kind: 'rate-limited', retryAfterMs: 7 });
    await settled();
    expect([...underWay.keys()]).toEqual(['s0', 's2', 's3']);
    for (const id of ['s0', 's2', 's3']) underWay.get(id)?.resolve({ kind: 'no-deployment' });
    await settled();
    underWay.get('s4')?.resolve({ kind: 'accepted' });
    const gone = { kind: 'no-deployment' };
    expect(await Promise.all(answers)).toEqual([
      gone,
      { kind: 'rate-limited', retryAfterMs: 7 },
      gone,
      gone,
      { kind: 'accepted' },
    ]);
  });

  it('refuses what finds its deployment held by somebody else, and what finds too many waiting', async () => {
    const { underWay, submit } = heldQueue();
    const held = submit('held');
    await settled();
    underWay.get('held')?.resolve({ kind: 'busy' });
    expect(await held).toBeInstanceOf(QueueBusyError);

    const answers = names(MANY).map(submit);
    const refused = new Set<string>();
    for (const [index, answer] of answers.entries()) {
      void answer.then((outcome) => outcome instanceof QueueBusyError && refused.add(`s${index}`));
    }
    await settled();
    expect(refused.size).toBeGreaterThan(MANY / 2);
    expect(refused.has(names(AT_A_TIME + 1).at(-1) ?? '')).toBe(false);
    while (underWay.size > 0) {
      for (const { resolve } of underWay.values()) resolve({ kind: 'accepted' });
      await settled();
    }
    const kinds = (await Promise.all(answers)).filter((outcome) => !(outcome instanceof QueueBusyError));
    expect(kinds).toEqual(Array.from({ length: MANY - refused.size }, () => ({ kind: 'accepted' })));
  });

  it('fails all who wait once the database is away, and tries anew for who comes later', async () => {
    const { underWay, submit } = heldQueue();
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const answers = names(10).map(submit);
    await settled();
    underWay.get('s0')?.reject(away);
    await settled();
    for (const id of ['s1', 's2']) underWay.get(id)?.resolve({ kind: 'accepted' });
    const accepted = { kind: 'accepted' };
    expect(await Promise.all(answers)).toEqual([away, accepted, accepted, ...Array.from({ length: 7 }, () => away)]);
    const later = submit('later');
    await settled();
    underWay.get('later')?.resolve({ kind: 'accepted' });
    expect(await later).toEqual(accepted);
  });

  it('fails only the one whose own fault it is', async () => {
    const { underWay, submit } = heldQueue();
    const wrong = new Error('wrong');
    const answers = names(4).map(submit);
    await settled();
    underWay.get('s0')?.reject(wrong);
    await settled();
    for (const { resolve } of underWay.values()) resolve({ kind: 'accepted' });
    const accepted = { kind: 'accepted' };
    expect(await Promise.all(answers)).toEqual([wrong, accepted, accepted, accepted]);
  });
});
