import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOwner, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const idOf = (id: string, number: number): string => `sub_${id.slice(2, 20)}${String(number).padStart(7, '0')}`;
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** Adds submissions after those that there are. */
async function addSubmissions(id: string, count: number): Promise<void> {
  await service.db.transaction(async (transaction) => {
    const { rows } = await transaction.raw(
      `UPDATE deployments
          SET submission_count = submission_count + :count, last_submission_number = last_submission_number + :count
        WHERE id = :id RETURNING last_submission_number AS last`,
      { id, count },
    );
    await transaction.raw(
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT :id, number, 'sub_' || substr(:id, 3, 18) || lpad(number::text, 7, '0'), '{}', '192.0.2.1',
              timestamptz '2026-01-01' + number * interval '1 minute'
         FROM generate_series(CAST(:last AS int) - CAST(:count AS int) + 1, CAST(:last AS int)) AS number`,
      { id, count, last: rows[0].last },
    );
  });
}

async function deployWith(count: number): Promise<string> {
  const { id } = await owner.deploy();
  await addSubmissions(id, count);
  return id;
}

type Action = 'read' | 'unread' | 'star' | 'unstar' | 'done' | 'open' | 'delete';
type Marks = { read: boolean; starred: boolean; done: boolean };

const NONE: Marks = { read: false, starred: false, done: false };

async function bulk(id: string, action: Action, numbers: readonly number[], by = owner): Promise<number> {
  const ids = numbers.map((number) => idOf(id, number));
  const { body } = await by.mark(id, action, ids);
  return body.done;
}

/** The numbers of what a search finds, to its end, newest first. */
async function search(id: string, query: Record<string, string> = {}): Promise<number[]> {
  const found: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const parameters = new URLSearchParams({ limit: '100', ...query, ...(cursor && { cursor }) });
    const { body } = await owner.get(`/submissions/${id}/search?${parameters}`).expect(200);
    found.push(...body.submissions.map((one: { id: string }) => Number(one.id.slice(-7))));
    cursor = body.next_cursor;
  }
  return found;
}

const unreadOf = async (id: string): Promise<number> =>
  (await owner.get('/overview').expect(200)).body.deployments.find((one: { id: string }) => one.id === id).unread;

/** The stored marks of a deployment. */
async function stored(id: string): Promise<[number, boolean, boolean][]> {
  const rows = await service.db('submission_marks').where({ deployment_id: id }).orderBy('number');
  return rows.map(({ number, read, starred }) => [number, read, starred]);
}

describe('marks', () => {
  it('are a row each, and only where somebody has set them', async () => {
    const id = await deployWith(4);
    expect(await bulk(id, 'unread', [1, 2])).toBe(0);
    expect(await bulk(id, 'unstar', [1, 2])).toBe(0);
    expect(await stored(id)).toEqual([]);
    expect(await bulk(id, 'read', [2, 3])).toBe(2);
    expect(await bulk(id, 'star', [3, 4])).toBe(2);
    expect(await bulk(id, 'unread', [2])).toBe(1);
    expect(await stored(id)).toEqual([
      [2, false, false],
      [3, true, true],
      [4, false, true],
    ]);
    expect(await bulk(id, 'delete', [3])).toBe(1);
    expect([await search(id, { unread: 'true' }), await unreadOf(id)]).toEqual([[4, 2, 1], 3]);
  });

  it('agree with a plain model, whatever is done in which order', async () => {
    const numbers = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 40 })), {
      maxLength: 15,
    });
    const action = fc.constantFrom(
      'read',
      'read',
      'unread',
      'star',
      'unstar',
      'done',
      'done',
      'open',
      'delete',
      'submit',
    );
    const step = fc.record({ action, numbers });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 12 }), async (steps) => {
        const id = await deployWith(10);
        const model = new Map<number, Marks>(range(1, 10).map((number) => [number, NONE]));
        let last = 10;
        const change = (of: readonly number[], marks: Partial<Marks>): number => {
          let done = 0;
          for (const number of new Set(of)) {
            const now = model.get(number);
            const next = now && { ...now, ...marks };
            if (!next || isDeepStrictEqual(next, now)) continue;
            model.set(number, next);
            done += 1;
          }
          return done;
        };
        const shown = (of: (marks: Marks) => boolean): number[] =>
          [...model].flatMap(([number, marks]) => (of(marks) ? [number] : [])).toSorted((a, b) => b - a);
        for (const one of steps) {
          if (one.action === 'submit') {
            await addSubmissions(id, one.numbers.length);
            for (const number of range(last + 1, last + one.numbers.length)) {
              model.set(number, NONE);
            }
            last += one.numbers.length;
          } else if (one.action === 'delete') {
            const there = new Set(one.numbers.filter((number) => model.delete(number)));
            expect(await bulk(id, 'delete', one.numbers)).toBe(there.size);
          } else {
            const marks = {
              ...{ read: { read: true }, unread: { read: false }, star: { starred: true }, unstar: { starred: false } },
              ...{ done: { done: true }, open: { done: false } },
            }[one.action];
            expect(await bulk(id, one.action, one.numbers)).toBe(change(one.numbers, marks));
          }
          const unread = shown(({ read }) => !read);
          expect([await search(id, { unread: 'true', limit: '12' }), await unreadOf(id)]).toEqual([
            unread,
            unread.length,
          ]);
        }
        expect(await search(id, { starred: 'true' })).toEqual(shown(({ starred }) => starred));
        expect(await search(id, { starred: 'true', unread: 'true' })).toEqual(
          shown(({ read, starred }) => starred && !read),
        );
        expect(await search(id, { status: 'done', limit: '5' })).toEqual(shown(({ done }) => done));
        expect(await search(id, { status: 'open', limit: '5' })).toEqual(shown(({ done }) => !done));
        expect(await search(id, { status: 'open', unread: 'true', starred: 'true' })).toEqual(
          shown(({ read, starred, done }) => starred && !read && !done),
        );
        expect(await search(id, { status: 'done', unread: 'true', starred: 'true' })).toEqual(
          shown(({ read, starred, done }) => starred && !read && done),
        );
        await owner.delete(`/deploy/${id}`).expect(200);
      }),
      { numRuns: 3 },
    );
  });

  it('are all kept when they are made at the same time, beside deletions and new submissions', async () => {
    const there = asOwner((await service.another()).url, owner.key);
    const id = await deployWith(200);
    const every = (of: number, rest: number): number[] => range(1, 200).filter((number) => number % of === rest);
    const [deleted, starred] = [every(10, 0), every(7, 1)];
    const requests: (readonly [Action, number[]])[] = [
      ...range(0, 3).map((n) => ['read', every(4, n)] as const),
      ['delete', deleted],
      ...range(0, 1).map((n) => ['star', starred.filter((_, index) => index % 2 === n)] as const),
    ];
    await Promise.all([
      ...requests.map(([action, numbers], index) => bulk(id, action, numbers, index % 2 ? owner : there)),
      ...range(1, 3).map(() => addSubmissions(id, 2)),
    ]);
    expect([await search(id, { unread: 'true' }), await unreadOf(id)]).toEqual([range(201, 206).toReversed(), 6]);
    expect(await search(id, { starred: 'true' })).toEqual(starred.filter((n) => !deleted.includes(n)).toReversed());
  });

  it('are found among many that have none', async () => {
    const id = await deployWith(12_000);
    await service.db.raw(
      `INSERT INTO submission_marks (deployment_id, number, read, starred)
       SELECT ?, number, true, number IN (7, 11000) FROM generate_series(2, 12000) AS number`,
      [id],
    );
    expect([await unreadOf(id), await search(id, { unread: 'true' })]).toEqual([1, [1]]);
    expect(await search(id, { starred: 'true' })).toEqual([11_000, 7]);
    expect(await bulk(id, 'read', [1])).toBe(1);
    expect([await unreadOf(id), await search(id, { unread: 'true' })]).toEqual([0, []]);
  });

  it('are a 404 for a deployment that is deleted while the body arrives', async () => {
    const id = await deployWith(3);
    const body = JSON.stringify({ action: 'read', ids: [idOf(id, 1)] });
    const { promise: isDeleted, resolve } = Promise.withResolvers<void>();
    const pieces = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(body.slice(0, 10)));
        await isDeleted;
        controller.enqueue(Buffer.from(body.slice(10)));
        controller.close();
      },
    });
    const marking = fetch(`${service.url}/submissions/${id}/bulk`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${owner.key}`, 'Content-Type': 'application/json' },
      body: pieces,
      duplex: 'half',
    });
    await owner.delete(`/deploy/${id}`).expect(200);
    resolve();
    const { status } = await marking;
    const { submission_count } = await service.db('deployments').where({ id }).first();
    expect([status, await stored(id), submission_count]).toEqual([404, [], 3]);
  });
});
