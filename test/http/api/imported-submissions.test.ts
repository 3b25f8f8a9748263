import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { testService } from '../../support/test-service.ts';

/* Each list of submissions has imported ones, whose numbers are 0 and below, in their place. */

const service = await testService();

type Owner = Awaited<ReturnType<typeof service.owner>>;
type Listed = { id: string; data: { day?: string }; created_at: string };
type Found = { submissions: Listed[]; next_cursor: string | null };

const CSV = { 'Content-Type': 'text/csv' };
const file = (...days: readonly number[]): string =>
  `created_at,day\n${days.map((day) => `2024-05-${String(day).padStart(2, '0')}T12:00:00Z,${day}`).join('\n')}\n`;

async function imported(...days: readonly number[]) {
  const owner = await service.owner();
  const { id, slug } = await owner.deploy();
  const importMore = async (...more: readonly number[]) =>
    expect(await owner.send('POST', `/submissions/${id}/import`, file(...more), CSV)).toEqual({
      status: 200,
      body: { imported: more.length, errors: [] },
    });
  await importMore(...days);
  return { owner, id, slug, importMore };
}

const listed = async (owner: Owner, id: string): Promise<Listed[]> =>
  (await owner.get(`/submissions/${id}?limit=100`).expect(200)).body.submissions;
const daysOf = (submissions: readonly Listed[]): number[] => submissions.map(({ data }) => Number(data.day));

describe('imported submissions', () => {
  it('are in the inbox of all pages, in the order of their times, with its cursors', async () => {
    const { owner, id } = await imported(2, 4, 6);
    const other = await owner.deploy();
    await owner.send('POST', `/submissions/${other.id}/import`, file(1, 3, 5, 7), CSV);
    await service.submit(id, '{"day":"30"}');
    for (const limit of [1, 2, 100]) {
      const found: Listed[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const { body }: { body: Found } = await owner.get(`/inbox?${query}`).expect(200);
        found.push(...body.submissions);
        cursor = body.next_cursor;
      }
      expect(daysOf(found)).toEqual([30, 7, 6, 5, 4, 3, 2, 1]);
    }
    const { body } = await owner.get('/inbox?from=2024-05-03&to=2024-05-06').expect(200);
    expect(daysOf(body.submissions)).toEqual([5, 4, 3]);
  });

  it('are in the overview with their newest time, and in feeds', async () => {
    const { owner, id } = await imported(2, 4, 6);
    const { body } = await owner.get(`/overview/${id}`).expect(200);
    expect(body).toMatchObject({
      submission_count: 3,
      unread: 0,
      last_submission_at: '2024-05-06T12:00:00.000Z',
    });
    const feed = await owner.post(`/deploy/${id}/feeds`).send({ name: 'Sheet' }).expect(201);
    const answered = await fetch(service.url + new URL(feed.body.url).pathname);
    const rows: string[][] = parse(await answered.text());
    expect(rows.slice(1).map((row) => row.at(-1))).toEqual(['6', '4', '2']);
  });

  it('are marked, exported and deleted by a filter', async () => {
    const { owner, id } = await imported(1, 2, 3, 4);
    const [, third, second] = await listed(owner, id);
    await owner.mark(id, 'star', [third?.id, second?.id]);
    const starred = await owner.get(`/submissions/${id}/search?starred=true`).expect(200);
    expect(daysOf(starred.body.submissions)).toEqual([3, 2]);
    expect(starred.body.submissions[0]).toMatchObject({ read: true, page_version: 1 });
    const exported = await fetch(`${service.url}/submissions/${id}/export.csv?starred=true&after=0`, {
      headers: { Authorization: `Bearer ${owner.key}` },
    });
    const rows: string[][] = parse(await exported.text());
    expect(rows.slice(1).map((row) => row.at(-1))).toEqual(['2', '3']);
    await owner.mark(id, 'delete', [second?.id]);
    expect(daysOf(await listed(owner, id))).toEqual([4, 3, 1]);
    const trash = await owner.get(`/submissions/${id}/trash`).expect(200);
    expect(daysOf(trash.body.submissions)).toEqual([2]);
  });

  it('come after each version of the page, and before what is submitted later', async () => {
    const { owner, id } = await imported(1);
    await owner.put(`/deploy/${id}`).send({ html: '<h1>Second</h1>' }).expect(200);
    await service.submit(id, '{"day":"9"}');
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    expect(body.submissions.map((one: { page_version: number }) => one.page_version)).toEqual([2, 1]);
    const live = await owner.get(`/submissions/${id}/after/0`).expect(200);
    expect([daysOf(live.body.submissions), live.body.cursor]).toEqual([[9], '1']);
  });

  it('take their place among those in the spam folder and in the trash, which can be restored', async () => {
    const { owner, id, importMore } = await imported(2, 4, 6, 8);
    const ids = (await listed(owner, id)).map((one) => one.id);
    await owner.mark(id, 'spam', ids.slice(0, 2));
    await owner.mark(id, 'delete', ids.slice(2));
    await importMore(1, 3, 5, 7);
    for (const one of ids.slice(0, 2)) await owner.post(`/deploy/${id}/spam/${one}/restore`).expect(200);
    for (const one of ids.slice(2)) await owner.post(`/submissions/${id}/trash/${one}/restore`).expect(200);
    expect(daysOf(await listed(owner, id))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    const between = await owner.get(`/submissions/${id}/search?from=2024-05-03&to=2024-05-07`).expect(200);
    expect(daysOf(between.body.submissions)).toEqual([6, 5, 4, 3]);
  });
});
