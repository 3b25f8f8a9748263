import { describe, expect, it } from 'vitest';
import { setAccepted } from '../../support/set-accepted.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const PAST = '2000-01-01T00:00:00.000Z';
const FUTURE = '2999-03-01T09:00:00.000Z';
const HTML = '<title>Summer fair</title><meta name="theme-color" content="#ffcc00"><form></form>';

const ask = (slug: string, path = '/', method: 'get' | 'head' = 'get') =>
  service.anonymous[method](path).set('Host', `${slug}.${PAGES_DOMAIN}`);
const status = async (slug: string, path = '/'): Promise<number> => (await ask(slug, path)).status;

async function publish(settings: object): Promise<{ id: string; slug: string }> {
  const files = {
    ...{ 'style.css': 'p{}', 'more.html': '<p>More', 'sub/index.html': '<p>Sub', 'old/index.htm': '<p>Old' },
    ...{
      'strict.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"/>',
      'LOUD.HTM': '<p>!',
      'a.svg': '<svg/>',
      'xhtml.txt': 't',
    },
  };
  const page = await owner.deploy({ html: HTML, files });
  await owner.change(page.id, settings);
  return page;
}

describe('a page with closed_page', () => {
  it('answers each HTML path with the closed page, and other files as always', async () => {
    const { slug } = await publish({ closed_page: true, closes_at: PAST, closed_message: 'Over <b>now</b>.' });
    const page = await ask(slug);
    expect([page.status, page.headers['cache-control']]).toEqual([403, 'no-store']);
    expect(page.text).toContain('This form is closed');
    expect(page.text).toContain('Over &lt;b&gt;now&lt;/b&gt;.');
    expect(page.text).toContain('Summer fair');
    expect(page.text).not.toContain('Nothing was sent');
    const closed = [
      '/index.html',
      '/more',
      '/more.html',
      '/sub',
      '/sub/',
      '/old',
      '/old/',
      '/strict.xhtml',
      '/LOUD.HTM',
    ];
    for (const path of closed) expect([path, await status(slug, path)]).toEqual([path, 403]);
    const paths = ['/style.css', '/a.svg', '/xhtml.txt', '/missing'];
    expect(await Promise.all(paths.map((path) => status(slug, path)))).toEqual([200, 200, 200, 404]);
    const head = await ask(slug, '/', 'head');
    expect([head.status, head.text]).toEqual([403, undefined]);
  });

  it('sends no 304 to a browser that has the page', async () => {
    const { id, slug } = await publish({ closed_page: true, opens_at: PAST });
    const { etag } = (await ask(slug).expect(200)).headers;
    expect((await ask(slug).set('If-None-Match', `${etag}`)).status).toBe(304);
    await owner.change(id, { opens_at: FUTURE });
    const closed = await ask(slug).set('If-None-Match', `${etag}`);
    expect(closed.status).toBe(403);
    expect(closed.text).toContain('This form is not open yet');
    expect(closed.text).toContain('2999');
  });

  it('is closed while the form is full, in words of its own, and thanks the last visitor', async () => {
    const { id, slug } = await publish({ closed_page: true, max_submissions: 1, closed_message: 'Opens on Monday.' });
    expect(await status(slug)).toBe(200);
    const submission = await service.submit(id);
    await expect.poll(() => status(slug)).toBe(403);
    const { text } = await ask(slug);
    expect([text.includes('This form is full'), text.includes('Monday')]).toEqual([true, false]);
    expect(await status(slug, '/thanks')).toBe(200);
    await owner.delete(`/submissions/${id}/${submission}`).expect(200);
    await expect.poll(() => status(slug)).toBe(200);
  });

  it('closes by a time that was changed while it was in memory', async () => {
    const { id, slug } = await publish({ closed_page: true, closes_at: FUTURE });
    expect(await status(slug)).toBe(200);
    await service.db('deployments').where({ id }).update({ closes_at: new Date() });
    // Processes are told of this change.
    await owner.change(id, { retention_days: 9 });
    expect(await status(slug)).toBe(403);
  });

  it('is as always without the setting, and after the form has opened', async () => {
    const { id, slug } = await publish({ closes_at: PAST });
    expect(await status(slug)).toBe(200);
    await owner.change(id, { closed_page: true });
    expect(await status(slug)).toBe(403);
    await owner.change(id, { closes_at: null });
    expect(await status(slug)).toBe(200);
  });
});

describe('pages for visitors', () => {
  const post = (id: string) =>
    service.anonymous.post(`/submit/${id}`).set('Accept', 'text/html').type('form').send({ a: '1' });
  const DARK = '<meta name="theme-color" content="#101010" media="(prefers-color-scheme: dark)">';

  it('thank in the words of the owner, with the title and the colours of the page', async () => {
    const html = `<title>Choir &amp; band</title>${DARK}<meta name="theme-color" content="Gold">`;
    const { id } = await owner.deploy({ html });
    await owner.change(id, { thanks_message: 'See you\non <Saturday>!' });
    const { text, headers } = await service.anonymous.get(`/submit/${id}/thanks`).expect(200);
    expect(text).toContain('<title>Thank you · Choir &amp; band</title>');
    expect(text).toContain('<bdi>See you<br>on &lt;Saturday&gt;!</bdi>');
    expect(text).not.toContain('Your message has been sent');
    expect(text).toContain('--accent:#ffd700;--on-accent:#000;--link:#1b1f24;--edge:#1b1f24');
    expect(text).toContain('--accent:#101010;--on-accent:#fff;--link:#eceef2;--edge:#eceef2');
    const sources = /style-src ([^;]*);/.exec(`${headers['content-security-policy']}`)?.[1]?.split(' ');
    expect(sources?.length).toBe(2);
    await owner.change(id, { thanks_message: null });
    expect((await service.anonymous.get(`/submit/${id}/thanks`)).text).toContain('Your message has been sent');
  });

  it('say of which page they are when something is wrong', async () => {
    const { id, slug } = await owner.deploy({ html: '<title>Choir</title><meta name=theme-color content="red;}a{">' });
    const get = await service.anonymous.get(`/submit/${id}`).set('Accept', 'text/html').expect(405);
    await ask(slug).expect(200);
    const missing = await ask(slug, '/missing').expect(404);
    await setAccepted(service.db, id, 10);
    const wait = await post(id).expect(429);
    await owner.change(id, { closes_at: PAST });
    const closed = await post(id).expect(403);
    for (const { text } of [get, missing, wait, closed]) {
      expect(text).toContain('<p class="of"><bdi>Choir</bdi></p>');
      expect(text).not.toContain('red;');
    }
    const policy = `${wait.headers['content-security-policy']}`;
    expect(policy).toMatch(/script-src 'sha256-[^']+';/);
    expect(wait.text).toMatch(/<form [^>]*data-auto>/);
    expect(`${closed.headers['content-security-policy']}`).not.toContain('script-src');
  });

  it('call a page without a title by its slug, also after it was renamed', async () => {
    const { id, slug } = await owner.deploy({ html: '<title> </title><form></form>' });
    const shown = async (name: string): Promise<void> => {
      await ask(name).expect(200);
      const missing = await ask(name, '/missing').expect(404);
      const get = await service.anonymous.get(`/submit/${id}`).set('Accept', 'text/html').expect(405);
      const thanks = await service.anonymous.get(`/submit/${id}/thanks`).expect(200);
      await owner.change(id, { closes_at: PAST, closed_page: true }).expect(200);
      const [refused, closed] = [await post(id).expect(403), await ask(name).expect(403)];
      await owner.change(id, { closes_at: null }).expect(200);
      for (const { text } of [missing, get, thanks, refused, closed]) {
        expect(text).toContain(` · ${name}</title>`);
        expect(text).toContain(`<p class="of"><bdi>${name}</bdi></p>`);
      }
    };
    await shown(slug);
    await owner.change(id, { slug: `${slug}-new` }).expect(200);
    await shown(`${slug}-new`);
  });
});
