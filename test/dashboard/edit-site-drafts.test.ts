import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import { editedPage } from '../support/edited-page.ts';

/* A page of a site in the editor: with the files that are not published, and as visitors use it. */

const COLOR = "getComputedStyle(document.querySelector('h1')).color";
const INDEX = [
  '<!doctype html><title>Site</title><link rel=stylesheet href=styles/main.css>',
  '<h1>Hello</h1><a href=#part>Part</a> <a href=team.html>Team</a> <a href="https://other.example/">Other</a><img src=images/a.svg alt=A>',
  '<p style="height:200vh">Long</p><h2 id=part>Part</h2><script src=a.js></script>',
].join('');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="10"/>';
const site = {
  html: INDEX,
  files: {
    'styles/main.css': '@import "colors.css"; h2 { margin: 3px }',
    'styles/colors.css': 'h1 { color: rgb(1, 2, 3) }',
    'images/a.svg': SVG,
    'a.js': "document.querySelector('h1').dataset.ran = 'live'",
    'team.html': '<h1>Team</h1>',
  },
};

describe.skipIf(!hasChromium())('the dashboard, a site with drafts', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const tried = (page: Page) => page.frameLocator('iframe.preview');

  it('shows files that are not published in the frame, and publishes the page alone', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    const edit = `/dashboard/pages/${id}/page/edit`;
    const page = await dashboard.open(owner, `${edit}?file=styles%2Fcolors.css`);
    const css = page.getByLabel('styles/colors.css', { exact: true });
    await css.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' h1 ');
    await page.keyboard.insertText('{ color: rgb(4, 5, 6) }');
    // At once: the account does not have it yet.
    await page.getByLabel('File').selectOption('index.html');
    const frame = await editedPage(page);
    await expect.poll(() => frame.locator('h1').evaluate(COLOR)).toBe('rgb(4, 5, 6)');
    expect(await frame.locator('h2').evaluate('getComputedStyle(document.querySelector("h2")).margin')).toBe('3px');
    await page.getByText('You see it with your changes of styles/colors.css').waitFor();
    await expectAccessible(page);
    await owner
      .put(`/deploy/${id}/draft?file=images%2Fa.svg`)
      .send({ html: SVG.replace('12', '34') })
      .expect(200);
    await owner
      .put(`/deploy/${id}/draft?file=a.js`)
      .send({ html: site.files['a.js'].replace('live', 'draft') })
      .expect(200);
    await page.reload();
    await expect.poll(() => frame.getByRole('img').evaluate('document.images[0].naturalWidth')).toBe(34);
    await expect.poll(() => frame.locator('h1').evaluate(COLOR)).toBe('rgb(4, 5, 6)');
    const paths = String.raw`(?:a\.js|images/a\.svg|styles/colors\.css)`;
    await page.getByText(new RegExp(`your changes of ${paths}, ${paths},? and ${paths}, which are`)).waitFor();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await expect.poll(() => tried(page).locator('h1').getAttribute('data-ran')).toBe('draft');
    await expect.poll(() => tried(page).locator('h1').evaluate(COLOR)).toBe('rgb(4, 5, 6)');
    await page.getByRole('link', { name: 'styles/colors.css' }).click();
    await css.waitFor();
    expect((await owner.get(`/deploy/${id}/html`)).body.html).toBe(INDEX);
    expect((await owner.get(`/deploy/${id}/files/styles/main.css`).buffer(true)).text).toBe(
      site.files['styles/main.css'],
    );
  });

  it('runs scripts, finds files, and follows no link but those to parts of the page', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await editedPage(page);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    const frame = tried(page);
    await expect.poll(() => frame.locator('h1').getAttribute('data-ran')).toBe('live');
    await expect.poll(() => frame.getByRole('img').evaluate('document.images[0].naturalWidth')).toBe(12);
    await expect.poll(() => frame.locator('h1').evaluate(COLOR)).toBe('rgb(1, 2, 3)');
    await page.getByText('Links to other pages are not followed').waitFor();
    await expectAccessible(page);
    for (const name of ['Team', 'Other']) await frame.getByRole('link', { name }).click();
    expect(await frame.locator('html').evaluate('scrollY')).toBe(0);
    await frame.getByRole('link', { name: 'Part' }).click();
    await expect.poll(() => frame.locator('html').evaluate('scrollY')).toBeGreaterThan(0);
    expect(await frame.locator('h2:target').count()).toBe(1);
    expect(await frame.locator('h1').getAttribute('data-ran')).toBe('live');
  });

  it('makes a preview of a file, with the drafts of the others', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    await owner
      .put(`/deploy/${id}/draft?file=styles%2Fcolors.css`)
      .send({ html: 'h1 { color: rgb(7, 8, 9) }' })
      .expect(200);
    await owner.put(`/deploy/${id}/draft`).send({ html: '<h1>Not published</h1>' }).expect(200);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit?file=styles%2Fmain.css`);
    await page.getByLabel('styles/main.css', { exact: true }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(' p { color: red }');
    await page.getByRole('button', { name: 'Preview link' }).click();
    const link = page.getByRole('link', { name: 'Open the preview' });
    const url = (await link.getAttribute('href')) ?? '';
    await expectAccessible(page);
    const visitor = await page.context().newPage();
    const textOf = async (address: string) => (await visitor.goto(new URL(address, url).href))?.text();
    expect(await textOf('styles/main.css')).toBe(`${site.files['styles/main.css']} p { color: red }`);
    expect(await textOf('styles/colors.css')).toBe('h1 { color: rgb(7, 8, 9) }');
    expect(await textOf('images/a.svg')).toBe(SVG);
    expect(await textOf('')).toBe('<h1>Not published</h1>');
    expect((await owner.get(`/deploy/${id}/files/styles/main.css`).buffer(true)).text).toBe(
      site.files['styles/main.css'],
    );
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/page/edit?file=team.html`);
    await editedPage(page);
    await page.getByRole('button', { name: 'Preview link' }).click();
    expect(await link.getAttribute('href')).toMatch(/^http:\/\/preview-[a-z]+\..*\/team\.html$/);
  });
});
