import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../../support/answers.ts';
import { type Owner, startTestService, type TestService } from '../../support/service.ts';

const HOUR = 3600;
const LIMIT = 10;

let service: TestService;
let owner: Owner;
/** Two services on one database. */
let urls: [string, string];
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
  urls = [service.url, (await service.another()).url];
});
afterAll(() => service.close());

type Answer = { status: number; retryAfter: string | null; text: string };

async function submit(id: string, { url = service.url, body = '{"a":1}' } = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/submit/${id}`, { method: 'POST', body, headers });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

const deploy = async (): Promise<string> => (await owner.deploy()).id;
const deployMany = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, deploy));
const list = async (id: string) => (await owner.get(`/submissions/${id}`)).body;
const total = async (id: string): Promise<number> => (await list(id)).total;

const submitMany = (id: string, count: number, url = service.url): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => submit(id, { url })));

async function submitInTurn(id: string, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await submit(id));
  return answers;
}

/** How many of these answers are 200; every other has to be a 429 that says when to come back. */
function accepted(answers: readonly Answer[]): number {
  const refused = answers.filter(({ status }) => status !== 200);
  for (const { status, retryAfter } of refused) expect([status, retryAfter]).toEqual([429, wholeSeconds]);
  return answers.length - refused.length;
}
const wholeSeconds = expect.stringMatching(/^([1-9]|[1-5][0-9]|60)$/);

/** Makes it look as if submissions had been accepted so many seconds ago; negative: ahead of the clock. */
const setAccepted = (id: string, secondsAgo: readonly number[]): Promise<unknown> =>
  service.db.raw(
    `UPDATE deployments SET recent_submissions = ARRAY(
       SELECT clock_timestamp() - seconds * interval '1 s' FROM unnest(?::float8[]) WITH ORDINALITY AS ago (seconds, place)
        ORDER BY place)
      WHERE id = ?`,
    [[...secondsAgo], id],
  );

/** Seconds until the oldest of the last minute's submissions is a minute old. */
async function secondsUntilFree(id: string): Promise<number> {
  const { rows } = await service.db.raw(
    `SELECT extract(epoch FROM min(accepted_at) + interval '60 s' - clock_timestamp())::float8 AS seconds
       FROM deployments, unnest(recent_submissions) AS accepted_at
      WHERE id = ? AND accepted_at > clock_timestamp() - interval '60 s' AND accepted_at < clock_timestamp() + interval '60 s'`,
    [id],
  );
  return rows[0].seconds;
}

describe('POST /submit/:deployId: at most 10 accepted in any 60 seconds', () => {
  it('answers the 11th with 429 and Retry-After, and stores nothing of it', async () => {
    const id = await deploy();
    for (let count = 0; count < LIMIT; count += 1) expect((await submit(id)).status).toBe(200);
    const refused = await submit(id);
    expect([refused.status, refused.retryAfter]).toEqual([429, wholeSeconds]);
    expect(JSON.parse(refused.text)).toEqual(failure);
    expect(await total(id)).toBe(LIMIT);
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(LIMIT);
  });

  it('limits each deployment by itself', async () => {
    const [full, other] = await Promise.all([deploy(), deploy()]);
    expect(accepted(await submitMany(full, LIMIT + 1))).toBe(LIMIT);
    expect(accepted(await submitMany(other, LIMIT))).toBe(LIMIT);
  });

  it('does not count what it refuses', async () => {
    const id = await deploy();
    expect(accepted(await submitMany(id, 5))).toBe(5);
    const bad = ['{', '[]', '', `{"a":"${'x'.repeat(300_000)}"}`];
    for (const body of bad) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => submit(id, { body })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([body.length > 10 ? 413 : 400]));
    }
    expect(accepted(await submitMany(id, 25))).toBe(5);
    // Those 20 refusals have not moved the window.
    await setAccepted(id, Array(LIMIT).fill(61));
    // In a process that does not remember them.
    expect(accepted(await submitMany(id, LIMIT, urls[1]))).toBe(LIMIT);
  });

  it('starts anew with a new deployment under a freed slug', async () => {
    const first = await owner.deploy({ slug: 'again' });
    expect(accepted(await submitMany(first.id, LIMIT + 1))).toBe(LIMIT);
    await owner.delete(`/deploy/${first.id}`).expect(200);
    const second = await owner.deploy({ slug: 'again' });
    expect(accepted(await submitMany(second.id, LIMIT + 1))).toBe(LIMIT);
  });

  it.each([1, 2, 3])('accepts exactly 10 of 50 that come at once to two processes: round %i', async () => {
    const ids = await deployMany(4);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ids.map((id) => submit(id, { url: urls[index % 2] }))).flat(),
    );
    for (const [place, id] of ids.entries()) {
      expect(accepted(answers.filter((_, index) => index % ids.length === place))).toBe(LIMIT);
      const { submissions, total: all }: { submissions: { created_at: string }[]; total: number } = await list(id);
      const times = submissions.map(({ created_at }) => created_at);
      expect([times.length, all]).toEqual([LIMIT, LIMIT]);
      // Whichever process took them, the order of acceptance is that of time.
      expect(times).toEqual([...times].sort().reverse());
    }
  });

  it('refuses no others that come at the same time', async () => {
    const [busy = '', ...others] = await deployMany(4);
    const [many, ...few] = await Promise.all([submitMany(busy, 40), ...others.map((id) => submitMany(id, 6))]);
    expect([many, ...few].map(accepted)).toEqual([LIMIT, 6, 6, 6]);
    const [more, ...rest] = await Promise.all([submitMany(busy, 5), ...others.map((id) => submitMany(id, 9))]);
    expect([more, ...rest].map(accepted)).toEqual([0, 4, 4, 4]);
  });
});

describe('POST /submit/:deployId: the window slides', () => {
  it('whatever was accepted before, and however long ago', async () => {
    // Not so near the edge that it passes while they are on their way.
    const seconds = fc.integer({ min: -12, max: 24 }).map((fives) => fives * 5 + 2);
    await fc.assert(
      fc.asyncProperty(fc.array(seconds, { maxLength: LIMIT }), fc.boolean(), async (ago, atOnce) => {
        const id = await deploy();
        const secondsAgo = ago.toSorted((a, b) => b - a);
        await setAccepted(id, secondsAgo);
        const within = secondsAgo.filter((age) => age > -60 && age < 60).length;
        const answers = await (atOnce ? submitMany : submitInTurn)(id, LIMIT + 1);
        expect(accepted(answers)).toBe(LIMIT - within);
        expect(await total(id)).toBe(LIMIT - within);
      }),
      { numRuns: 12 },
    );
  });

  it.each<[string, number[], number]>([
    ['10 a moment ago', Array(10).fill(1), 0],
    ['10 half a minute ago', Array(10).fill(30), 0],
    ['10 most of a minute ago', Array(10).fill(45), 0],
    ['10 a minute ago', Array(10).fill(61), 10],
    ['10 long ago', Array(10).fill(24 * HOUR), 10],
    ['5 and 5 within the minute', [...Array(5).fill(45), ...Array(5).fill(10)], 0],
    ['5 a minute ago, 5 since', [...Array(5).fill(61), ...Array(5).fill(10)], 5],
    ['9 a minute ago, 1 since', [...Array(9).fill(60.1), 45], 9],
    ['1 a minute ago, 9 since', [60.1, 45, 40, 35, 30, 25, 20, 15, 10, 5], 1],
    ['7 within the minute', Array(7).fill(20), 3],
    ['none', [], 10],
  ])('after %s', async (_case, secondsAgo, free) => {
    const id = await deploy();
    await setAccepted(id, secondsAgo);
    expect(accepted(await submitMany(id, LIMIT + 5))).toBe(free);
    const inTurn = await deploy();
    await setAccepted(inTurn, secondsAgo);
    expect(accepted(await submitInTurn(inTurn, LIMIT + 1))).toBe(free);
  });

  it.each<[string, number[]]>([
    ['10 at once', Array(10).fill(20)],
    ['the oldest alone', [40, 10, 10, 10, 10, 10, 10, 10, 10, 10]],
    ['one after another', [43.5, 40, 35, 30, 25, 20, 15, 10, 5, 0]],
    ['a moment ago', Array(10).fill(0)],
    ['some that are over', [90, 90, 90, 45, 44, 43, 42, 41, 40, 39]],
  ])('says with Retry-After when the next slot is free: %s', async (_case, secondsAgo) => {
    const id = await deploy();
    await setAccepted(id, secondsAgo);
    const over = secondsAgo.filter((seconds) => seconds >= 60).length;
    expect(accepted(await submitMany(id, over))).toBe(over);
    const before = await secondsUntilFree(id);
    const { status, retryAfter } = await submit(id);
    const after = await secondsUntilFree(id);
    expect([status, retryAfter]).toEqual([429, wholeSeconds]);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(Math.ceil(after));
    expect(Number(retryAfter)).toBeLessThanOrEqual(Math.min(60, Math.ceil(before) + 1));
  });

  it('frees a slot once Retry-After has passed', async () => {
    const id = await deploy();
    await setAccepted(id, [40, ...Array(9).fill(5)]);
    const { retryAfter } = await submit(id);
    await service.db.raw(
      `UPDATE deployments SET recent_submissions = ARRAY(
         SELECT accepted_at - ? * interval '1 s' FROM unnest(recent_submissions) AS accepted_at)
        WHERE id = ?`,
      [Number(retryAfter), id],
    );
    expect(accepted(await submitMany(id, 3, urls[1]))).toBe(1);
  });

  it('takes submissions again when it has said that it would, in every process that has refused', async () => {
    const id = await deploy();
    await setAccepted(id, Array(10).fill(55));
    const statuses = async () => Promise.all(urls.map(async (url) => (await submit(id, { url })).status));
    expect(await statuses()).toEqual([429, 429]);
    await expect.poll(statuses, { timeout: 60_000 }).toEqual([200, 200]);
  });

  it('answers 404 once a full deployment was deleted, in every process that has refused', async () => {
    const id = await deploy();
    await setAccepted(id, Array(10).fill(5));
    const statuses = async () => Promise.all(urls.map(async (url) => (await submit(id, { url })).status));
    expect(await statuses()).toEqual([429, 429]);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect((await submit(id)).status).toBe(404);
    await expect.poll(statuses, { timeout: 60_000, interval: 20 }).toEqual([404, 404]);
  });

  it.each<[string, number[], number]>([
    ['10 hours ahead', Array(10).fill(-3 * HOUR), 10],
    ['5 hours ahead, 5 a moment ago', [...Array(5).fill(10), ...Array(5).fill(-3 * HOUR)], 5],
    ['5 hours ahead, 5 a minute ago', [...Array(5).fill(61), ...Array(5).fill(-HOUR)], 10],
  ])('is not held up by a clock that was set back: %s', async (_case, secondsAgo, free) => {
    const id = await deploy();
    await setAccepted(id, secondsAgo);
    expect(accepted(await submitMany(id, LIMIT + 5))).toBe(free);
    const inTurn = await deploy();
    await setAccepted(inTurn, secondsAgo);
    expect(accepted(await submitInTurn(inTurn, LIMIT + 1))).toBe(free);
  });
});
