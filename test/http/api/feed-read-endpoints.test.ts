import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { aTime, failure, fixedHeaders } from '../../support/answers.ts';
import { storedId, storeTexts } from '../../support/stored-submissions.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

type Feed = { id: string; url: string; last_read_at: string | null };

const pathOf = ({ url }: Pick<Feed, 'url'>): string => url.replace(BASE_URL, '');

async function makeFeed(id: string): Promise<Feed> {
  return (await owner.post(`/deploy/${id}/feeds`).send({ name: 'Sheet' }).expect(201)).body;
}

/** A page with submissions of these texts, and a feed of it. */
async function filled(
  texts: readonly string[],
  html = '<h1>Hello</h1>',
): Promise<{ id: string; slug: string; feed: Feed }> {
  const { id, slug } = await owner.deploy({ html });
  await storeTexts(service.db, id, texts);
  return { id, slug, feed: await makeFeed(id) };
}

type Sent = { method?: string; headers?: Record<string, string>; to?: string; query?: string };

const open = (feed: Pick<Feed, 'url'>, { method = 'GET', headers = {}, to = service.url, query = '' }: Sent = {}) =>
  fetch(to + pathOf(feed) + query, { method, headers });

async function rowsOf(response: Response): Promise<string[][]> {
  expect(response.status).toBe(200);
  return parse(await response.text());
}

/** The names of a feed's columns, and its rows without id, time and address. */
async function tableOf(feed: Pick<Feed, 'url'>, sent?: Sent): Promise<string[][]> {
  return (await rowsOf(await open(feed, sent))).map((row) => row.slice(3));
}

const statusesOf = async (feed: Pick<Feed, 'url'>, to: readonly string[]): Promise<number[]> =>
  Promise.all(to.map(async (url) => (await open(feed, { to: url })).status));

const lastReadAt = async (id: string): Promise<string | null> =>
  (await owner.get(`/deploy/${id}/feeds`).expect(200)).body.feeds[0].last_read_at;

describe('GET /feeds/:token.csv', () => {
  it('has the columns of export.csv and the rows newest first, for anybody who has the address', async () => {
    const texts = ['{"name":"Ada","n":1}', '{"n":2,"city":"Köln","_next":"/x"}', '{"late":"=1+1","name":"a\\nb"}'];
    const { id, slug, feed } = await filled(texts);
    const response = await open(feed);
    expect(fixedHeaders(response)).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="${slug}.csv"`,
      'content-type': 'text/csv; charset=utf-8; header=present',
      etag: expect.stringMatching(/^W\/"[\w-]{43}"$/),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    expect(fixedHeaders(response)).not.toHaveProperty('access-control-allow-origin');
    const [header, ...rows] = await rowsOf(response);
    expect([header, ...rows.toReversed()]).toEqual(
      parse((await owner.get(`/submissions/${id}/export.csv`).buffer(true).expect(200)).text),
    );
    expect([header?.slice(3), ...rows.map((row) => [row[0], ...row.slice(3)])]).toEqual([
      ['name', 'n', 'city', 'late'],
      [storedId(id, 3), 'a\nb', '', '', "'=1+1"],
      [storedId(id, 2), '', '2', 'Köln', ''],
      [storedId(id, 1), 'Ada', '1', '', ''],
    ]);
  });

  it('has the newest 10,000 of more, and the columns of these', async () => {
    const { maxRows } = SIZES.feed;
    const texts = Array.from({ length: maxRows + 3 }, (_, index) => `{"${index < 3 ? 'old' : 'n'}":${index + 1}}`);
    const { feed } = await filled(texts);
    const [header, ...rows] = await tableOf(feed);
    expect([header, rows.length, rows[0], rows.at(-1)]).toEqual([['n'], maxRows, [String(maxRows + 3)], ['4']]);
  });

  it('has fewer with limit, and another ETag', async () => {
    const { id, feed } = await filled(['{"old":1}', '{"n":2}', '{"n":3}']);
    const whole = await open(feed);
    const sent = { query: '?limit=2', headers: { 'If-None-Match': whole.headers.get('etag') ?? '' } };
    expect(await tableOf(feed, sent)).toEqual([['n'], ['3'], ['2']]);
    expect(await tableOf(feed, { query: '?limit=99999999' })).toHaveLength(4);
    const csv = 'created_at,n\r\n2001-01-01T00:00:00Z,first\r\n';
    await owner.post(`/submissions/${id}/import`).set('Content-Type', 'text/csv').send(csv).expect(200);
    expect(await tableOf(feed, { query: '?limit=4' })).toHaveLength(5);
    expect(await tableOf(feed, { query: '?limit=3' })).toHaveLength(4);
    for (const query of ['?limit=0', '?limit=x', '?limit=1&limit=2']) {
      const wrong = await open(feed, { query });
      expect([wrong.status, await wrong.json()]).toEqual([400, failure]);
    }
  });

  it('has a header row while there are no submissions', async () => {
    const { feed } = await filled([]);
    const response = await open(feed);
    expect(await response.text()).toBe('id,created_at,ip_address\r\n');
  });

  it('has labels with labels=1, and another ETag when they change', async () => {
    const html = (label: string) => `<form action="{{FORM_ACTION}}"><label>${label} <input name="n"></label></form>`;
    const { id, feed } = await filled(['{"n":"x"}'], html('Your name'));
    const labelled = await open(feed, { query: '?labels=1' });
    const before = labelled.headers.get('etag') ?? '';
    expect((await rowsOf(labelled))[0]?.slice(3)).toEqual(['Your name']);
    expect(await tableOf(feed)).toEqual([['n'], ['x']]);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: html('Full name') })
      .expect(200);
    const changed = await open(feed, { query: '?labels=1', headers: { 'If-None-Match': before } });
    expect((await rowsOf(changed))[0]?.slice(3)).toEqual(['Full name']);
    const wrong = await open(feed, { query: '?labels=yes' });
    expect([wrong.status, await wrong.json()]).toEqual([400, failure]);
  });

  it('has the column of forms that export.csv has, also while no submission is of one, and another ETag with it', async () => {
    const form = (name: string) =>
      `<form name="${name}" method="post" action="{{FORM_ACTION}}"><input name="n"></form>`;
    const { id, feed } = await filled(['{"n":"x"}'], form('one'));
    const before = (await open(feed)).headers.get('etag') ?? '';
    await owner
      .put(`/deploy/${id}`)
      .send({ html: form('one') + form('two') })
      .expect(200);
    const changed = await open(feed, { headers: { 'If-None-Match': before } });
    const [header] = await rowsOf(changed);
    expect(header).toEqual(['id', 'created_at', 'ip_address', 'form', 'n']);
    expect(parse((await owner.get(`/submissions/${id}/export.csv`).expect(200)).text)[0]).toEqual(header);
  });

  it('has imported submissions after all others', async () => {
    const { id, feed } = await filled(['{"n":"new"}']);
    const before = (await open(feed)).headers.get('etag') ?? '';
    const csv = 'created_at,n\r\n2001-01-01T00:00:00Z,first\r\n2001-01-02T00:00:00Z,second\r\n';
    await owner.post(`/submissions/${id}/import`).set('Content-Type', 'text/csv').send(csv).expect(200);
    const response = await open(feed, { headers: { 'If-None-Match': before } });
    expect((await rowsOf(response)).map((row) => row[3])).toEqual(['n', 'new', 'second', 'first']);
  });

  it('is compressed for clients that accept it', async () => {
    const { feed } = await filled(Array.from({ length: 200 }, (_, n) => `{"n":${n}}`));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(service.url + pathOf(feed), { headers: { 'Accept-Encoding': 'br' } }, resolve)
        .on('error', reject)
        .end();
    });
    expect([response.headers['content-encoding'], response.headers.vary]).toEqual(['br', 'Accept-Encoding']);
    const text = brotliDecompressSync(Buffer.concat(await response.toArray())).toString();
    expect(text).toBe(await (await open(feed)).text());
  });

  it('answers HEAD without a body, and other methods with a 405', async () => {
    const { id, feed } = await filled(['{"n":1}']);
    const head = await open(feed, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe((await open(feed)).headers.get('etag'));
    const post = await open(feed, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await lastReadAt(id)).toEqual(aTime);
  });

  it('needs nothing of an owner, and gives nothing: a key or another page does not open it', async () => {
    const { feed } = await filled(['{"n":1}']);
    const bearer = { Authorization: `Bearer ${owner.key}` };
    expect((await open(feed, { headers: bearer })).status).toBe(200);
    for (const url of [
      feed.url.replace('.csv', 'x.csv'),
      feed.url.slice(0, -4),
      feed.url.replace(/.\.csv$/, '%00.csv'),
      `${BASE_URL}/feeds/.csv`,
    ]) {
      const response = await open({ url }, { headers: bearer });
      expect([url, response.status, await response.json()]).toEqual([url, 404, failure]);
    }
  });
});

/** Each change, and how it is made. They run in this order, on the same page. */
const CHANGES: readonly [string, (page: { id: string; sent: string[] }) => Promise<unknown>][] = [
  ['a new submission', ({ id }) => service.submit(id, '{"n":"new"}')],
  ['a deleted submission', ({ id, sent }) => owner.delete(`/submissions/${id}/${sent[0]}`).expect(200)],
  [
    'one deleted and another restored, with as many and the same newest as before',
    async ({ id, sent }) => {
      await owner.delete(`/submissions/${id}/${sent[1]}`).expect(200);
      await owner.post(`/submissions/${id}/trash/${sent[0]}/restore`).expect(200);
    },
  ],
  ['one moved to spam', ({ id, sent }) => owner.mark(id, 'spam', [sent[2]])],
  ['one released from spam', ({ id, sent }) => owner.post(`/deploy/${id}/spam/${sent[2]}/release`).expect(200)],
];

describe('the ETag of a feed', () => {
  it('stays while the rows stay, whatever is noted, and a 304 has no body', async () => {
    const { id, feed } = await filled(['{"n":1}', '{"n":2}']);
    const etag = (await open(feed)).headers.get('etag') ?? '';
    await owner
      .patch(`/submissions/${id}/${storedId(id, 1)}`)
      .send({ read: true, starred: true, note: 'call' })
      .expect(200);
    await owner.change(id, { thanks_message: 'Thank you' });
    for (const headers of [
      { 'If-None-Match': etag },
      { 'If-None-Match': etag.replace('W/', '') },
      { 'If-None-Match': `"other", ${etag}`, 'Cache-Control': 'no-cache' },
      { 'If-None-Match': '*' },
    ]) {
      const response = await open(feed, { headers });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
    }
  });

  it('is another one after each change of the rows, in every process', async () => {
    const { url } = await service.another();
    const { id } = await owner.deploy();
    const sent: string[] = [];
    for (const n of [1, 2, 3, 4]) sent.push(await service.submit(id, `{"n":${n}}`));
    const feed = await makeFeed(id);
    const seen = new Set<string>();
    let etag = (await open(feed)).headers.get('etag') ?? '';
    for (const [what, change] of CHANGES) {
      seen.add(etag);
      await change({ id, sent });
      const response = await open(feed, { to: url, headers: { 'If-None-Match': etag } });
      expect([what, response.status]).toEqual([what, 200]);
      etag = response.headers.get('etag') ?? '';
      expect([what, seen.has(etag)]).toEqual([what, false]);
      expect((await open(feed, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    }
  });

  it('differs between two feeds of pages without submissions, and is that of the page', async () => {
    const [one, other] = [await filled([]), await filled([])];
    const etagOf = async (feed: Feed) => (await open(feed)).headers.get('etag');
    expect(await etagOf(one.feed)).toBe(await etagOf(await makeFeed(one.id)));
    expect(await etagOf(one.feed)).not.toBe(await etagOf(other.feed));
  });
});

describe('an address', () => {
  it('ends in both processes when it is replaced or deleted', async () => {
    const { url } = await service.another();
    const both = [service.url, url];
    const { id, feed } = await filled(['{"n":1}']);
    expect(await statusesOf(feed, both)).toEqual([200, 200]);
    const { body: rotated } = await owner.post(`/deploy/${id}/feeds/${feed.id}/rotate`).expect(200);
    expect(rotated.last_read_at).toBe(null);
    expect([await statusesOf(feed, both), await statusesOf(rotated, both)]).toEqual([
      [404, 404],
      [200, 200],
    ]);
    await owner.delete(`/deploy/${id}/feeds/${feed.id}`).expect(200);
    expect(await statusesOf(rotated, both)).toEqual([404, 404]);
  });

  it('ends while its page is in the trash, or taken down', async () => {
    const { id, feed } = await filled(['{"n":1}']);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect((await open(feed)).status).toBe(404);
    await owner.post(`/trash/${id}/restore`).expect(200);
    expect(await tableOf(feed)).toEqual([['n'], ['1']]);
    await service.db('deployments').where({ id }).update({ taken_down_at: new Date(), take_down_reason: 'reported' });
    expect((await open(feed)).status).toBe(404);
  });

  it('shows when it was last read, also by a 304, and writes that once a minute', async () => {
    const { id, feed } = await filled(['{"n":1}']);
    expect(await lastReadAt(id)).toBe(null);
    await open(feed, { method: 'HEAD' });
    expect(await lastReadAt(id)).toBe(null);
    const etag = (await open(feed)).headers.get('etag') ?? '';
    const first = await lastReadAt(id);
    expect(first).toEqual(aTime);
    await open(feed);
    expect(await lastReadAt(id)).toBe(first);
    const before = new Date(Date.now() - 61_000);
    await service.db('feeds').where({ id: feed.id }).update({ last_read_at: before });
    expect((await open(feed, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect(await lastReadAt(id)).not.toBe(before.toISOString());
  });

  it('is read up to 60 times a minute, with the headers about it; other feeds are read on', async () => {
    const { id, feed } = await filled(['{"n":1}']);
    const other = await makeFeed(id);
    const etag = (await open(feed)).headers.get('etag') ?? '';
    const statuses: number[] = [];
    for (let n = 1; n < SIZES.feed.reads.max; n += 1)
      statuses.push((await open(feed, { headers: { 'If-None-Match': etag } })).status);
    expect(new Set(statuses)).toEqual(new Set([304]));
    const refusal = await open(feed);
    expect([refusal.status, await refusal.json(), refusal.headers.get('retry-after')]).toEqual([
      429,
      failure,
      expect.stringMatching(/^[1-9]\d?$/),
    ]);
    expect((await open(other)).status).toBe(200);
  });
});

it('an owner exports while feeds of the same page are read slowly, and a third reader waits', async () => {
  const { id, feed } = await filled(['{"n":1}']);
  // More than the buffers of a connection take while nobody reads.
  await service.db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n, json_build_object('text', repeat(md5(CAST(n AS text)), 6000)), '', now()
       FROM generate_series(2, 120) AS n`,
    { id },
  );
  const openSlowly = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(service.url + pathOf(feed), { agent: false }, resolve)
        .on('error', reject)
        .end();
    });
  const slow = [await openSlowly(), await openSlowly()];
  const exported = await owner.get(`/submissions/${id}/export.ndjson?q=nothing`);
  expect(exported.status).toBe(200);
  const waiting = open(feed);
  for (const response of slow) response.destroy();
  expect(await rowsOf(await waiting)).toHaveLength(121);
});
