import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { replaceHtml } from '../../../src/db/deployments/deployments.ts';
import { hashOfKey } from '../../../src/lib/ids.ts';
import { answer, aSentence, aTime, refused } from '../../support/answers.ts';
import {
  asOwner,
  BASE_URL,
  getPage,
  type Owner,
  sendRaw,
  startTestService,
  type TestService,
  UNKNOWN_ID,
} from '../../support/service.ts';

const MAX_HTML_BYTES = 2 * 1024 * 1024;
const RESERVED =
  'www api app admin mail smtp ns cdn static assets docs status login auth dashboard support autoconfig autodiscover wpad submit webhooks abuse';

const anId = expect.stringMatching(/^d_[0-9A-Za-z]{20,}$/);

const status = (response: { status: number }) => response.status;
const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
const isSlug = (slug: string) => /^[a-z](?:[a-z-]{0,61}[a-z])?$/.test(slug) && slug.slice(2, 4) !== '--';
/** A JSON text with every character escaped, six times as long as the string of ASCII that it means. */
const escaped = (text: string) => text.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const repeat = <T>(count: number, task: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

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

  it('gives ids that rise with time', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await owner.deploy()).id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
  });

  it.each([
    [{ PAGES_DOMAIN: 'localhost:3000' }, 'http://here.localhost:3000'],
    [{ PAGES_DOMAIN: 'p.localhost' }, 'http://here.p.localhost'],
    [{ PAGES_DOMAIN: 'p.example:8443' }, 'https://here.p.example:8443'],
    [{ PAGES_DOMAIN: 'p.example', PAGES_SCHEME: 'http' }, 'http://here.p.example'],
  ])('says where the page is, with %j', async (settings, url) => {
    const elsewhere = asOwner((await service.another(settings)).url, owner.key);
    const { id, ...deployed } = await elsewhere.deploy({ slug: 'here' });
    expect(deployed).toEqual({ url, slug: 'here' });
    expect(answer(await elsewhere.put(`/deploy/${id}`).send({ html: 'x' })).body).toEqual({ id, url, slug: 'here' });
    expect((await elsewhere.get(`/deploy/${id}`)).body).toMatchObject({ url });
    await elsewhere.delete(`/deploy/${id}`);
  });

  it('ignores unknown fields', async () => {
    const body = { html: 'x', slug: 'ignoring', id: 5, status: 'deleted', email_notifications: 'yes', constructor: 1 };
    expect(answer(await owner.post('/deploy').send(body))).toEqual({
      status: 201,
      body: { id: anId, url: 'https://ignoring.pages.test', slug: 'ignoring' },
    });
  });

  describe('slug', () => {
    it.each(
      ['b', 'bc', 'b-c', 'b--c', 'abc--d', 'a-b---c', 'b'.repeat(63), `${'b'.repeat(61)}-c`, 'apis', 'api-docs'].map(
        (slug) => [slug],
      ),
    )('may be %s', async (slug) => {
      expect(await owner.deploy({ slug })).toEqual({ id: anId, url: `https://${slug}.pages.test`, slug });
    });

    it.each(
      [
        ...['', '-', '--', '-a', 'a-', 'A', 'aB', '1', 'a1', 'a_b', 'a.b', 'a b', ' a', 'a ', 'a\n', 'a\r\n', 'a\0'],
        ...['é', 'а', 'ａ', 'K', 'ſ', 'a/b', '../a', '%61', 'a\u2028', 'xn--a', 'xn--bcher-kva', 'ab--c', 'a---b'],
        ...['a'.repeat(64), `${'a'.repeat(62)}-`, 'a'.repeat(100_000), '😀', '\ud800'],
        ...[null, 1, true, [], ['abc'], {}],
      ].map((slug) => [slug]),
    )('may not be %j', async (slug) => {
      expect(answer(await owner.post('/deploy').send({ html: 'x', slug }))).toEqual(refused(400));
    });

    it.each(RESERVED.split(' ').map((slug) => [slug]))('may not be %s, which is reserved', async (slug) => {
      expect(answer(await owner.post('/deploy').send({ html: 'x', slug }))).toEqual(refused(400));
    });

    it('may not be what RESERVED_SLUGS adds', async () => {
      const stricter = asOwner((await service.another({ RESERVED_SLUGS: 'shop, blog' })).url, owner.key);
      const slugs = ['shop', 'blog', 'www', 'shops'];
      const answers = slugs.map(async (slug) => status(await stricter.post('/deploy').send({ html: 'x', slug })));
      expect(await Promise.all(answers)).toEqual([400, 400, 400, 201]);
      const { slug } = await stricter.deploy({ html: '<title>Shop</title>' });
      expect({ slug, isSlug: isSlug(slug) }).toEqual({ slug: expect.not.stringMatching(/^shop$/), isSlug: true });
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
    it.each([
      ['<title>Grandma&amp;s Pie Recipes</title>', /grandma.*pie.*recipes/],
      ['<!doctype html><html><head><TITLE lang="en">\n  Summer\tParty\n</TITLE></head>', /summer.*party/],
      ['<title>Bücherei 2024 (Öffnungszeiten)</title>', /cherei.*ffnungszeiten/],
      ['<title>xn--Hello</title>', /hello/],
      [`<title>Reunion ${'of friends '.repeat(50)}</title>`, /reunion/],
    ])('says what the title does: %s', async (html, words) => {
      const { slug } = await owner.deploy({ html });
      expect({ slug, isSlug: isSlug(slug) }).toEqual({ slug: expect.stringMatching(words), isSlug: true });
    });

    it.each([
      ['no title', '<p>x'],
      ['an empty title', '<title></title>'],
      ['a title without an end', '<title>'],
      ['one sign', '<title>-</title>'],
      ['digits', '<title>1 234 567</title>'],
      ['emoji', '<title>🎉🎉 👩‍👩‍👧</title>'],
      ['Cyrillic', '<title>Привет, мир</title>'],
      ['Chinese', '<title>你好世界</title>'],
      ['Arabic', '<title>مرحبا بالعالم</title>'],
      ['letters that are not ASCII', '<title>ſKıİ ﬀ ａｂｃ</title>'],
      ['a reserved title', '<title>Admin</title>'],
      ['a title with hyphens where an encoded name has them', '<title>ab--cd</title>'],
      ['a NUL', '<title>\0</title>'],
      ['hostile repetition', '<title '.repeat(250_000)],
      ['hostile white space', `<title>${' '.repeat(2_000_000)}`],
    ])('is given a free one of letters and hyphens: %s', async (_case, html) => {
      const { id, slug, url } = await owner.deploy({ html });
      expect({ isSlug: isSlug(slug), isReserved: RESERVED.split(' ').includes(slug), url }).toEqual({
        isSlug: true,
        isReserved: false,
        url: `https://${slug}.pages.test`,
      });
      expect((await statusOf(id)).slug).toBe(slug);
    });

    it('is given a free one however many pages have the same title, at once too', async () => {
      const html = '<title>The same</title>';
      await owner.deploy({ html });
      const slugs = (await repeat(20, () => owner.deploy({ html }))).map(({ slug }) => slug);
      expect({ different: new Set(slugs).size, valid: slugs.filter(isSlug).length }).toEqual({
        different: 20,
        valid: 20,
      });
    });
  });
});

describe.each([
  ['POST', 201],
  ['PUT', 200],
])('html of %s', (method, success) => {
  let path = '/deploy';
  beforeAll(async () => {
    if (method === 'PUT') path = `/deploy/${(await owner.deploy()).id}`;
  });

  it.each([{}, { html: '' }, { html: null }, { html: 1 }, { html: true }, { html: ['x'] }, { html: { x: 'y' } }])(
    'is required, a string, and not empty: %j is 400',
    async (body) => {
      expect(await owner.send(method, path, JSON.stringify(body))).toEqual(refused(400));
    },
  );

  it('is not inherited from what __proto__ says', async () => {
    expect(await owner.send(method, path, '{"__proto__":{"html":"x"}}')).toEqual(refused(400));
  });

  it.each(['\\ud800', '\\udc00', '\\udc00\\ud800', 'a\\ud83db'])('may not have a lone surrogate: %s', async (text) => {
    expect(await owner.send(method, path, `{"html":"${text}"}`)).toEqual(refused(400));
  });

  it('is at most 2 MiB of UTF-8, to the byte', async () => {
    const most = 'a'.repeat(MAX_HTML_BYTES);
    expect((await owner.send(method, path, `{"html":"${most}"}`)).status).toBe(success);
    expect(await owner.send(method, path, `{"html":"${most}a"}`)).toEqual(refused(413));
  });

  it('counts bytes, not characters', async () => {
    const most = `${'€'.repeat((MAX_HTML_BYTES - 5) / 3)}é😀`.slice(1);
    expect(Buffer.byteLength(most)).toBe(MAX_HTML_BYTES - 2);
    expect((await owner.send(method, path, JSON.stringify({ html: `${most}é` }))).status).toBe(success);
    expect(await owner.send(method, path, JSON.stringify({ html: `${most}€` }))).toEqual(refused(413));
  });

  it('may be written in escapes, six times as long', async () => {
    const text = escaped('a'.repeat(MAX_HTML_BYTES));
    expect((await owner.send(method, path, `{"html":"${text}"}`)).status).toBe(success);
    expect(await owner.send(method, path, `{"html":"${text}\\u0061"}`)).toEqual(refused(413));
  });
});

describe.each([
  ['POST', 201],
  ['PUT', 200],
])('a page as the body of %s', (method, success) => {
  const HTML = { 'Content-Type': 'text/html' };
  let path = '/deploy';
  beforeAll(async () => {
    if (method === 'PUT') path = `/deploy/${(await owner.deploy()).id}`;
  });
  const send = (body: string | Buffer, headers: Record<string, string> = HTML) =>
    owner.send(method, path, body, headers);
  /** What is stored of the page that an answer is about. */
  const storedOf = async ({ body }: { body: unknown }): Promise<Buffer> => {
    const id = body instanceof Object ? Reflect.get(body, 'id') : undefined;
    return (await service.db('pages').where({ deployment_id: id }).first()).html;
  };

  it('is kept byte for byte, BOM, NUL and all', async () => {
    const html = Buffer.from('\uFEFF<p>\0\r\n\u2028\uFFFD\uFEFF é 😀 &amp; {{FORM_ACTION}} "\\u0041" $&');
    const answered = await send(html);
    expect(answered).toEqual({
      status: success,
      body: { id: anId, url: expect.stringMatching(/^https:/), slug: expect.stringMatching(/^[a-z]/) },
    });
    expect((await storedOf(answered)).equals(html)).toBe(true);
  });

  it.each(['text/html', 'TEXT/HTML', 'text/html; charset=utf-8', 'text/html;charset="UTF-8"', 'text/html; a=b'])(
    'may be sent as %s',
    async (type) => {
      const answered = await send('<p>é', { 'Content-Type': type });
      expect([answered.status, String(await storedOf(answered))]).toEqual([success, '<p>é']);
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('may be compressed with %s', async (encoding, compress) => {
    const answered = await send(compress('<p>compressed'), { ...HTML, 'Content-Encoding': encoding });
    expect([answered.status, String(await storedOf(answered))]).toEqual([success, '<p>compressed']);
  });

  it('is at most MAX_HTML_BYTES, to the byte, compressed or not', async () => {
    const most = Buffer.from(randomBytes(MAX_HTML_BYTES).toString('base64').slice(0, MAX_HTML_BYTES));
    const more = Buffer.concat([most, Buffer.from('a')]);
    const gzip = { ...HTML, 'Content-Encoding': 'gzip' };
    expect((await storedOf(await send(most))).equals(most)).toBe(true);
    expect((await storedOf(await send(gzipSync(most), gzip))).equals(most)).toBe(true);
    const error = `The body is too large: send at most ${MAX_HTML_BYTES} bytes.`;
    expect(await send(more)).toEqual({ status: 413, body: { error } });
    expect(await send(gzipSync(more), gzip)).toEqual({ status: 413, body: { error } });
  });

  it.each([
    ['a byte that is none of UTF-8', Buffer.from([0x3c, 0xff])],
    ['Latin-1', Buffer.from('é', 'latin1')],
    ['a character that is cut', Buffer.from('€').subarray(0, 2)],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['an overlong character', Buffer.from([0xc0, 0x80])],
    ['UTF-16', Buffer.from('\uFEFF<p>', 'utf16le')],
  ])('is a 400 with %s', async (_case, html) => {
    const error = 'The body is not valid UTF-8: save the page as UTF-8, and send it again.';
    expect(await send(html)).toEqual({ status: 400, body: { error } });
  });

  it('is a 400 when it is empty, or is not there', async () => {
    const body = { error: 'html is empty: send the page.' };
    expect(await send('')).toEqual({ status: 400, body });
    expect(await send(gzipSync(''), { ...HTML, 'Content-Encoding': 'gzip' })).toEqual({ status: 400, body });
    const absent = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.key}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n`;
    const answered = await sendRaw(service.url, absent);
    expect([answered.slice(9, 12), answered.split('\r\n\r\n')[1]]).toEqual(['400', JSON.stringify(body)]);
  });

  it.each(['text/plain', 'application/xhtml+xml', 'application/x-www-form-urlencoded', 'text/html+x', 'html', ''])(
    'is a 415 as %j',
    async (type) => {
      expect(await send('<p>', { 'Content-Type': type })).toEqual({
        status: 415,
        body: {
          error:
            'The content type is not supported: send JSON with Content-Type: application/json, or the page itself with Content-Type: text/html.',
        },
      });
    },
  );
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

  it.each(['', 'A', 'a1', 'xn--a', 'www', '-a', 'a'.repeat(64), '\0', 'é'])(
    'refuses %j with the sentence that JSON gets',
    async (slug) => {
      expect(await send(`slug=${encodeURIComponent(slug)}`)).toEqual({ status: 400, body: await errorOf(slug) });
    },
  );

  it.each(['slug=a&slug=b', 'slug=a&slug=a', 'slug=a&slug'])(
    'refuses a slug that is given twice: %s',
    async (query) => {
      expect(await send(query)).toEqual({ status: 400, body: await errorOf(['a', 'b']) });
    },
  );

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

describe('a deployed page', () => {
  it('is served byte for byte as given, NUL, BOM and all', async () => {
    const html = '\uFEFF<p>\0\r\n\u2028\uFFFD\uFEFF é 😀 &amp; {{FORM_ACTION {{form_action}} {{ FORM_ACTION }} $& $1';
    await owner.deploy({ html, slug: 'exact' });
    const response = await page('exact').expect('Content-Type', 'text/html; charset=utf-8');
    expect({ status: response.status, html: response.text }).toEqual({ status: 200, html });
  });

  it('has every {{FORM_ACTION}} replaced by BASE_URL/submit/<id>, the original being what is stored', async () => {
    const html = "<form action={{FORM_ACTION}}></form>\0{{{FORM_ACTION}}}<form action='{{FORM_ACTION}}?a'></form>";
    const { id } = await owner.deploy({ html, slug: 'placeholder' });
    const action = `${BASE_URL}/submit/${id}`;
    expect((await page('placeholder')).text).toBe(html.replaceAll('{{FORM_ACTION}}', action));

    const [stored] = await service.db('pages').where({ deployment_id: id });
    expect(stored.html.toString()).toBe(html);
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
    expect(Math.abs(Date.parse(response.body.created_at) - Date.now())).toBeLessThan(60_000);
  });

  it('counts the submissions that are stored', async () => {
    const { id } = await owner.deploy();
    for (const body of [{ a: 1 }, { b: 2 }, { _hp: 'robot' }]) await service.anonymous.post(`/submit/${id}`).send(body);
    expect((await statusOf(id)).submission_count).toBe(2);
  });
});

/** What is stored of an owner's deployments, oldest first: whether it is deleted, its page's version and HTML. */
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
const countPages = async (): Promise<number> => Number((await service.db('pages').count('* as pages').first())?.pages);

/** How many statements wait for a row that a transaction has. */
async function statementsThatWait(): Promise<number> {
  const { rowCount } = await service.db.raw(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'",
  );
  return rowCount;
}

describe('the rows of a page', () => {
  it('are made by POST, and rise in version by one with each PUT that changes theirs', async () => {
    const who = await service.owner();
    const { id } = await who.deploy({ slug: 'rows-of-one', html: 'one' });
    await who.deploy({ slug: 'rows-of-another', html: 'another' });
    const [{ version: first }, other] = await rowsOf(who);
    for (const html of ['two', 'two', 'three']) await who.put(`/deploy/${id}`).send({ html }).expect(200);
    await who.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
    expect(await rowsOf(who)).toEqual([
      { slug: 'rows-of-one', is_deleted: false, version: first + 2, html: 'three' },
      { ...other, slug: 'rows-of-another', is_deleted: false, html: 'another' },
    ]);
  });

  it('rise by one with each change of many at once', async () => {
    const who = await service.owner();
    const { id } = await who.deploy({ html: 'before' });
    const [{ version: first }] = await rowsOf(who);
    await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        who
          .put(`/deploy/${id}`)
          .send({ html: `after ${n}` })
          .expect(200),
      ),
    );
    expect(await rowsOf(who)).toMatchObject([{ version: first + 5, html: expect.stringMatching(/^after \d$/) }]);
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
    await expect.poll(statementsThatWait, { timeout: 60_000, interval: 10 }).toBe(1);
    await holder.commit();
    expect(await answered).toEqual(answer(await who.get(`/deploy/${UNKNOWN_ID}`)));
    expect(await rowsOf(who)).toEqual([{ ...before, is_deleted: true }]);
  });

  it('are none where POST is refused for its slug or for the plan', async () => {
    const [who, limited] = [await service.owner(), await service.owner({ plan: 'free' })];
    const { slug } = await who.deploy();
    for (let live = 0; live < 3; live += 1) await limited.deploy();
    const before = [await rowsOf(who), await rowsOf(limited), await countPages()];
    expect(await who.post('/deploy').send({ html: 'x', slug })).toMatchObject({ status: 409 });
    expect(await limited.post('/deploy').send({ html: 'x' })).toMatchObject({ status: 403 });
    expect([await rowsOf(who), await rowsOf(limited), await countPages()]).toEqual(before);
  });
});

describe('PUT /deploy/:id', () => {
  it('leaves the page as it was when the deployment is deleted meanwhile', async () => {
    const { id } = await owner.deploy({ html: '<p>Kept</p>' });
    await owner.delete(`/deploy/${id}`).expect(200);
    const { owner_id: ownerId } = await service.db('deployments').where({ id }).first('owner_id');
    const late = { html: Buffer.from('<p>Too late</p>'), rendered: undefined };
    expect(
      await replaceHtml(service.db, ownerId, id, late, { pageVersions: 20, storageLimits: new Map() }),
    ).toBeUndefined();
    const { html } = await service.db('pages').where({ deployment_id: id }).first('html');
    expect(String(html)).toBe('<p>Kept</p>');
  });

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

describe('PATCH /deploy/:id', () => {
  it.each([{}, { email_notifications: true }, { email_notifications: false }, { unknown: null }])(
    'answers 200 with success and id to %j',
    async (body) => {
      const { id } = await owner.deploy();
      expect(answer(await owner.patch(`/deploy/${id}`).send(body))).toEqual({
        status: 200,
        body: { success: true, id },
      });
    },
  );

  it.each(['true', '', 1, 0, null, [], {}])('answers 400 when email_notifications is %j', async (value) => {
    const { id } = await owner.deploy();
    expect(answer(await owner.patch(`/deploy/${id}`).send({ email_notifications: value }))).toEqual(refused(400));
  });

  it('leaves the page and its address as they are', async () => {
    const { id } = await owner.deploy({ html: 'kept', slug: 'kept' });
    const before = await statusOf(id);
    await owner.patch(`/deploy/${id}`).send({ email_notifications: true, html: 'changed', slug: 'changed' });
    expect(await statusOf(id)).toEqual({ ...before, updated_at: aTime });
    expect((await page('kept')).text).toBe('kept');
  });

  it('switches mail on and off: it is off until it is switched on, and stays as it is when not named', async () => {
    const { id } = await owner.deploy();
    const sendsMail = async (settings?: object) => {
      if (settings) await owner.patch(`/deploy/${id}`).send(settings);
      const { body } = await service.anonymous.post(`/submit/${id}`).send({ a: 1 });
      return (await service.db('deliveries').where({ submission_id: body.id, webhook_id: null })).length;
    };
    expect([
      await sendsMail(),
      await sendsMail({ email_notifications: true }),
      await sendsMail({}),
      await sendsMail({ email_notifications: false }),
      await sendsMail({}),
    ]).toEqual([0, 1, 1, 0, 0]);
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
  it('answers 200 with message and id, once; then every endpoint answers 404', async () => {
    const { id } = await owner.deploy({ slug: 'deleted' });
    expect(answer(await owner.delete(`/deploy/${id}`))).toEqual({ status: 200, body: { message: aSentence, id } });
    const again = [
      await owner.delete(`/deploy/${id}`),
      await owner.get(`/deploy/${id}`),
      await owner.put(`/deploy/${id}`).send({ html: 'x' }),
      await owner.patch(`/deploy/${id}`).send({}),
      await owner.get(`/submissions/${id}`),
      await owner.get(`/webhooks/${id}`),
      await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.example/' }),
      await service.anonymous.post(`/submit/${id}`).send({ a: 1 }),
    ];
    expect(again.map(answer)).toEqual(again.map(() => refused(404)));
    expect((await page('deleted')).status).toBe(404);
  });

  it('succeeds for one of ten at once', async () => {
    const { id } = await owner.deploy();
    const answers = await repeat(10, async () => status(await owner.delete(`/deploy/${id}`)));
    expect(ascending(answers)).toEqual([200, ...Array<number>(9).fill(404)]);
  });

  it('frees the slug for anyone, in every process', async () => {
    const first = await owner.deploy({ html: 'old', slug: 'reused' });
    expect((await page('reused')).text).toBe('old');
    const there = asOwner((await service.another()).url, (await service.owner()).key);
    await owner.delete(`/deploy/${first.id}`);
    const second = await there.deploy({ html: 'new', slug: 'reused' });
    expect(second).toEqual({ id: anId, url: first.url, slug: 'reused' });
    expect(second.id).not.toBe(first.id);
    await there.delete(`/deploy/${second.id}`);
    await owner.deploy({ html: 'newest', slug: 'reused' });
    expect((await page('reused')).text).toBe('newest');
  });

  it('retains the submissions', async () => {
    const { id } = await owner.deploy();
    await service.anonymous.post(`/submit/${id}`).send({ name: 'Ada' });
    await owner.delete(`/deploy/${id}`);
    const kept = await service.db('submissions').where({ deployment_id: id });
    expect(kept.map(({ data }) => data)).toEqual(['{"name":"Ada"}']);
    expect(await service.db('deployments').where({ id }).whereNotNull('deleted_at')).toHaveLength(1);
  });
});
