import { describe, expect, it } from 'vitest';
import { connect } from '../../src/db/postgres/connect.ts';
import type { NewSubmission, Outcome } from '../../src/db/submissions/store-submissions.ts';
import { BusyError } from '../../src/lib/fair-queue.ts';
import { FilePlacement } from '../../src/submissions/file-placement.ts';
import { SubmissionTransactions } from '../../src/submissions/submission-transactions.ts';
import { testLimits } from '../support/limits.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
// No queue that holds more than this in memory is bounded.
const MANY = 5_000;

const submission = (id: string, deploymentId = 'd_1'): NewSubmission => ({
  id,
  deploymentId,
  data: '{}',
  ipAddress: '127.0.0.1',
});
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);

const LIMITS = testLimits();
const NO_DATABASE = connect({ connectionString: 'postgres://127.0.0.1:1/none' }, { limits: LIMITS });
const NO_BUCKET = new FilePlacement(undefined, { db: NO_DATABASE, storageLimits: new Map(), limits: LIMITS });
/** Every promise and microtask that is due by now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose store ends each submission when it is told to. */
function heldQueue() {
  const underWay = new Map<string, PromiseWithResolvers<Outcome>>();
  const inTransaction = ({ id }: NewSubmission): Promise<Outcome> => {
    const end = Promise.withResolvers<Outcome>();
    underWay.set(id, end);
    return end.promise.finally(() => underWay.delete(id));
  };
  // No submission has a file, so the database is not asked.
  const queue = new SubmissionTransactions(NO_DATABASE, { inTransaction }, NO_BUCKET, LIMITS);
  /** Settles with the outcome, or with the error. */
  const submit = (id: string, deploymentId = `d_${id}`): Promise<unknown> =>
    queue.store(submission(id, deploymentId), { files: [] }).catch((error) => error);
  return { underWay, submit };
}

describe('SubmissionTransactions', () => {
  it('stores a few at a time, in order, each with its own outcome', async () => {
    const { underWay, submit } = heldQueue();
    const answers = names(5).map((id) => submit(id));
    await settled();
    expect([...underWay.keys()]).toEqual(names(LIMITS.submissions.maxConcurrentAlone));
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
    expect(await held).toBeInstanceOf(BusyError);

    const answers = names(MANY).map((id) => submit(id));
    const refused = new Set<string>();
    for (const [index, answer] of answers.entries()) {
      void answer.then((outcome) => outcome instanceof BusyError && refused.add(`s${index}`));
    }
    await settled();
    expect(refused.size).toBeGreaterThan(MANY / 2);
    expect(refused.has('s1')).toBe(false);
    while (underWay.size > 0) {
      for (const { resolve } of underWay.values()) resolve({ kind: 'accepted' });
      await settled();
    }
    const kinds = (await Promise.all(answers)).filter((outcome) => !(outcome instanceof BusyError));
    expect(kinds).toEqual(Array.from({ length: MANY - refused.size }, () => ({ kind: 'accepted' })));
  });

  it('gives deployments turns, one of each at a time: none waits behind the backlog of another', async () => {
    const { underWay, submit } = heldQueue();
    const ends: string[] = [];
    const all = [
      ...names(LIMITS.submissions.maxConcurrentAlone + 4).map((id) => submit(id, 'd_flood')),
      ...['a0', 'a1'].map((id) => submit(id, 'd_a')),
      submit('b0', 'd_b'),
    ];
    for (await settled(); underWay.size > 0; await settled()) {
      const [[id, { resolve }] = ['', Promise.withResolvers<Outcome>()]] = underWay;
      ends.push(id);
      resolve(ACCEPTED);
    }
    expect(await Promise.all(all)).toEqual(all.map(() => ACCEPTED));
    expect(ends).toEqual(['s0', 'a0', 'b0', 's1', 'a1', 's2', 's3', 's4', 's5', 's6']);
  });

  it('refuses the newest of the deployment that has the most waiting, and nobody else', async () => {
    const { underWay, submit } = heldQueue();
    const flood = names(MANY).map((id) => submit(id, 'd_flood'));
    const others = names(20).map((id) => submit(`${id} of others`, `d_${id}`));
    const more = names(10).map((id) => submit(`${id} more`, 'd_flood'));
    const refusals = async (answers: readonly Promise<unknown>[]) =>
      (await Promise.all(answers)).map((outcome) => outcome instanceof BusyError);
    expect(await refusals(more)).toEqual(more.map(() => true));
    for (await settled(); underWay.size > 0; await settled()) {
      for (const { resolve } of underWay.values()) resolve(ACCEPTED);
    }
    expect(await refusals(others)).toEqual(others.map(() => false));
    const refused = await refusals(flood);
    // The oldest have kept their place.
    expect(refused.lastIndexOf(false) + 1).toBe(refused.indexOf(true));
    expect(refused.indexOf(true)).toBeGreaterThan(100);
  });

  it('fails all who wait once the database is away, and tries anew for who comes later', async () => {
    const { underWay, submit } = heldQueue();
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const answers = names(10).map((id) => submit(id));
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
    const answers = names(4).map((id) => submit(id));
    await settled();
    underWay.get('s0')?.reject(wrong);
    await settled();
    for (const { resolve } of underWay.values()) resolve({ kind: 'accepted' });
    const accepted = { kind: 'accepted' };
    expect(await Promise.all(answers)).toEqual([wrong, accepted, accepted, accepted]);
  });
});
