import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOwnPages } from '../../../src/db/submissions/owner-inbox-queries.ts';
import { type Position, searchSubmissions } from '../../../src/db/submissions/search-submissions.ts';
import { createMatcher } from '../../../src/forms/submission-search.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { type Owner, testService } from '../../support/test-service.ts';

const service = await testService();

type Found = {
  submissions: { id: string; deployment_id: string; data: { n: number } }[];
  next_cursor: string | null;
  searched: number;
  total: number;
};

async function inbox(owner: Owner, query: Record<string, string> = {}): Promise<Found> {
  const { status, body } = await owner.get(`/inbox?${new URLSearchParams(query)}`);
  expect([status, body]).toEqual([200, body]);
  return body;
}

/** All that a query finds, a page at a time. */
async function all(owner: Owner, query: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const found: Found = await inbox(owner, { ...query, ...(cursor && { cursor }) });
    ids.push(...found.submissions.map(({ id }) => id));
    cursor = found.next_cursor;
  }
  return ids;
}

const minute = (count: number): Date => new Date(Date.UTC(2026, 0, 1, 0, count));

/** A page with a submission at each of these minutes, which rise: `{"n":<minute>}`. */
async function pageAt(owner: Owner, minutes: readonly number[]): Promise<{ id: string; slug: string }> {
  const page = await owner.deploy();
  const texts = minutes.map((n) => `{"n":${n}}`);
  await storeTexts(service.db, page.id, texts, { times: minutes.map(minute) });
  return page;
}

describe('GET /inbox', () => {
  it('answers the submissions of all pages, newest first, as a search of each, with the page', async () => {
    const owner = await service.owner();
    const first = await owner.deploy({ html: '<title>Caf&eacute; "A"</title>' });
    const second = await owner.deploy({ html: 'no title' });
    for (const [id, text] of [
      [first.id, '{"x":1.10}'],
      [second.id, '{"y":2}'],
      [first.id, '{"z":3}'],
    ] as const)
      await owner.send('POST', `/submit/${id}`, text);
    const search = async (id: string) => (await owner.get(`/submissions/${id}/search`)).body.submissions;
    const [newest, oldest] = await search(first.id);
    const marks = { starred: true, read: true, note: 'Tea', status: 'done' };
    await owner.patch(`/submissions/${first.id}/${oldest.id}`).send(marks).expect(200);
    const [[, marked], [middle]] = [await search(first.id), await search(second.id)];
    const ofFirst = { deployment_id: first.id, slug: first.slug, title: 'Café "A"' };
    const { text, body } = await owner.get('/inbox');
    expect(body).toEqual({
      submissions: [
        { ...newest, ...ofFirst },
        { ...middle, deployment_id: second.id, slug: second.slug, title: null },
        { ...marked, ...ofFirst },
      ],
      ...{ next_cursor: null, searched: 3, total: 3 },
    });
    expect(marked).toMatchObject({ ...marks, created_at: aTime });
    const done = (await owner.get('/inbox?status=done')).body.submissions;
    expect(done.map((one: { id: string }) => one.id)).toEqual([oldest.id]);
    expect(text).toContain('"data":{"x":1.10}');
  });

  it('has nothing of deleted pages and of other owners', async () => {
    const owner = await service.owner();
    await pageAt(await service.owner(), [1]);
    const deleted = await pageAt(owner, [2]);
    await owner.delete(`/deploy/${deleted.id}`).expect(200);
    expect(await inbox(owner)).toEqual({ submissions: [], next_cursor: null, searched: 0, total: 0 });
  });

  it('takes a range of time, marks and a text, and pages by cursor, also where pages have one time', async () => {
    const owner = await service.owner();
    const minutes = [
      Array.from({ length: 40 }, (_, n) => n + 1),
      [3, 3, 3, 5, 12, 39],
      [...Array.from({ length: 20 }, () => 20), 30],
      [1],
    ];
    const pages: { id: string; minutes: number[] }[] = [];
    for (const each of minutes) pages.push({ id: (await pageAt(owner, each)).id, minutes: each });
    const submissions = pages
      .flatMap(({ id, minutes }) =>
        minutes.map((at, index) => ({ page: id, number: index + 1, at, id: storedId(id, index + 1) })),
      )
      .sort((a, b) => b.at - a.at || (a.page < b.page ? 1 : a.page > b.page ? -1 : b.number - a.number));
    const marks = { read: submissions.filter((_, n) => n % 3 === 0), star: submissions.filter((_, n) => n % 5 === 0) };
    for (const { id } of pages) {
      for (const action of ['read', 'star'] as const) {
        const ids = marks[action].filter(({ page }) => page === id).map((one) => one.id);
        await owner.mark(id, action, ids);
      }
    }
    const expected = (isWanted: (one: (typeof submissions)[number]) => boolean): string[] =>
      submissions.filter(isWanted).map(({ id }) => id);
    for (const limit of ['1', '7', '100']) {
      expect(await all(owner, { limit })).toEqual(expected(() => true));
    }
    const limit = '3';
    expect(await all(owner, { limit, unread: 'true' })).toEqual(expected((one) => !marks.read.includes(one)));
    expect(await all(owner, { limit, starred: 'true' })).toEqual(expected((one) => marks.star.includes(one)));
    expect(await all(owner, { limit, starred: 'true', unread: 'true', q: '2' })).toEqual(
      expected((one) => marks.star.includes(one) && !marks.read.includes(one) && String(one.at).includes('2')),
    );
    const times = { from: minute(3).toISOString(), to: minute(20).toISOString() };
    expect(await all(owner, { limit, ...times })).toEqual(expected(({ at }) => at >= 3 && at < 20));
    expect(await all(owner, { limit, from: minute(39).toISOString() })).toEqual(expected(({ at }) => at >= 39));
    const { searched, total } = await inbox(owner, { to: minute(2).toISOString() });
    expect([searched, total]).toEqual([2, submissions.length]);
  });

  it('goes on from a cursor whose submission, or page, has been deleted meanwhile', async () => {
    const owner = await service.owner();
    const one = await pageAt(owner, [1, 3, 5]);
    await pageAt(owner, [2, 4, 6]);
    const { submissions, next_cursor: cursor } = await inbox(owner, { limit: '2' });
    expect(submissions.map(({ data }) => data.n)).toEqual([6, 5]);
    const rest = async () => (await inbox(owner, { cursor: cursor ?? '' })).submissions.map(({ data }) => data.n);
    await owner.delete(`/submissions/${one.id}/${submissions[1]?.id}`).expect(200);
    expect(await rest()).toEqual([4, 3, 2, 1]);
    await owner.delete(`/deploy/${one.id}`).expect(200);
    expect(await rest()).toEqual([4, 2]);
  });

  it('passes over none of the same millisecond where there is one page', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    const times = [1, 2, 3].map((n) => `2026-01-01T00:00:00.00000${n}Z`);
    await storeTexts(service.db, id, ['{}', '{}', '{}'], { times });
    expect(await all(owner, { limit: '1' })).toEqual([3, 2, 1].map((n) => storedId(id, n)));
  });

  it.each([
    ...['unread=false', 'starred=1', `q=${'x'.repeat(201)}`, 'from=2026-01-02&to=2026-01-01', 'cursor=1', 'cursor=x'],
    ...['status=closed', 'status=', 'status=open&status=done'],
    ...['cursor=1.d_000000000000000000000000.0', 'cursor=1.d_0.1'],
  ])('answers 400 to ?%s', async (query) => {
    expect(answer(await (await service.owner()).get(`/inbox?${query}`))).toEqual(refused(400));
  });
});

describe('a search of all pages', () => {
  it('stops when its time is over, and goes on from where it was', async () => {
    const owner = await service.owner();
    // Some pages have much, and at once; others have little, all the time.
    const minutes = fc.sample(fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 60 }), { numRuns: 12, seed: 7 });
    for (const each of [...minutes, Array.from({ length: 600 }, () => 250)]) {
      await pageAt(
        owner,
        each.toSorted((a, b) => a - b),
      );
    }
    const { id: ownerId } = await service.db('owners').orderBy('id', 'desc').first('id');
    const marks = { unread: false, starred: false, status: undefined };
    const search = { ...marks, matches: createMatcher('7'), limit: 10_000, maxMs: 0, turnMs: 4 };
    const found: Position[] = [];
    let [requests, searched] = [0, 0];
    for (let cursor: Position | undefined, isOver = false; !isOver; requests += 1) {
      const pages = await findOwnPages(
        service.db,
        { id: ownerId, pages: null },
        { from: undefined, to: undefined, cursor },
      );
      const part = await searchSubmissions(service.db, pages, search);
      found.push(...part.positions);
      searched += part.searched;
      cursor = part.next;
      isOver = cursor === undefined;
    }
    const stored = [...minutes.flat(), ...Array.from({ length: 600 }, () => 250)];
    expect(requests).toBeGreaterThan(2);
    expect(searched).toBe(stored.length);
    const times = stored.filter((n) => String(n).includes('7')).toSorted((a, b) => b - a);
    expect(found.map(({ at }) => at / 1_000)).toEqual(times.map((n) => minute(n).getTime()));
  });
});
