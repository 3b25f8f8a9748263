import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashOfKey } from '../../../src/lib/ids.ts';
import { SLUG } from '../../../src/sites/slugs.ts';
import { answer, aSentence, aTime, refused } from '../../support/answers.ts';
import { asOwner, getPage, type Owner, sendRaw, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const MAX_HTML_BYTES = 2 * 1024 * 1024;
const anId = expect.stringMatching(/^d_[0-9A-Za-z]{20,}$/);

const status = (response: { status: number }) => response.status;
const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
const repeat = <T>(count: number, task: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

const service = await testService();
const owner = await service.owner();

const page = (slug: string) => getPage(service.url, slug);

const statusOf = async (id: string) => (await owner.get(`/deploy/${id}`)).body;

describe('POST /deploy', () => {
  it('answers 201 with id, url and slug, and nothing else', async () => {
    const response = await owner.post('/deploy').send({ html: '<p>x</p>', slug: 'first' });
    expect(answer(response)).toEqual({
      status: 201,
      body: { id: anId, url: 'https://first.pages.test', slug: 'first' },
    });
    expect(response.headers['content-type']).toMatch(/^application\/json\b/);
  });

  it('says where the page is, with PAGES_DOMAIN and PAGES_SCHEME', async () => {
    const settings = { PAGES_DOMAIN: 'p.example:8443', PAGES_SCHEME: 'http' };
    const elsewhere = asOwner((await service.another(settings)).url, owner.key);
    const { id, ...deployed } = await elsewhere.deploy({ slug: 'here' });
    const expected = { url: 'http://here.p.example:8443', slug: 'here' };
    expect(deployed).toEqual(expected);
    expect((await elsewhere.put(`/deploy/${id}`).send({ html: 'x' })).body).toEqual({ id, ...expected });
    expect((await elsewhere.get(`/deploy/${id}`)).body).toMatchObject(expected);
  });

  describe('slug', () => {
    it.each(['', 'A', 'a--b-', 'www', 'a'.repeat(64), '\ud800', null, 1, ['abc']])('may not be %j', async (slug) => {
      expect(answer(await owner.post('/deploy').send({ html: 'x', slug }))).toEqual(refused(400));
    });

    it('may not be what RESERVED_SLUGS adds', async () => {
      const stricter = asOwner((await service.another({ RESERVED_SLUGS: 'shop, blog' })).url, owner.key);
      const slugs = ['shop', 'blog', 'www', 'shops'];
      const answers = slugs.map(async (slug) => status(await stricter.post('/deploy').send({ html: 'x', slug })));
      expect(await Promise.all(answers)).toEqual([400, 400, 400, 201]);
    });

    it('answers 409 when a live deployment has it, its own owner’s or another’s', async () => {
      await owner.deploy({ slug: 'taken' });
      const other = await service.owner();
      for (const each of [owner, other]) {
        expect(answer(await each.post('/deploy').send({ html: 'x', slug: 'taken' }))).toEqual(refused(409));
      }
    });

    it('goes to one of 20 who ask for it at once, over two processes', async () => {
      const other = await service.owner();
      const there = (await service.another()).url;
      const askers = [owner, other, asOwner(there, owner.key), asOwner(there, other.key)];
      const answers = await repeat(20, async (index) =>
        status(await (askers[index % 4] ?? owner).post('/deploy').send({ html: 'x', slug: 'contested' })),
      );
      expect(ascending(answers)).toEqual([201, ...Array<number>(19).fill(409)]);
    });
  });

  describe('without a slug', () => {
    it('has a free one of letters and hyphens, of the words of the title', async () => {
      const html = `<!doctype html><html><head><TITLE lang="en">\n  Bücherei 2024\t(Öffnungszeiten) ${'x'.repeat(100)}</TITLE>`;
      const { id, slug, url } = await owner.deploy({ html });
      expect([slug, url]).toEqual([expect.stringMatching(/cherei.*ffnungszeiten/), `https://${slug}.pages.test`]);
      expect(slug).toMatch(SLUG);
      expect((await statusOf(id)).slug).toBe(slug);
    });

    it('is given a free one however many pages have the same title, at once too', async () => {
      const html = '<title>The same</title>';
      await owner.deploy({ html });
      const slugs = (await repeat(20, () => owner.deploy({ html }))).map(({ slug }) => slug);
      expect({ different: new Set(slugs).size, valid: slugs.filter((slug) => SLUG.test(slug)).length }).toEqual({
        different: 20,
        valid: 20,
      });
    });
  });
});

describe('html', () => {
  const send = (body: string) => owner.send('POST', '/deploy', body);

  it.each(['{}', '{"html":""}', '{"html":1}', '{"html":["x"]}', '{"__proto__":{"html":"x"}}', '{"html":"a\\ud83db"}'])(
    'is a string of its own, well-formed and not empty: %s is 400',
    async (body) => {
      expect(await send(body)).toEqual(refused(400));
    },
  );

  it('is at most 2 MiB of UTF-8, to the byte, however it is written', async () => {
    const most = `${'€'.repeat((MAX_HTML_BYTES - 2) / 3)}é`;
    expect(Buffer.byteLength(most)).toBe(MAX_HTML_BYTES);
    expect((await send(JSON.stringify({ html: most }))).status).toBe(201);
    expect(await send(JSON.stringify({ html: `${most}a` }))).toEqual(refused(413));
    // In escapes, six times as long.
    const escapes = '\\u0061'.repeat(MAX_HTML_BYTES);
    expect((await send(`{"html":"${escapes}"}`)).status).toBe(201);
  });
});

describe('a page as the body', () => {
  const HTML = { 'Content-Type': 'text/html' };
  const send = (body: string | Buffer, headers: Record<string, string> = HTML) =>
    owner.send('POST', '/deploy', body, headers);
  const storedOf = async (id: string): Promise<Buffer> =>
    (await service.db('pages').where({ deployment_id: id }).first()).html;

  it('is kept byte for byte, BOM, NUL and all, by POST and by PUT', async () => {
    const { id } = await owner.deploy();
    const html = Buffer.from('\uFEFF<p>\0\r\n\u2028\uFFFD\uFEFF é 😀 &amp; {{FORM_ACTION}} "\\u0041" $&');
    expect(await owner.send('PUT', `/deploy/${id}`, html, HTML)).toMatchObject({ status: 200, body: { id } });
    expect((await storedOf(id)).equals(html)).toBe(true);
    const { status, body } = await send(gzipSync(html), {
      ...{ 'Content-Type': 'text/html;charset="UTF-8"', 'Content-Encoding': 'gzip' },
    });
    expect([status, body]).toEqual([201, { id: anId, url: expect.any(String), slug: expect.any(String) }]);
    const pages = await service.db('pages').where({ html });
    expect(pages).toHaveLength(2);
  });

  it('is at most MAX_HTML_BYTES, to the byte, compressed or not', async () => {
    const most = Buffer.from(randomBytes(MAX_HTML_BYTES).toString('base64').slice(0, MAX_HTML_BYTES));
    const more = Buffer.concat([most, Buffer.from('a')]);
    const gzip = { ...HTML, 'Content-Encoding': 'gzip' };
    expect((await send(most)).status).toBe(201);
    expect((await send(gzipSync(most), gzip)).status).toBe(201);
    const error = `The body is too large: send at most ${MAX_HTML_BYTES} bytes.`;
    expect(await send(more)).toEqual({ status: 413, body: { error } });
    expect(await send(gzipSync(more), gzip)).toEqual({ status: 413, body: { error } });
  });

  it.each([
    ['Latin-1', Buffer.from('é', 'latin1')],
    ['a character that is cut', Buffer.from('€').subarray(0, 2)],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
  ])('is a 400 with %s', async (_case, html) => {
    const error = 'The body is not valid UTF-8: save the page as UTF-8, and send it again.';
    expect(await send(html)).toEqual({ status: 400, body: { error } });
  });

  it('is a 400 when it is empty, or is not there', async () => {
    const body = { error: 'html is empty: send the page.' };
    expect(await send(gzipSync(''), { ...HTML, 'Content-Encoding': 'gzip' })).toEqual({ status: 400, body });
    const absent = `POST /deploy HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n`;
    const answered = await sendRaw(service.url, absent);
    expect([answered.slice(9, 12), answered.split('\r\n\r\n')[1]]).toEqual(['400', JSON.stringify(body)]);
  });
});

describe('POST /deploy?slug=', () => {
  const send = (query: string, type = 'text/html', body = '<p>') =>
    owner.send('POST', `/deploy?${query}`, body, { 'Content-Type': type });
  const errorOf = async (slug: unknown) => (await owner.post('/deploy').send({ html: '<p>', slug })).body;

  it('gives the page its slug; other parameters are ignored, in any order', async () => {
    expect(await send('x=1&slug=from-the-query&html=%3Ci%3E&page=0')).toEqual({
      status: 201,
      body: { id: anId, url: 'https://from-the-query.pages.test', slug: 'from-the-query' },
    });
    expect((await page('from-the-query')).text).toBe('<p>');
  });

  it.each(['', 'A', 'www'])('refuses %j with the sentence that JSON gets', async (slug) => {
    expect(await send(`slug=${encodeURIComponent(slug)}`)).toEqual({ status: 400, body: await errorOf(slug) });
  });

  it.each(['slug=a&slug=a', 'slug=a&slug'])('refuses a slug that is given twice: %s', async (query) => {
    expect(await send(query)).toEqual({ status: 400, body: await errorOf(['a', 'b']) });
  });

  it('is a 409 when the slug is taken, after 400', async () => {
    await owner.deploy({ slug: 'taken-there' });
    expect(await send('slug=taken-there')).toEqual(refused(409));
    expect(await send('slug=taken-there', 'text/html', '')).toEqual(refused(400));
  });

  it('is a 400 with a JSON body, whose slug is in it, after 413; nothing is published', async () => {
    const error = 'slug is in the query: with a JSON body, send it in the body.';
    for (const body of ['{"html":"x"}', '{"html":"x","slug":"misplaced"}']) {
      expect(await send('slug=misplaced', 'application/json', body)).toEqual({ status: 400, body: { error } });
    }
    const tooLarge = JSON.stringify({ html: 'a'.repeat(MAX_HTML_BYTES + 1) });
    expect(await send('slug=misplaced', 'application/json', tooLarge)).toEqual(refused(413));
    expect((await page('misplaced')).status).toBe(404);
    expect((await send('other=1', 'application/json', '{"html":"x"}')).status).toBe(201);
  });
});

describe('GET /deploy', () => {
  it('answers a page of live deployments, newest first, each as its status', async () => {
    const who = await service.owner();
    const deployed = [await who.deploy(), await who.deploy(), await who.deploy(), await who.deploy()];
    await owner.deploy();
    await who.delete(`/deploy/${deployed[1]?.id}`).expect(200);
    await service.anonymous.post(`/submit/${deployed[2]?.id}`).send({ a: 1 }).expect(200);
    const statuses = await Promise.all(
      [3, 2, 0].map(async (index) => (await who.get(`/deploy/${deployed[index]?.id}`).expect(200)).body),
    );
    const response = await who.get('/deploy');
    expect([response.status, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(response.body).toStrictEqual({ deployments: statuses, total: 3, page: 1, limit: 50 });
  });
});

describe('GET /deploy/:id', () => {
  it('answers 200 with the seven fields of a status', async () => {
    const { id } = await owner.deploy({ slug: 'seen' });
    const response = await owner.get(`/deploy/${id}`);
    expect(answer(response)).toEqual({
      status: 200,
      body: {
        id,
        slug: 'seen',
        status: 'active',
        url: 'https://seen.pages.test',
        submission_count: 0,
        created_at: aTime,
        updated_at: response.body.created_at,
      },
    });
  });
});

/** The stored deployments of an owner, oldest first: whether each is deleted, its page's version and HTML. */
async function rowsOf(who: Owner) {
  const { rows } = await service.db.raw(
    `SELECT slug, deleted_at IS NOT NULL AS is_deleted, version, convert_from(html, 'UTF8') AS html
       FROM api_keys JOIN deployments ON deployments.owner_id = api_keys.owner_id
       LEFT JOIN pages ON pages.deployment_id = deployments.id
      WHERE api_keys.hash = ? ORDER BY deployments.id COLLATE "C"`,
    [hashOfKey(who.key)],
  );
  return rows;
}

/** How many statements wait for a row that a transaction has. */
async function statementsThatWait(): Promise<number> {
  const { rowCount } = await service.db.raw(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'",
  );
  return rowCount;
}

describe('the rows of a page', () => {
  it('rise in version by one with each PUT that changes them, of many at once too', async () => {
    const who = await service.owner();
    const { id } = await who.deploy({ slug: 'rows-of-one', html: 'one' });
    const [{ version: first }] = await rowsOf(who);
    const put = (html: string) => who.put(`/deploy/${id}`).send({ html }).expect(200);
    for (const html of ['two', 'two']) await put(html);
    await Promise.all([1, 2, 3, 4, 5].map((n) => put(`after ${n}`)));
    const row = { slug: 'rows-of-one', is_deleted: false, version: first + 6, html: expect.stringMatching(/^after/) };
    expect(await rowsOf(who)).toEqual([row]);
  });

  it('stay as they are when the deployment is deleted, also where a PUT comes too late', async () => {
    const who = await service.owner();
    const { id } = await who.deploy({ slug: 'rows-deleted', html: 'kept' });
    const [before] = await rowsOf(who);
    const holder = await service.db.transaction();
    onTestFinished(async () => void (await holder.rollback().catch(() => undefined)));
    await holder.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    await holder('deployments')
      .where({ id })
      .update({ deleted_at: holder.raw('clock_timestamp()') });
    const late = who.put(`/deploy/${id}`).send({ html: 'too late' });
    const answered = late.then(answer);
    await expect.poll(statementsThatWait).toBe(1);
    await holder.commit();
    expect(await answered).toEqual(answer(await who.get(`/deploy/${UNKNOWN_ID}`)));
    expect(await rowsOf(who)).toEqual([{ ...before, is_deleted: true }]);
  });
});

describe('PUT /deploy/:id', () => {
  it('answers 200 with id, url and slug, and replaces the page under the same slug and url', async () => {
    const { id } = await owner.deploy({ slug: 'replaced' });
    const before = await statusOf(id);
    expect((await page('replaced')).text).toBe('<h1>Hello</h1>');
    expect(answer(await owner.put(`/deploy/${id}`).send({ html: 'new', slug: 'other', status: 1 }))).toEqual({
      status: 200,
      body: { id, url: 'https://replaced.pages.test', slug: 'replaced' },
    });
    expect((await page('replaced')).text).toBe('new');
    expect(await statusOf(id)).toEqual({ ...before, updated_at: aTime });
  });
});

describe('updated_at', () => {
  it('moves with PUT and PATCH only', async () => {
    const { id } = await owner.deploy();
    const updatedAt = async () => (await statusOf(id)).updated_at;
    const first = await updatedAt();
    await service.anonymous.post(`/submit/${id}`).send({ a: 1 });
    await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.example/' });
    await owner.get(`/submissions/${id}`);
    await owner.put(`/deploy/${id}`).send({});
    await owner.patch(`/deploy/${id}`).send({ email_notifications: 1 });
    await (await service.owner()).put(`/deploy/${id}`).send({ html: 'x' });
    expect(await updatedAt()).toBe(first);

    await owner.put(`/deploy/${id}`).send({ html: 'x' });
    const second = await updatedAt();
    await owner.patch(`/deploy/${id}`).send({ email_notifications: true });
    const third = await updatedAt();
    expect([first, second, third]).toEqual([...new Set([third, second, first])].toSorted());
    expect((await statusOf(id)).created_at).toBe(first);
  });
});

describe('DELETE /deploy/:id', () => {
  it('answers 200 with message and id; then it is not there for anybody', async () => {
    const { id } = await owner.deploy({ slug: 'deleted' });
    expect(answer(await owner.delete(`/deploy/${id}`))).toEqual({ status: 200, body: { message: aSentence, id } });
    expect(answer(await service.anonymous.post(`/submit/${id}`).send({ a: 1 }))).toEqual(refused(404));
    expect((await page('deleted')).status).toBe(404);
  });

  it('succeeds for one of ten at once', async () => {
    const { id } = await owner.deploy();
    const answers = await repeat(10, async () => status(await owner.delete(`/deploy/${id}`)));
    expect(ascending(answers)).toEqual([200, ...Array<number>(9).fill(404)]);
  });
});
