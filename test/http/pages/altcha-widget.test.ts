import { describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { publishSite } from '../../support/publish-site.ts';
import { BASE_URL, getPage, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
/** Where another process listens. */
const other = (await service.another()).url;
const owner = await service.owner();

const FORM = '<form method="post" action="{{FORM_ACTION}}"><input name="name"><button>Send</button></form>';
const SMALL = `<!doctype html><html lang="de"><title>Brief</title>${FORM}`;
const LARGE = `${SMALL}${'<p>x'.repeat(SIZES.internalPages.largeBytes / 4)}`;

const setCaptcha = (id: string, captcha: object | null) => owner.change(id, { spam: { captcha } });
const page = async (slug: string, url = service.url) => {
  const { text, headers } = await getPage(url, slug).expect(200);
  return { html: text, etag: headers.etag };
};
/** `plain` returns a page as visitors get it without ALTCHA, and `withWidget` with it. */
const plain = (id: string, html: string): string => html.replace('{{FORM_ACTION}}', `${BASE_URL}/submit/${id}`);
const withWidget = (id: string, html: string): string =>
  plain(id, html).replace(
    '<button',
    `<script src="${BASE_URL}/altcha.js" type="module" async></script>` +
      `<altcha-widget challenge="${BASE_URL}/altcha/challenge?deployment=${id}" auto="onsubmit"></altcha-widget>` +
      '<noscript><p>Bitte schalten Sie JavaScript ein: Dieses Formular unterscheidet damit Menschen von Robotern.</p></noscript><button',
  );

it("ALTCHA's widget is in the forms of each page of a site, wherever on it they lead", async () => {
  const form = (action: string): string => FORM.replace('{{FORM_ACTION}}', action);
  const about = `<html lang="de">${form('/contact')}`;
  const { id, slug } = await publishSite(owner, { 'index.html': form(''), 'about.html': about });
  const served = async () => (await service.anonymous.get('/about').set('Host', `${slug}.${PAGES_DOMAIN}`)).text;
  expect(await served()).toBe(about);
  await setCaptcha(id, { provider: 'altcha' });
  expect(await served()).toBe(withWidget(id, about));
});

describe.each([
  ['a small page', SMALL],
  ['a large page', LARGE],
])("ALTCHA's widget on %s", (_, html) => {
  it('comes with the setting and goes with it, in every process; what is stored stays as given', async () => {
    const { id, slug } = await owner.deploy({ html });
    const before = await page(slug);
    expect([before.html, (await page(slug, other)).html]).toEqual([plain(id, html), plain(id, html)]);

    await setCaptcha(id, { provider: 'altcha' });
    const changed = await page(slug);
    expect(changed.html).toBe(withWidget(id, html));
    expect(changed.etag).not.toBe(before.etag);
    await expect.poll(() => page(slug, other)).toEqual(changed);
    await getPage(service.url, slug).set('If-None-Match', String(changed.etag)).expect(304);
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html });
    expect((await owner.get(`/deploy/${id}/versions`)).body.total).toBe(1);

    await setCaptcha(id, null);
    expect(await page(slug)).toEqual(before);
    await expect.poll(() => page(slug, other)).toEqual(before);
  });

  it('is there after a change of the page and a restored version, also for a process that has not seen the page', async () => {
    const { id, slug } = await owner.deploy({ html: '<p>Soon' });
    await setCaptcha(id, { provider: 'altcha' });
    await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    expect((await page(slug)).html).toBe(withWidget(id, html));
    await owner.put(`/deploy/${id}`).send({ html: '<p>Later' }).expect(200);
    expect((await page(slug)).html).toBe('<p>Later');
    await owner.post(`/deploy/${id}/versions/2/restore`).expect(200);
    const restored = await page(slug);
    expect(restored.html).toBe(withWidget(id, html));
    expect(await page(slug, other)).toEqual(restored);
  });

  it('is there where the page was stored as it is without it', async () => {
    const { id, slug } = await owner.deploy({ html });
    await service
      .db('form_rules')
      .insert({ deployment_id: id, allowed_origins: [], blocklist: [], captcha: { provider: 'altcha' } });
    expect((await page(slug, other)).html).toBe(withWidget(id, html));
  });
});

describe('captcha-missing', () => {
  const UNENDED = '<p>\n<form method="post" action="{{FORM_ACTION}}"><input name="name"><button>Send</button>';
  const MESSAGE =
    'The form lacks the widget of the captcha that spam.captcha switches on, so that all it sends is kept as spam: ';
  const problemsOf = async (id: string) => (await owner.get(`/deploy/${id}/check`)).body.problems;

  it('is in the answer to PATCH and in the check, for a form that the widget is not put into', async () => {
    const { id } = await owner.deploy({ html: UNENDED });
    expect(await problemsOf(id)).toEqual([]);
    const { headers, body } = await setCaptcha(id, { provider: 'altcha' });
    const advice =
      'write </form> at the end of the form, outside of tables, where the service can put the widget, or write <altcha-widget> into the form';
    expect(headers['formhost-notice']).toBe(`Line 2 of the page: ${MESSAGE}${advice}`);
    expect(body).toEqual({ success: true, id });
    expect(await problemsOf(id)).toEqual([
      { code: 'captcha-missing', severity: 'error', message: `${MESSAGE}${advice}.`, line: 2, column: 1 },
    ]);
  });

  it('is for each form without the widget of another provider', async () => {
    const { id } = await owner.deploy({ html: `${FORM}${FORM}` });
    const { headers } = await setCaptcha(id, { provider: 'turnstile', secret: 'a' });
    const advice = 'put the widget of turnstile into the form';
    expect(headers['formhost-notice']).toBe(
      `Line 1 of the page, and 1 more, see GET /deploy/:id/check: ${MESSAGE}${advice}`,
    );
    expect((await problemsOf(id)).map(({ code }: { code: string }) => code)).toEqual([
      'captcha-missing',
      'captcha-missing',
    ]);
    await owner.put(`/deploy/${id}`).send({ html: FORM.replace('<button', '<div class="cf-turnstile"></div><button') });
    expect(await problemsOf(id)).toEqual([]);
    expect((await setCaptcha(id, { provider: 'turnstile' })).headers).not.toHaveProperty('formhost-notice');
  });

  it('is nowhere for a form that the service puts ALTCHA into, and for a page without forms', async () => {
    for (const html of [FORM, '<p>The form is elsewhere.']) {
      const { id } = await owner.deploy({ html });
      expect((await setCaptcha(id, { provider: 'altcha' })).headers).not.toHaveProperty('formhost-notice');
      expect((await problemsOf(id)).map(({ code }: { code: string }) => code)).not.toContain('captcha-missing');
    }
  });
});

it('a page whose forms take too much of the processor stays as it is: the pages of others wait meanwhile', async () => {
  const busy = await testService({}, undefined, { limits: { compute: { checkCpuTimeoutMs: 1 } } });
  const html = `${SMALL}${'<p>x'.repeat(400_000)}`;
  const who = await busy.owner();
  const { id, slug } = await who.deploy({ html });
  await who.change(id, { spam: { captcha: { provider: 'altcha' } } });
  const { text } = await getPage(busy.url, slug).expect(200);
  expect(text === plain(id, html)).toBe(true);
});
