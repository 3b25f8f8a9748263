import { describe, expect, it } from 'vitest';
import { publishSite } from '../../support/publish-site.ts';
import { BASE_URL, getPage, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const html = (form = '', field = '') =>
  `<html lang="de"><title>Fest</title><h1>Anmeldung</h1><form${form} method="post" action="{{FORM_ACTION}}"><label>Name<input${field} name="n"></label><button>Los</button></form>`;
const AS_TOOL = html(' toolname="anmeldung" tooldescription="Anmeldung – Fest"', ' toolparamdescription="Name"');
const plain = (id: string, page: string): string => page.replace('{{FORM_ACTION}}', `${BASE_URL}/submit/${id}`);
const served = async (slug: string): Promise<string> => (await getPage(service.url, slug).expect(200)).text;

describe('form_tools', () => {
  it('makes the forms of a page tools, and what is stored stays as given', async () => {
    const { id, slug } = await owner.deploy({ html: html() });
    expect(await served(slug)).toBe(plain(id, html()));
    await owner.change(id, { form_tools: true }).expect(200);
    expect(await served(slug)).toBe(plain(id, AS_TOOL));
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: html() });
    await owner
      .put(`/deploy/${id}`)
      .send({ html: `<p>${html()}` })
      .expect(200);
    expect(await served(slug)).toBe(plain(id, `<p>${AS_TOOL}`));
    await owner.change(id, { form_tools: false }).expect(200);
    expect(await served(slug)).toBe(plain(id, `<p>${html()}`));
  });

  it('is read by a process that has not rendered the page', async () => {
    const { id, slug } = await owner.deploy({ html: html() });
    await service.db('deployments').where({ id }).update({ form_tools: true });
    const { url } = await service.another();
    expect((await getPage(url, slug).expect(200)).text).toBe(plain(id, AS_TOOL));
  });

  it('stays with ALTCHA, which is switched on and off beside it', async () => {
    const { id, slug } = await owner.deploy({ html: html() });
    await owner.change(id, { form_tools: true, spam: { captcha: { provider: 'altcha' } } }).expect(200);
    expect(await served(slug)).toMatch(/<form toolname="anmeldung" [\s\S]*<altcha-widget /);
    await owner.change(id, { form_tools: false }).expect(200);
    expect(await served(slug)).toMatch(/<form method="post" [\s\S]*<altcha-widget /);
    await owner.change(id, { form_tools: true, spam: { captcha: null } }).expect(200);
    expect(await served(slug)).toBe(plain(id, AS_TOOL));
  });

  it('holds for each HTML file of a site, and for no other file', async () => {
    const text = '<form method="post" action="{{FORM_ACTION}}">';
    const { id, slug } = await publishSite(owner, { 'index.html': '<p>Hi', 'a.html': html(), 'form.js': text });
    await owner.change(id, { form_tools: true }).expect(200);
    const file = async (path: string): Promise<string> => {
      const { text: sent, body } = await service.anonymous.get(path).set('Host', `${slug}.${PAGES_DOMAIN}`);
      return sent ?? String(body);
    };
    expect(await file('/a')).toBe(plain(id, AS_TOOL));
    expect(await file('/form.js')).toBe(plain(id, text));
  });
});

describe('the form check', () => {
  const noticeOf = async (id: string) => (await owner.get(`/deploy/${id}/check`).expect(200)).get('formhost-notice');

  it('hints at forms that are no tools, and keeps its list of problems clean', async () => {
    const { id } = await owner.deploy({ html: `\n${html()}` });
    const checked = await owner.get(`/deploy/${id}/check`).expect(200);
    expect(checked.body.problems).toEqual([]);
    const hint = (form: string) =>
      `Agents in browsers can have ${form} as a tool: write toolname and tooldescription into its tag, or send form_tools true in the settings of the page`;
    expect(checked.get('formhost-notice')).toBe(hint('the form in line 2'));
    const sent = await owner.post('/check').send({ html: html() + html() });
    expect(sent.get('formhost-notice')).toBe(hint('2 forms, the first in line 1'));
    const site = await publishSite(owner, { 'index.html': '<p>Hi', 'über.html': html() });
    expect(await noticeOf(site.id)).toBe(hint('the form in line 1 of %C3%BCber.html'));
  });

  it('gives no hint where the forms are tools, nor where there are errors', async () => {
    const { id } = await owner.deploy({ html: AS_TOOL });
    expect(await noticeOf(id)).toBeUndefined();
    const { id: byService } = await owner.deploy({ html: html() });
    await owner.change(byService, { form_tools: true }).expect(200);
    expect(await noticeOf(byService)).toBeUndefined();
    const { id: broken } = await owner.deploy({ html: `${html()}<form method="post" action="{{FORM_ACTON}}">` });
    expect(await noticeOf(broken)).toBeUndefined();
  });
});
