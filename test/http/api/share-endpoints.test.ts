import { describe, expect, it } from 'vitest';
import { makeKey } from '../../../src/db/account/owner-queries.ts';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { asOwner, BASE_URL, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const ID = expect.stringMatching(/^share_[0-9A-Za-z]{24}$/);
const URL_OF_SHARE = expect.stringMatching(new RegExp(`^${BASE_URL}/shares/[0-9A-Za-z]{43}$`));

const make = (id: string, body: object = {}, who = owner) => who.post(`/deploy/${id}/shares`).send(body);
const list = async (id: string, query = '') => (await owner.get(`/deploy/${id}/shares${query}`).expect(200)).body;

async function shared(html?: string) {
  const page = await owner.deploy(html === undefined ? {} : { html });
  const { body } = await make(page.id).expect(201);
  return { ...page, shareId: body.id, path: body.url.replace(BASE_URL, '') };
}

const open = (path: string, to = service.url) => fetch(to + path, { headers: { Accept: 'text/html' } });
const textOf = async (path: string): Promise<string> => (await open(path)).text();

describe('the shares of a deployment', () => {
  it('are made with a secret address, which is not shown again, and listed newest first', async () => {
    const { id } = await owner.deploy();
    const first = await make(id).expect(201);
    expect(first.body).toEqual({ id: ID, url: URL_OF_SHARE });
    expect(first.headers.location).toBe(`/deploy/${id}/shares/${first.body.id}`);
    const second = await make(id, { expires_at: '2099-01-01T00:00:00+01:00' }).expect(201);
    expect(second.body.url).not.toBe(first.body.url);
    const shares = [
      { id: second.body.id, created_at: aTime, expires_at: '2098-12-31T23:00:00.000Z' },
      { id: first.body.id, created_at: aTime, expires_at: null },
    ];
    expect(await list(id)).toEqual({ shares, total: 2, page: 1, limit: 50 });
    expect(await list(id, '?page=2&limit=1')).toEqual({ shares: [shares[1]], total: 2, page: 2, limit: 1 });
  });

  it('end at a time in the future, or never', async () => {
    const { id } = await owner.deploy();
    for (const value of ['2001-01-01T00:00:00Z', 'tomorrow', 7, '', '9999-12-31T23:59:59-01:00']) {
      expect(answer(await make(id, { expires_at: value }))).toEqual(refused(400));
    }
    await make(id, { expires_at: null }).expect(201);
    expect((await list(id)).total).toBe(1);
  });

  it('are at most 50, also when they are made at once', async () => {
    const { id } = await owner.deploy();
    const { maxPerDeployment } = SIZES.share;
    const answers = await Promise.all(Array.from({ length: maxPerDeployment + 2 }, () => make(id)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(maxPerDeployment).fill(201), 409, 409]);
  });

  it('do not count once they have expired, and leave the list for others or after a week', async () => {
    const { id } = await owner.deploy();
    const { maxPerDeployment } = SIZES.share;
    const made = await Promise.all(Array.from({ length: maxPerDeployment }, () => make(id)));
    const ids = made.map(({ body }) => body.id);
    expect((await make(id)).status).toBe(409);
    const end = (some: string[], interval: string) =>
      service.db.raw('UPDATE shares SET expires_at = now() - CAST(? AS interval) WHERE id = ANY (?)', [interval, some]);
    await end(ids.slice(0, 2), '1 second');
    expect((await list(id)).total).toBe(maxPerDeployment);
    await make(id).expect(201);
    expect((await list(id)).total).toBe(maxPerDeployment - 1);
    await make(id).expect(201);
    expect((await make(id)).status).toBe(409);
    await end(ids.slice(2, 3), '7 days');
    await end(ids.slice(3, 4), '6 days 23 hours');
    await removeOldRows(service.db, { logStart: new Date(0) });
    const { shares } = await list(id, '?limit=100');
    const left = shares.map((share: { id: string }) => share.id);
    expect([left.length, left.includes(ids[2]), left.includes(ids[3])]).toEqual([maxPerDeployment - 1, false, true]);
  });

  it('are the owner’s alone, and of one page', async () => {
    const { id, shareId, path } = await shared();
    const { id: other } = await owner.deploy();
    const { key } = await makeKey(service.db, { email: 'stranger@test.example', defaultPlan: 'unlimited' });
    const stranger = asOwner(service.url, key);
    for (const refusal of [
      await stranger.get(`/deploy/${id}/shares`),
      await make(id, {}, stranger),
      await stranger.delete(`/deploy/${id}/shares/${shareId}`),
      await owner.delete(`/deploy/${other}/shares/${shareId}`),
    ]) {
      expect(answer(refusal)).toEqual(refused(404));
    }
    expect((await open(path)).status).toBe(200);
  });

  it('end at once when they are deleted, in every process', async () => {
    const another = await service.another();
    const { id, shareId, path } = await shared();
    const urls = [service.url, another.url];
    for (const url of urls) expect((await open(path, url)).status).toBe(200);
    const removed = await owner.delete(`/deploy/${id}/shares/${shareId}`);
    expect(answer(removed)).toEqual({ status: 200, body: { message: 'Share deleted', id: shareId } });
    for (const url of urls) expect((await open(path, url)).status).toBe(404);
    expect(answer(await owner.delete(`/deploy/${id}/shares/${shareId}`))).toEqual(refused(404));
  });
});

const FORM = '<form action="{{FORM_ACTION}}" method="post"><label>Full name <input name="n"></label></form>';

describe('GET /shares/:token', () => {
  it('shows submissions under the labels of the form, newest first, as text', async () => {
    const { id, path } = await shared(`<title>Sign &amp; up</title>${FORM}`);
    await service.submit(id, '{"n":"<b>Ada</b>","city":"Köln\\nNord","_redirect":"/thanks"}');
    await service.submit(id, '{"n":"Grace","tags":["a","b"]}');
    const html = await textOf(path);
    const cells = Array.from(html.matchAll(/<d[td] dir="auto">(.*?)<\/d[td]>/gs), ([, cell]) => cell);
    expect(cells).toEqual([
      ...['Full name', 'Grace', 'tags', 'a, b'],
      ...['Full name', '&lt;b&gt;Ada&lt;/b&gt;', 'city', 'Köln\nNord'],
    ]);
    expect(html).toContain('<h1>Submissions of <bdi>Sign &amp; up</bdi></h1>');
    expect(html).not.toContain('<script');
  });

  it('escapes the addresses of files', async () => {
    const { id, path } = await shared();
    const submission = await service.submit(id);
    const url = `/submissions/${id}/${submission}/files/"><b>here<b x="`;
    const data = JSON.stringify({ cv: { filename: 'cv.txt', content_type: 'text/plain', size: 2, url } });
    await service.db('submissions').where({ id: submission }).update({ data });
    const html = await textOf(path);
    expect(html).toContain(`<a href="${path}/${submission}/&quot;&gt;&lt;b&gt;here&lt;b x=&quot;">cv.txt</a>`);
  });

  it('is kept out of search engines, frames, caches and referrers', async () => {
    const { path } = await shared();
    const { headers } = await open(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
      ),
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
    });
    expect(headers.has('access-control-allow-origin')).toBe(false);
    expect((await open(`${path.slice(0, -1)}0`)).headers.get('x-robots-tag')).toBe('noindex');
  });

  it('has no IP address, note, spam or deleted submission', async () => {
    const { id, path } = await shared();
    const ids: string[] = [];
    for (const n of ['kept', 'deleted', 'spam']) ids.push(await service.submit(id, `{"n":"the ${n} one"}`));
    await owner.patch(`/submissions/${id}/${ids[0]}`).send({ note: 'secret note', starred: true }).expect(200);
    await owner.mark(id, 'delete', [ids[1]]);
    await owner.mark(id, 'spam', [ids[2]]);
    const html = await textOf(path);
    expect(html).toContain('the kept one');
    for (const hidden of ['the deleted one', 'the spam one', 'secret note', '127.0.0.1', '::1']) {
      expect(html).not.toContain(hidden);
    }
  });

  it('leads to older submissions, twenty at a time', async () => {
    const { id, path } = await shared();
    await owner.change(id, { submissions_per_minute: 100 });
    const { pageRows } = SIZES.share;
    for (let n = 1; n <= 2 * pageRows; n += 1) await service.submit(id, `{"n":"no ${n}!"}`);
    const read = async (at: string) => {
      const html = await textOf(at);
      const links = Array.from(html.matchAll(/<a href="([^"]+)">(\w+)<\/a>/g), ([, href = '', text]) => [text, href]);
      return { shown: Array.from(html.matchAll(/no (\d+)!/g), ([, n]) => Number(n)), ...Object.fromEntries(links) };
    };
    const down = (from: number) => Array.from({ length: pageRows }, (_, index) => from - index);
    const first = await read(path);
    expect(first).toEqual({ shown: down(2 * pageRows), Older: expect.stringMatching(/\?before=\d+$/) });
    expect(await read(first.Older)).toEqual({ shown: down(pageRows), Newest: path });
    for (const query of ['?before=x', '?before=1&before=2']) expect((await open(path + query)).status).toBe(400);
  });

  it('shows what is there when there is nothing', async () => {
    const { path } = await shared();
    expect(await textOf(path)).toContain('There is nothing here yet.');
  });

  it('answers one page with 404 where it works no longer, or never did', async () => {
    const expired = await shared();
    await service.db('shares').where({ id: expired.shareId }).update({ expires_at: service.db.fn.now() });
    const trashed = await shared();
    await owner.delete(`/deploy/${trashed.id}`).expect(200);
    const takenDown = await shared();
    await service.db('deployments').where({ id: takenDown.id }).update({ taken_down_at: service.db.fn.now() });
    const unknown = { path: `/shares/${'0'.repeat(43)}` };
    const pages = await Promise.all(
      [expired, trashed, takenDown, unknown, { path: '/shares/x' }].map(async ({ path }) => {
        const response = await open(path);
        return { status: response.status, html: await response.text() };
      }),
    );
    expect(pages[0]).toEqual({ status: 404, html: expect.stringContaining('This link cannot be opened') });
    expect(pages).toEqual(pages.map(() => pages[0]));
    await owner.post(`/trash/${trashed.id}/restore`).send({}).expect(200);
    expect((await open(trashed.path)).status).toBe(200);
  });

  it('may be read so often in a minute, and other shares then as before', async () => {
    const { path } = await shared();
    const other = await shared();
    const last = await Promise.all(Array.from({ length: SIZES.share.reads.max + 1 }, () => open(path)));
    const refusals = last.filter(({ status }) => status === 429);
    expect(refusals.map(({ headers }) => headers.has('retry-after'))).toEqual([true]);
    expect((await open(other.path)).status).toBe(200);
  });
});

describe('GET /shares/:token/:submissionId/:fileId', () => {
  const NAME = 'Résumé "1".txt';

  it('returns the file that the page links, as an attachment', async () => {
    const { id, path } = await shared();
    await service.anonymous.post(`/submit/${id}`).attach('cv', Buffer.from('Dear Ada'), NAME).expect(200);
    const [, href = ''] = /<a href="([^"]+)">Résumé &quot;1&quot;.txt<\/a> \(8 bytes\)/.exec(await textOf(path)) ?? [];
    const file = await open(href);
    expect([file.status, await file.text()]).toEqual([200, 'Dear Ada']);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment;/),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-store',
    });
  });

  it('answers 404 for files of spam, of deleted submissions, of other pages, and with an ended share', async () => {
    const { id, path, shareId } = await shared();
    const other = await shared();
    const fileOf = async (page: string) => {
      await service.anonymous.post(`/submit/${page}`).attach('cv', Buffer.from('x'), 'x.txt').expect(200);
      const [{ id: submissionId, data }] = (await owner.get(`/submissions/${page}`)).body.submissions;
      return { submissionId, part: `/${submissionId}/${data.cv.url.split('/').at(-1)}` };
    };
    const [kept, spam, deleted, elsewhere] = [
      await fileOf(id),
      await fileOf(id),
      await fileOf(id),
      await fileOf(other.id),
    ];
    await owner.mark(id, 'spam', [spam.submissionId]);
    await owner.mark(id, 'delete', [deleted.submissionId]);
    for (const { part } of [spam, deleted, elsewhere]) expect((await open(path + part)).status).toBe(404);
    expect((await open(path + kept.part)).status).toBe(200);
    await owner.delete(`/deploy/${id}/shares/${shareId}`).expect(200);
    expect((await open(path + kept.part)).status).toBe(404);
  });
});
