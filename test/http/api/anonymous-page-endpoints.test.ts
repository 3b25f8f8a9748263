import { parse, serializeOuter } from 'parse5';
import { describe, expect, it } from 'vitest';
import { changeAccount } from '../../../src/db/account/operator-queries.ts';
import { listOwners } from '../../../src/db/account/owner-queries.ts';
import { claimPage } from '../../../src/db/deployments/anonymous-page-queries.ts';
import { hashOfKey } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { getAt, getPage, PAGES_DOMAIN, testService } from '../../support/test-service.ts';
import { zipFiles } from '../../support/zip-bytes.ts';

const MAX_HTML_BYTES = 8_000;
const QUARTER = MAX_HTML_BYTES / 4;
const service = await testService({
  ANONYMOUS_HOURS: '1.5',
  TRUST_PROXY: '1',
  MAX_HTML_BYTES: String(MAX_HTML_BYTES),
  PLAN_LIMITS: 'unlimited:none,small:1',
});
const HTML = '<title>Fair</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form>';

let networks = 0;
/** An address of a network of its own. */
function newAddress(): string {
  networks += 1;
  return `203.0.113.${networks}`;
}
const post = (from = newAddress()) => service.anonymous.post('/publish').set('X-Forwarded-For', from);

async function publish(body: object = { html: HTML }) {
  const { body: made } = await post().send(body).expect(201);
  return { ...made, token: made.claim_url.split('/').at(-1) };
}
const pagesLeft = async (id: string): Promise<number> => (await service.db('deployments').where({ id })).length;
/** The time of the page has come. */
const end = (id: string) => service.db('deployments').where({ id }).update({ expires_at: service.db.fn.now() });

describe('POST /publish', () => {
  it('publishes a page at a random address without a key', async () => {
    const before = Date.now();
    const { status, body, headers } = await post().send({ html: HTML });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^d_/),
        slug: expect.stringMatching(/^[a-z]{20}$/),
        url: `https://${body.slug}.${PAGES_DOMAIN}`,
        claim_url: expect.stringMatching(/^http:\/\/api\.test\/claim\/[0-9A-Za-z]{43}$/),
        expires_at: aTime,
      },
    ]);
    expect(headers.location).toBe(`/deploy/${body.id}`);
    expect(Date.parse(body.expires_at) - before).toBeGreaterThanOrEqual(1.5 * 3_600_000 - 60_000);
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(1.5 * 3_600_000 + 60_000);
    const page = await getPage(service.url, body.slug);
    expect([page.status, page.headers['x-robots-tag']]).toEqual([200, 'noindex']);
    for (const path of ['/thanks', '/favicon.ico', '/nothing']) {
      const others = await getAt(service.url, body.slug, path);
      expect([path, others.headers['x-robots-tag']]).toEqual([path, 'noindex']);
    }
    expect(page.text).toContain(`action="http://api.test/submit/${body.id}"`);
    expect(page.text).toContain('Published without an account');
    expect(page.text).not.toContain(body.claim_url.slice(-43));
  });

  it.each([
    ['de-AT', 'lang="de" dir="ltr"', 'Ohne Konto veröffentlicht'],
    ['ar', 'lang="ar" dir="rtl"', 'نُشرت دون حساب'],
    ['ja', 'lang="ja" dir="ltr"', 'アカウントなしで公開されたページです'],
    ['sw', 'lang="en" dir="ltr"', 'Published without an account'],
  ])('says that nobody has claimed it in the language of the page: %s', async (lang, attributes, text) => {
    const { slug } = await publish({ html: `<!doctype html><html lang="${lang}"><p>Hi` });
    const { text: page } = await getPage(service.url, slug);
    const note = `<div ${attributes} style="[^"]*">${text}[^<]*<a [^>]*>[^<]*</a></div><style>[^<]*</style>`;
    expect(page).toMatch(new RegExp(`^<!doctype html><html lang="${lang}">${note}<p>Hi$`));
  });

  it.each([
    '<title>A</title><body hidden="" class=a>\n<p>Hi<!--',
    '\uFEFF<!doctype html><!-- A --><title>A</title>\r\n<p>Hi<plaintext>',
    '<style>p{}</style><div style="display:none"><div hidden><script>',
    '<p>Hi<textarea>',
    '<p>Hi<template>',
    '<noscript><body></noscript><p>Hi<select><option>',
    '<template><body></template><svg><style><!--',
    '<title>A</title>\u0000<p>Hi<style>',
    '<title>A</title></body></html><!-- ',
    '<!doctype html><head></head><frameset><frame src="https://example.org"></frameset>',
    '<!doctype html><!-- ',
    `<!doctype html>${'<template>'.repeat(40)}`,
  ])('puts the note where nothing that is open takes it in: %j', async (html) => {
    const { slug } = await publish({ html });
    const { text } = await getPage(service.url, slug);
    const note =
      /<div lang="en" dir="ltr" style="[^"]*">Published without an account.*?<\/a><\/div><style>[^<]*<\/style>/.exec(
        text,
      )?.[0] ?? '';
    // Nothing else is changed.
    expect([note.length > 0, text.replace(note, '')]).toEqual([true, html]);
    const body = parse(text.replace('\uFEFF', '')).childNodes.flatMap((top) =>
      'childNodes' in top ? top.childNodes.filter(({ nodeName }) => nodeName === 'body') : [],
    );
    const first = body.flatMap((element) =>
      'childNodes' in element ? element.childNodes.filter(({ nodeName }) => !nodeName.startsWith('#')).slice(0, 1) : [],
    );
    expect(first.map((element) => serializeOuter(element).slice(0, 60))).toEqual([note.slice(0, 60)]);
  });

  it('runs no script of files without the note, and lets them send no form', async () => {
    const files = {
      'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'b.xhtml': '<html/>',
      'c.shtml': '<p>',
      'd.htm': '<p>',
      'e.xml': '<html xmlns="http://www.w3.org/1999/xhtml"/>',
      'f.pdf': '%PDF-1.7',
    };
    const { slug, token } = await publish({ html: HTML, files });
    const policies = () =>
      Promise.all(
        ['/a.svg', '/b.xhtml', '/c.shtml', '/e.xml', '/', '/d.htm', '/f.pdf'].map(
          async (path) =>
            (await service.anonymous.get(path).set('Host', `${slug}.${PAGES_DOMAIN}`).expect(200)).headers[
              'content-security-policy'
            ],
        ),
      );
    const none = [undefined, undefined, undefined];
    expect(await policies()).toEqual([...Array.from({ length: 4 }, () => 'sandbox'), ...none]);
    const owner = await service.owner();
    await owner.post('/claims').send({ token }).expect(200);
    expect(await policies()).toEqual(Array.from({ length: 7 }, () => undefined));
  });

  it('takes the bodies of POST /deploy, and notes HTML files of a site too', async () => {
    const bodies = [
      post().type('text/html').send(HTML),
      post().send({ html: HTML, files: { 'more.html': '<p>More', 'a.css': 'a{}' } }),
      post()
        .type('application/zip')
        .send(zipFiles({ 'index.html': HTML, 'more.html': '<p>More', 'a.css': 'a{}' })),
      post().attach('file', Buffer.from(HTML), 'index.html').field('slug', ''),
    ];
    for (const sent of bodies) {
      const { status, body } = await sent;
      expect([status, (await getPage(service.url, body.slug)).text.includes('name="email"')]).toEqual([201, true]);
    }
    const { slug } = (await bodies[1])?.body ?? {};
    const file = (path: string) => service.anonymous.get(path).set('Host', `${slug}.${PAGES_DOMAIN}`);
    expect((await file('/more.html')).text).toContain('Published without an account');
    expect([(await file('/a.css')).text, (await file('/a.css')).headers['x-robots-tag']]).toEqual(['a{}', 'noindex']);
  });

  it('takes no slug, and a quarter of MAX_HTML_BYTES for the whole body', async () => {
    const address = newAddress();
    for (const sent of [
      post(address).send({ html: HTML, slug: 'my-bank' }),
      service.anonymous.post('/publish?slug=my-bank').set('X-Forwarded-For', address).type('text/html').send(HTML),
      post(address).attach('file', Buffer.from(HTML), 'index.html').field('slug', 'my-bank'),
    ]) {
      const { status, body } = await sent;
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^slug /)]);
    }
    expect((await post(address).send({})).status).toBe(400);
    const exact = `<p>${'a'.repeat(QUARTER - 3)}`;
    expect((await post(address).type('text/html').send(`${exact}a`)).status).toBe(413);
    expect((await post(address).send({ html: exact })).status).toBe(413);
    const site = zipFiles({ 'index.html': HTML, 'a.txt': 'a'.repeat(QUARTER) });
    expect(site.length).toBeLessThan(QUARTER);
    expect((await post(address).type('application/zip').send(site)).status).toBe(413);
    expect((await post(address).type('text/html').send(exact)).status).toBe(201);
  });

  it('publishes 5 pages an hour of an IPv4 address, and of an IPv6 /56, and counts what was published only', async () => {
    for (const [own, other] of [
      [['198.51.100.7', '198.51.100.7'], '198.51.100.8'],
      [['2001:db8:1:100::1', '2001:db8:1:1ff:2::2'], '2001:db8:1:200::1'],
    ] as const) {
      for (let n = 0; n < 8; n += 1) expect((await post(own[0]).send({ html: '' })).status).toBe(400);
      const all = await Promise.all(Array.from({ length: 7 }, (_, n) => post(own[n % 2]).send({ html: HTML })));
      expect(all.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, 429, 429]);
      const late = await post(own[1]).send({ html: HTML });
      expect([late.status, late.headers['error-code']]).toEqual([429, 'too-many-anonymous-pages']);
      expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
      const wrong = await Promise.all([
        post(own[0]).type('text/plain').send(HTML),
        post(own[0])
          .type('text/html')
          .send('a'.repeat(QUARTER + 1)),
        post(own[0]).send({ html: HTML, slug: 'my-bank' }),
      ]);
      expect(wrong.map(({ status }) => status)).toEqual([415, 413, 400]);
      expect((await post(other).send({ html: HTML })).status).toBe(201);
    }
  });

  it('keeps submissions, and shows its owner in no list', async () => {
    const { id } = await publish();
    await service.anonymous.post(`/submit/${id}`).send({ email: 'ada@example.org' }).expect(200);
    expect(await service.db('deliveries').where({ deployment_id: id })).toEqual([]);
    const owners: string[] = [];
    for await (const { email } of listOwners(service.db)) owners.push(email);
    expect(owners).not.toContain('anonymous');
  });

  it('takes no files of visitors once all such pages together store too much, and submissions still', async () => {
    const { id, token } = await publish();
    const owner = await service.owner();
    const attach = () =>
      service.anonymous.post(`/submit/${id}`).field('a', '1').attach('cv', Buffer.from('cv'), 'cv.txt');
    await attach().expect(200);
    const used = (bytes: number) =>
      service
        .db('storage')
        .update({ used: bytes })
        .whereIn('owner_id', service.db('owners').where({ email: 'anonymous' }).select('id'));
    await used(SIZES.anonymous.maxStoredBytes - 1);
    const refusedFile = await attach();
    expect([refusedFile.status, refusedFile.headers['error-code']]).toEqual([413, 'no-storage-for-files']);
    await service.anonymous.post(`/submit/${id}`).send({ a: '2' }).expect(200);
    // Nobody is told by mail: the owner of these pages has no address.
    expect(await service.db('deliveries').where({ deployment_id: id })).toEqual([]);
    expect((await post().send({ html: HTML })).status).toBe(201);
    await owner.post('/claims').send({ token }).expect(200);
    await attach().expect(200);
    await used(0);
  });

  it('is erased with its submissions when nobody has claimed it', async () => {
    const { id, slug, token } = await publish();
    await service.submit(id);
    expect((await getPage(service.url, slug)).status).toBe(200);
    await end(id);
    await expect.poll(() => pagesLeft(id), { timeout: 60_000 }).toBe(0);
    expect((await getPage(service.url, slug)).status).toBe(404);
    expect(await service.db('submissions').where({ deployment_id: id })).toEqual([]);
    const owner = await service.owner();
    expect(answer(await owner.post('/claims').send({ token }))).toEqual(refused(404));
  });
});

describe('POST /claims', () => {
  it('gives the page to the owner of the key, once, with its files and submissions', async () => {
    const { id, slug, url, token } = await publish({ html: HTML, files: { 'a.css': 'a{}' } });
    const twin = await publish({ html: HTML, files: { 'a.css': 'a{}' } });
    await service.submit(id, '{"email":"ada@example.org"}');
    expect((await getPage(service.url, slug)).text).toContain('Published without an account');
    const [owner, other] = [await service.owner(), await service.owner()];
    expect((await service.anonymous.post('/claims').send({ token })).status).toBe(401);
    expect(answer(await owner.post('/claims').send({ token }))).toEqual({ status: 200, body: { id, url, slug } });
    for (const who of [owner, other]) expect((await who.post('/claims').send({ token })).status).toBe(404);
    expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
    expect((await owner.get(`/deploy/${id}/settings`)).body.expires_at).toBeNull();
    const page = await getPage(service.url, slug);
    expect([page.text.includes('Published without'), page.headers['x-robots-tag']]).toEqual([false, undefined]);
    const { storage_used: used } = (await owner.get('/me')).body;
    expect(used).toBe(Buffer.byteLength(HTML) + 3);
    // The other page has the same file, and is erased.
    await end(twin.id);
    await expect.poll(() => pagesLeft(twin.id), { timeout: 60_000 }).toBe(0);
    expect((await service.anonymous.get('/a.css').set('Host', `${slug}.${PAGES_DOMAIN}`)).text).toBe('a{}');
    expect((await owner.put(`/deploy/${id}`).send({ html: '<p>Mine' })).status).toBe(200);
  });

  it('goes to one of several owners that claim it at once', async () => {
    const { token } = await publish();
    const owners = await Promise.all(Array.from({ length: 4 }, () => service.owner()));
    const all = await Promise.all(owners.map((owner) => owner.post('/claims').send({ token })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });

  it('leaves the page offline where an operator has suspended the owner meanwhile', async () => {
    const { id, token } = await publish();
    const owner = await service.owner({ email: 'meanwhile@test.example' });
    await owner.get('/me').expect(200);
    const [{ id: ownerId }] = await service.db('owners').where({ email: 'meanwhile@test.example' }).select('id');
    await changeAccount(service.db, ownerId, { suspended: true });
    await claimPage(service.db, hashOfKey(token), { id: ownerId, limit: 1, storageLimits: new Map() });
    expect(await service.db('deployments').where({ id }).select('owner_id', 'suspended')).toEqual([
      { owner_id: ownerId, suspended: true },
    ]);
  });

  it('is a 403 at the limit of the plan, after which the page can still be claimed', async () => {
    const { id, token } = await publish();
    const owner = await service.owner({ plan: 'small' });
    const { id: own } = await owner.deploy();
    const full = await owner.post('/claims').send({ token });
    expect([full.status, full.headers['error-code']]).toEqual([403, 'plan-limit']);
    await owner.delete(`/deploy/${own}`).expect(200);
    expect((await owner.post('/claims').send({ token })).body.id).toBe(id);
  });

  it('is a 400 without a token, and a 404 for one that is not known', async () => {
    const owner = await service.owner();
    for (const body of [{}, { token: 5 }, { token: 'a'.repeat(101) }]) {
      expect((await owner.post('/claims').send(body)).status).toBe(400);
    }
    for (const token of ['', 'a'.repeat(43), '\0']) {
      expect([token, (await owner.post('/claims').send({ token })).status]).toEqual([token, 404]);
    }
  });
});

describe('ANONYMOUS_HOURS=0', () => {
  it('is a 404 everywhere', async () => {
    const off = await testService();
    const owner = await off.owner();
    expect((await off.anonymous.post('/publish').send({ html: HTML })).status).toBe(404);
    expect((await owner.post('/claims').send({ token: 'a'.repeat(43) })).status).toBe(404);
    expect((await off.anonymous.get(`/claim/${'a'.repeat(43)}`).set('Accept', 'text/html')).status).toBe(404);
  });
});
