import { describe, expect, it } from 'vitest';
import { failure } from '../../support/answers.ts';
import { JSON_TYPE, testService } from '../../support/test-service.ts';

const HOUR = 3600;
const LIMIT = 10;

const service = await testService({ MAX_SUBMISSIONS_PER_MINUTE: '1000' });
const owner = await service.owner();
/** Two services on one database. */
const urls = [service.url, (await service.another()).url];

type Answer = { status: number; retryAfter: string | null; text: string };

async function submit(id: string, { url = service.url, body = '{"a":1}' } = {}): Promise<Answer> {
  const response = await fetch(`${url}/submit/${id}`, { method: 'POST', body, headers: JSON_TYPE });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

const deploy = async (): Promise<string> => (await owner.deploy()).id;
const limitTo = (id: string, limit: number | null) => owner.change(id, { submissions_per_minute: limit });
const list = async (id: string) => (await owner.get(`/submissions/${id}`)).body;

const submitMany = (id: string, count: number, url = service.url): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => submit(id, { url })));

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

describe('POST /submit/:deployId: at most 10 accepted in any 60 seconds', () => {
  it('answers the 11th with 429 and Retry-After, and stores nothing of it', async () => {
    const id = await deploy();
    expect(accepted(await submitMany(id, LIMIT))).toBe(LIMIT);
    const { status, retryAfter, text } = await submit(id);
    expect([status, retryAfter, JSON.parse(text)]).toEqual([429, wholeSeconds, failure]);
    expect([(await list(id)).total, (await owner.get(`/deploy/${id}`)).body.submission_count]).toEqual([LIMIT, LIMIT]);
  });

  it('does not count what it refuses', async () => {
    const id = await deploy();
    for (const body of ['{', '[]', `{"a":"${'x'.repeat(300_000)}"}`]) {
      expect([400, 413]).toContain((await submit(id, { body })).status);
    }
    expect(accepted(await submitMany(id, 25))).toBe(LIMIT);
    // The 15 that were too many have not moved the window.
    await setAccepted(id, Array(LIMIT).fill(61));
    // In a process that does not remember them.
    expect(accepted(await submitMany(id, LIMIT, urls[1]))).toBe(LIMIT);
  });

  it('accepts exactly 10 of 50 that come at once to two processes, and of other forms all', async () => {
    const [busy, other] = [await deploy(), await deploy()];
    const answers = Array.from({ length: 50 }, (_, index) => submit(busy, { url: urls[index % 2] ?? '' }));
    const few = Array.from({ length: LIMIT }, (_, index) => submit(other, { url: urls[index % 2] ?? '' }));
    expect([accepted(await Promise.all(answers)), accepted(await Promise.all(few))]).toEqual([LIMIT, LIMIT]);
    const { submissions, total }: { submissions: { created_at: string }[]; total: number } = await list(busy);
    const times = submissions.map(({ created_at }) => created_at);
    // Whichever process took them, the order of acceptance is that of time.
    expect([total, times]).toEqual([LIMIT, [...times].sort().reverse()]);
  });
});

describe('POST /submit/:deployId: the window slides', () => {
  it.each<[string, number[], number]>([
    ['10 most of a minute ago', Array(10).fill(45), 0],
    ['5 a minute ago, 5 since', [...Array(5).fill(61), ...Array(5).fill(10)], 5],
    ['9 a minute ago, 1 since', [...Array(9).fill(60.1), 45], 9],
    ['1 a minute ago, 9 since', [60.1, 45, 40, 35, 30, 25, 20, 15, 10, 5], 1],
    ['10 hours ahead: the clock was set back', Array(10).fill(-3 * HOUR), 10],
    ['5 hours ahead, 5 a moment ago', [...Array(5).fill(10), ...Array(5).fill(-3 * HOUR)], 5],
  ])('after %s', async (_case, secondsAgo, free) => {
    const id = await deploy();
    await setAccepted(id, secondsAgo);
    expect(accepted(await submitMany(id, LIMIT + 1))).toBe(free);
  });

  it.each([
    ['', null, [40, ...Array(9).fill(5)], 20],
    [' where the limit was lowered', 3, [50, 40, 30, 0, 0], 30],
  ])('frees a slot once Retry-After has passed%s', async (_where, limit, secondsAgo, most) => {
    const id = await deploy();
    await limitTo(id, limit);
    await setAccepted(id, secondsAgo);
    const { retryAfter } = await submit(id);
    expect(Number(retryAfter)).toBeLessThanOrEqual(most);
    await service.db.raw(
      `UPDATE deployments SET recent_submissions = ARRAY(
         SELECT accepted_at - ? * interval '1 s' FROM unnest(recent_submissions) AS accepted_at)
        WHERE id = ?`,
      [Number(retryAfter), id],
    );
    // In a process that does not remember until when there is no slot.
    expect(accepted(await submitMany(id, 3, urls[1]))).toBe(1);
  });

  it('answers 404 once a full deployment was deleted, in every process that has refused', async () => {
    const id = await deploy();
    await setAccepted(id, Array(10).fill(5));
    const statuses = async () => Promise.all(urls.map(async (url) => (await submit(id, { url })).status));
    expect(await statuses()).toEqual([429, 429]);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect((await submit(id)).status).toBe(404);
    await expect.poll(statuses, { interval: 20 }).toEqual([404, 404]);
  });
});

describe('submissions_per_minute', () => {
  it('is exact for 1,000, over all processes', async () => {
    const id = await deploy();
    await limitTo(id, 1_000);
    await setAccepted(id, Array(990).fill(0));
    const answers = Array.from({ length: 40 }, (_, index) => submit(id, { url: urls[index % 2] ?? '' }));
    expect(accepted(await Promise.all(answers))).toBe(10);
    expect((await list(id)).total).toBe(10);
  });

  it('counts submissions that have been deleted', async () => {
    const id = await deploy();
    await limitTo(id, 20);
    expect(accepted(await submitMany(id, 15))).toBe(15);
    const ids = (await list(id)).submissions.map((submission: { id: string }) => submission.id);
    await owner.mark(id, 'delete', ids);
    expect(accepted(await submitMany(id, 15))).toBe(5);
  });

  it('holds for what was accepted before it was raised or lowered', async () => {
    const id = await deploy();
    const counts: number[] = [];
    for (const limit of [null, 15, 12, 3, 18, null, 20]) {
      await limitTo(id, limit);
      counts.push(accepted(await submitMany(id, 15)));
    }
    expect(counts).toEqual([10, 5, 0, 0, 3, 0, 2]);
  });
});
