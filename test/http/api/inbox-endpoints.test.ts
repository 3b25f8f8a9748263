import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, aTime, refused } from '../../support/answers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

/** A deployment with submissions of these JSON texts, oldest first, a minute between them. */
async function deployWith(texts: readonly string[]): Promise<{ id: string; ids: string[] }> {
  const { id } = await owner.deploy();
  const times = texts.map((_, index) => new Date(Date.UTC(2026, 0, 1, 0, index + 1)));
  await storeTexts(service.db, id, texts, { times });
  return { id, ids: texts.map((_, index) => storedId(id, index + 1)) };
}

type Found = {
  submissions: { id: string; data: { n: number } }[];
  next_cursor: string | null;
  searched: number;
  total: number;
};

async function search(id: string, query: Record<string, string> = {}): Promise<Found> {
  const { status, body } = await owner.get(`/submissions/${id}/search?${new URLSearchParams(query)}`);
  expect([status, body]).toEqual([200, body]);
  return body;
}

const idsIn = ({ submissions }: Found): string[] => submissions.map(({ id }) => id);

describe('GET /submissions/:deployId/search', () => {
  it('answers submissions, newest first, with their marks and the version of the page', async () => {
    const { id } = await owner.deploy({ html: 'first' });
    const first = await service.submit(id, '{"name":"Ada","x":1.10}');
    await owner.put(`/deploy/${id}`).send({ html: 'second' }).expect(200);
    const second = await service.submit(id, '{"name":"Grace"}');
    await owner.patch(`/submissions/${id}/${first}`).send({ starred: true }).expect(200);
    const { text, body } = await owner.get(`/submissions/${id}/search`);
    const shared = { ip_address: '127.0.0.1', created_at: aTime };
    const marks = { read: false, note: '', status: 'open', form: null, test: false };
    expect(body).toEqual({
      submissions: [
        { id: second, data: { name: 'Grace' }, ...shared, ...marks, starred: false, page_version: 2 },
        { id: first, data: { name: 'Ada', x: 1.1 }, ...shared, ...marks, starred: true, page_version: 1 },
      ],
      next_cursor: null,
      searched: 2,
      total: 2,
    });
    expect(text).toContain('"data":{"name":"Ada","x":1.10}');
  });

  it('takes a range of time, marks, and pages by cursor', async () => {
    const { id, ids } = await deployWith(Array.from({ length: 30 }, (_, n) => `{"n":${n + 1}}`));
    await owner.mark(id, 'read', ids.slice(0, 10));
    await owner.mark(id, 'star', [ids[2], ids[20], ids[25]]);
    const numbers = async (query: Record<string, string>) =>
      (await search(id, query)).submissions.map(({ data }) => data.n);
    const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
    expect(await numbers({ from: '2026-01-01T00:05:00Z', to: '2026-01-01T00:08:00Z' })).toEqual([7, 6, 5]);
    expect(await numbers({ from: '2026-01-01T01:28:00+01:00' })).toEqual([30, 29, 28]);
    expect(await numbers({ from: '2026-01-01T00:28Z', to: '2026-01-01T01:30+01:00' })).toEqual([29, 28]);
    expect(await numbers({ to: '2026-01-01T00:02:30Z' })).toEqual([2, 1]);
    expect(await numbers({ from: '2027-01-01' })).toEqual([]);
    expect(await numbers({ unread: 'true', limit: '100' })).toEqual(range(30, 11));
    expect(await numbers({ starred: 'true' })).toEqual([26, 21, 3]);
    expect(await numbers({ starred: 'true', unread: 'true', q: '2' })).toEqual([26, 21]);
    const pages: number[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const found: Found = await search(id, { unread: 'true', limit: '7', ...(cursor && { cursor }) });
      pages.push(found.submissions.map(({ data }) => data.n));
      cursor = found.next_cursor;
    }
    expect(pages).toEqual([range(30, 24), range(23, 17), range(16, 11)]);
  });

  it.each([
    ...['status=closed', 'status=', 'status=open&status=done'],
    ...['unread=false', 'starred=1', `q=${'x'.repeat(201)}`, 'from=yesterday', 'from=0000-01-01'],
    ...['to=9999-12-31T23:59:59-23:59', 'from=2026-01-02&to=2026-01-01', 'cursor=0', 'cursor=x'],
  ])('answers 400 to ?%s', async (query) => {
    const { id } = await owner.deploy();
    expect(answer(await owner.get(`/submissions/${id}/search?${query}`))).toEqual(refused(400));
  });

  it('agrees with a plain filter over all submissions, also where some are deleted and some are large', async () => {
    const words = ['Ada', 'Ä', 'é', 'e\u0301', 'İ', 'ß', 'ς', '"', '\\', '\n', '\0', ' ', '💡', '1', 'null', ':'];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(''));
    const value = fc.oneof(text, fc.integer({ min: 0, max: 99 }), fc.constant(null), fc.array(text, { maxLength: 3 }));
    const samples = fc.sample(fc.dictionary(text, value, { maxKeys: 4 }), 200);
    samples[100] = { large: `${'y'.repeat(250_000)} é` };
    const escaped = (json: string): string =>
      json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const { id, ids } = await deployWith(
      samples.map((one, n) => (n % 2 ? escaped(JSON.stringify(one)) : JSON.stringify(one))),
    );
    const gone = ids.filter((_, n) => n % 7 === 0 || (n > 50 && n < 90));
    await owner.mark(id, 'delete', gone);
    const strings = (of: unknown): string[] => {
      if (Array.isArray(of)) return of.flatMap(strings);
      if (of === null || typeof of !== 'object') return [String(of)];
      return Object.entries(of).flatMap(([name, its]) => [name, ...strings(its)]);
    };
    const fold = (one: string): string => one.normalize().toLowerCase().replaceAll('ς', 'σ');
    for (const q of ['ada', 'É', 'i̇', 'SS', 'Σ', '"', '\\', '\n', '\0', '💡', 'NULL', ':', 'yy é', ' ']) {
      const expected = samples
        .map((one, n) => ({ id: ids[n] ?? '', has: strings(one).some((part) => fold(part).includes(fold(q))) }))
        .filter(({ id: of, has }) => has && !gone.includes(of))
        .map(({ id: of }) => of)
        .toReversed();
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Found = await search(id, { q, limit: '30', ...(cursor && { cursor }) });
        found.push(...idsIn(page));
        cursor = page.next_cursor;
      }
      expect([q, found]).toEqual([q, expected]);
    }
  });

  it('takes no longer where a thousand million in a row are deleted', async () => {
    const { id, ids } = await deployWith(['{}', '{}', '{}']);
    await service
      .db('submissions')
      .where({ deployment_id: id })
      .where('number', '>', 1)
      .update({ number: service.db.raw('number * 1000000000') });
    await service.db('deployments').where({ id }).update({ last_submission_number: 5_000_000_000 });
    expect(await search(id)).toMatchObject({
      submissions: ids.toReversed().map((one) => ({ id: one })),
      next_cursor: null,
    });
    expect(idsIn(await search(id, { unread: 'true', cursor: '3000000000' }))).toEqual([ids[1], ids[0]]);
  });

  it('follows the numbers where a clock has been set back', async () => {
    const { id } = await owner.deploy();
    const texts = Array.from({ length: 300 }, (_, n) => `{"n":${n}}`);
    const times = texts.map((_, n) => new Date(Date.UTC(2026, 0, 1, 0, n % 7)));
    await storeTexts(service.db, id, texts, { times });
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Found = await search(id, { limit: '100', ...(cursor && { cursor }) });
      found.push(...page.submissions.map(({ data }) => data.n));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(texts.map((_, n) => 299 - n));
  });
});

describe('PATCH /submissions/:deployId/:submissionId', () => {
  it('changes what is sent, and answers the submission as search shows it', async () => {
    const { id } = await owner.deploy();
    const submission = await service.submit(id, '{"a":"b"}');
    const mark = (body: object) => owner.patch(`/submissions/${id}/${submission}`).send(body);
    const states = [];
    for (const body of [{}, { read: true }, { starred: true }, { read: false }, { read: true, starred: false }, {}]) {
      const { status, body: marked } = await mark(body);
      expect([status, marked]).toEqual([200, (await search(id)).submissions[0]]);
      states.push(`${marked.read} ${marked.starred}`);
    }
    const expected = ['false false', 'true false', 'true true', 'false true', 'true false', 'true false'];
    expect(states).toEqual(expected);
    for (const wrong of [{ read: 1 }, { read: null }, { starred: 'true' }]) {
      expect(answer(await mark(wrong))).toEqual(refused(400));
    }
  });

  it('keeps a note and a status, which neither mark it as read nor are searched or exported', async () => {
    const { id } = await owner.deploy();
    const [other, submission] = [await service.submit(id, '{"a":"c"}'), await service.submit(id, '{"a":"b"}')];
    const mark = (body: object) => owner.patch(`/submissions/${id}/${submission}`).send(body);
    const note = ` Zürich\r\n\t"<b>" ${'💡'.repeat(1_984)}`;
    expect(Array.from(note)).toHaveLength(2_000);
    const states = [];
    for (const body of [{ note }, { status: 'done' }, { status: 'open', starred: true }, { status: 'done' }, {}]) {
      const { status, body: marked } = await mark(body);
      expect([status, marked]).toEqual([200, (await search(id)).submissions[0]]);
      states.push([marked.note === note, marked.status, marked.read, marked.starred]);
    }
    expect(states).toEqual([
      [true, 'open', false, false],
      [true, 'done', false, false],
      [true, 'open', false, true],
      [true, 'done', false, true],
      [true, 'done', false, true],
    ]);
    expect(idsIn(await search(id, { status: 'done' }))).toEqual([submission]);
    expect(idsIn(await search(id, { status: 'open' }))).toEqual([other]);
    expect(idsIn(await search(id, { status: 'done', unread: 'true', starred: 'true' }))).toEqual([submission]);
    expect(idsIn(await search(id, { status: 'done', q: 'Zürich' }))).toEqual([]);
    for (const format of ['csv', 'ndjson']) {
      const { text } = await owner.get(`/submissions/${id}/export.${format}?status=done`).expect(200);
      expect([text.includes('Zürich'), text.includes(submission), text.includes(other)]).toEqual([false, true, false]);
    }
    for (const wrong of [`${note}x`, `${'x'.repeat(2_001)}`, 'a\u0000b', '\ud800', null, 7]) {
      expect(answer(await mark({ note: wrong, status: 'open' }))).toEqual(refused(400));
    }
    for (const status of ['closed', 'Done', '', null, true])
      expect(answer(await mark({ status }))).toEqual(refused(400));
    expect((await mark({ note: '' })).body).toMatchObject({ note: '', status: 'done', read: false, starred: true });
  });
});

describe('POST /submissions/:deployId/bulk', () => {
  it('says how many it has changed, and passes over what is not there', async () => {
    const { id, ids } = await deployWith(['{}', '{}', '{}']);
    const { ids: foreign } = await deployWith(['{}']);
    const bulk = async (action: string, of: unknown[] = [...ids, ...foreign, 'x', '\u0000', ids[0]]) =>
      (await owner.post(`/submissions/${id}/bulk`).send({ action, ids: of })).body;
    expect(await bulk('read', [ids[1]])).toEqual({ done: 1 });
    expect(await bulk('read')).toEqual({ done: 2 });
    expect(await bulk('read')).toEqual({ done: 0 });
    expect(await bulk('star')).toEqual({ done: 3 });
    expect(await bulk('unstar', [ids[0]])).toEqual({ done: 1 });
    expect(await bulk('unread')).toEqual({ done: 3 });
    expect(await bulk('unread', [])).toEqual({ done: 0 });
    expect(await bulk('done', ids.slice(1))).toEqual({ done: 2 });
    expect(await bulk('open')).toEqual({ done: 2 });
    expect((await search(id)).submissions).toMatchObject(
      [true, true, false].map((starred) => ({ read: false, starred })),
    );
    expect(await bulk('delete', [ids[1], ...foreign])).toEqual({ done: 1 });
    expect(idsIn(await search(id))).toEqual([ids[2], ids[0]]);
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(2);
    expect(await bulk('delete')).toEqual({ done: 2 });
    expect(await service.db('submission_marks').where({ deployment_id: id })).toEqual([]);
    const { body: trash } = await owner.get(`/submissions/${id}/trash`);
    expect(trash.submissions.map((one: { id: string }) => one.id)).toEqual([ids[2], ids[0], ids[1]]);
  });

  it('takes 1,000 ids', async () => {
    const { id, ids } = await deployWith(Array.from({ length: 1_001 }, () => '{}'));
    const bulk = (action: string, of: string[]) => owner.post(`/submissions/${id}/bulk`).send({ action, ids: of });
    expect(answer(await bulk('read', ids))).toEqual(refused(400));
    expect((await bulk('read', ids.slice(1))).body).toEqual({ done: 1_000 });
    expect((await bulk('delete', ids.slice(1))).body).toEqual({ done: 1_000 });
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
  });

  it('changes all that a filter finds, in bounded steps, and nothing that came later', async () => {
    const { id, ids } = await deployWith(Array.from({ length: 2_300 }, (_, n) => `{"n":${n + 1},"x":"${n % 10}!"}`));
    const step = async (body: object) => (await owner.post(`/submissions/${id}/bulk`).send(body).expect(200)).body;
    const marked = async (query: Record<string, string>) => {
      const numbers: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Found = await search(id, { ...query, limit: '100', ...(cursor && { cursor }) });
        numbers.push(...page.submissions.map(({ data }) => data.n));
        cursor = page.next_cursor;
      }
      return numbers;
    };
    const all = async (action: string, filter: object) => {
      const done: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const answered = await step({ action, filter, ...(cursor && { cursor }) });
        done.push(answered.done);
        cursor = answered.next_cursor;
      }
      expect(done.every((count) => count <= 1_000)).toBe(true);
      return done.reduce((sum, count) => sum + count, 0);
    };
    expect(await all('star', { q: '7!', from: '2026-01-01T00:11Z', to: '2026-01-01T00:51Z' })).toBe(4);
    expect(await marked({ starred: 'true' })).toEqual([48, 38, 28, 18]);
    expect(await all('read', { starred: true })).toBe(4);
    expect(await all('unstar', { starred: true, unread: true })).toBe(0);
    // A new one, between two steps.
    const first = await step({ action: 'read', filter: {} });
    expect(first.next_cursor).toMatch(/^\d+$/);
    await service.submit(id, '{"n":0}');
    let { next_cursor: cursor } = first;
    while (cursor !== null) ({ next_cursor: cursor } = await step({ action: 'read', filter: {}, cursor }));
    expect(await marked({ unread: 'true' })).toEqual([0]);
    expect(await all('unread', { q: '3!' })).toBe(230);
    expect(await all('delete', { unread: true })).toBe(231);
    expect((await owner.get(`/deploy/${id}`)).body.submission_count).toBe(2_300 - 230);
    expect(await step({ action: 'read', ids: [ids[0]] })).toEqual({ done: 0 });
  });

  it.each([
    ...[
      { action: 'read' },
      { action: 'read', ids: [], filter: {} },
      { action: 'read', ids: [], cursor: '1' },
      { action: 'read', filter: [] },
    ],
    ...[{ query: 'ada' }, { unread: false }, { starred: 'true' }, { q: 'x'.repeat(201) }, { from: 'x' }].map(
      (filter) => ({
        action: 'read',
        filter,
      }),
    ),
    { action: 'read', filter: { from: '2026-01-02', to: '2026-01-01' } },
    { action: 'read', filter: {}, cursor: 'x' },
    ...[{ action: 'eat', ids: [] }, { ids: [] }, { action: 'read', ids: [1] }],
  ])('answers 400 to %j', async (body) => {
    const { id } = await owner.deploy();
    expect(answer(await owner.post(`/submissions/${id}/bulk`).send(body))).toEqual(refused(400));
  });
});
