import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, heading, startDashboard } from '../support/dashboard-in-browser.ts';
import { beginAtEnd, editedPage } from '../support/edited-page.ts';
import { openCode, typedCode } from '../support/typed-code.ts';

/* Editing the files of a site, and what is kept of a page that is not published. */

const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const INDEX =
  '<!doctype html><title>Site</title><link rel=stylesheet href=styles/main.css><h1>Hello</h1><img src=images/a.png alt=A>';

describe.skipIf(!hasChromium())('the dashboard, editing a site', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const site = {
    html: INDEX,
    files: {
      'styles/main.css': 'h1 {\r\n  color: rgb(1, 2, 3);\r\n}\r\n',
      'images/a.png': { content: IMAGE.toString('base64'), encoding: 'base64' },
      'team/us.html': '\ufeff<h1>Team</h1>\r\n',
    },
  };

  it('shows styles and images, and edits each file by itself with all of its bytes', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    const title = frame.getByRole('heading');
    await expect
      .poll(() => title.evaluate("getComputedStyle(document.querySelector('h1')).color"))
      .toBe('rgb(1, 2, 3)');
    await expect.poll(() => frame.getByRole('img').evaluate('document.images[0].naturalWidth')).toBe(1);
    await expectAccessible(page);
    await page.getByLabel('File').selectOption('styles/main.css');
    await page.getByLabel('styles/main.css', { exact: true }).waitFor();
    expect(await typedCode(page, 'styles/main.css')).toBe(site.files['styles/main.css']);
    await page.getByLabel('styles/main.css', { exact: true }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('p {}');
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('styles/main.css is live.').waitFor();
    const css = await owner.get(`/deploy/${id}/files/styles/main.css`).buffer(true);
    expect(css.text).toBe(`${site.files['styles/main.css']}p {}\r\n`);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/page/edit?file=team%2Fus.html`);
    const team = await editedPage(page);
    await beginAtEnd(page, team, 'Team');
    await page.keyboard.type(' & more');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('team/us.html is live.').waitFor();
    const html = await owner.get(`/deploy/${id}/files/team/us.html`).buffer(true);
    expect(html.text.replace(/^\ufeff/, '')).toBe('<h1>Team &amp; more</h1>\r\n');
  });

  it('adds a file for an image, which visitors see once it is published', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await frame.getByRole('img').click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose an image file' }).click();
    await (await choosing).setFiles({ name: 'a.png', mimeType: 'image/png', buffer: IMAGE });
    await expect.poll(() => page.getByLabel('Address of the image').inputValue()).toBe('images/a-2.png');
    await expect.poll(() => frame.getByRole('img').evaluate('document.images[0].naturalWidth')).toBe(1);
    expect((await owner.get(`/deploy/${id}/html`)).body.html).toBe(INDEX);
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body.html).toBe(INDEX.replace('images/a.png', '"images/a-2.png"'));
  });

  it('adds a file for an image of a page that had no other file, and warns of none then', async () => {
    const owner = await dashboard.owner();
    const html =
      '<title>Shop</title><img src=a.png alt=A><form method=post action={{FORM_ACTION}}><label>Name <input name=name></label><button>Send</button></form>';
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await page.getByText(/The page has no file/).waitFor();
    await frame.getByRole('img').click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose an image file' }).click();
    await (await choosing).setFiles({ name: 'b.png', mimeType: 'image/png', buffer: IMAGE });
    await page.getByText('1 form, 1 field. Nothing to correct.').waitFor();
    expect(await page.getByLabel('Address of the image').inputValue()).toBe('images/b.png');
  });

  it('says of an image of a new page that the page is published first', async () => {
    const page = await dashboard.open(await dashboard.owner(), '/dashboard/new');
    await page.getByLabel('HTML', { exact: true }).fill('<title>Shop</title><h1>Shop</h1><img src=a.png alt=A>');
    await page.getByRole('button', { name: 'Page', exact: true }).click();
    await (await editedPage(page)).getByRole('img').click();
    await page.getByText('Publish the page first: then you can choose an image file here.').waitFor();
    await expectAccessible(page);
  });

  it('keeps what is typed in a file in the account, and asks before it replaces what somebody else has published', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    const path = 'styles/main.css';
    const address = `/dashboard/pages/${id}/page/edit?file=${encodeURIComponent(path)}`;
    const draftOf = async () => (await owner.get(`/deploy/${id}/draft?file=${encodeURIComponent(path)}`)).body.html;
    const page = await dashboard.open(owner, address);
    await page.getByLabel(path, { exact: true }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('p {}');
    await page.getByText('Not published').waitFor();
    await expect.poll(draftOf).toBe(`${site.files[path]}p {}`);
    expect((await owner.get(`/deploy/${id}/draft`)).status).toBe(404);
    // Another browser goes on with it.
    const other = await dashboard.open(owner, address);
    await other.getByText('Not published').waitFor();
    expect(await typedCode(other, path)).toBe(`${site.files[path]}p {}`);
    await owner.send('PUT', `/deploy/${id}/files/${path}`, 'b {}', {});
    await other.getByRole('button', { name: 'Publish' }).click();
    const dialog = other.getByRole('dialog');
    await dialog.getByText('Somebody else has changed this page').waitFor();
    expect((await owner.get(`/deploy/${id}/files/${path}`).buffer(true)).text).toBe('b {}');
    await dialog.getByRole('button', { name: 'Publish mine' }).click();
    await other.getByText(`${path} is live.`).waitFor();
    expect((await owner.get(`/deploy/${id}/files/${path}`).buffer(true)).text).toBe(`${site.files[path]}p {}`);
    await expect.poll(draftOf).toBeUndefined();
    // Without what was typed, and back to it.
    await other.goto(dashboard.origin + address);
    await other.getByLabel(path, { exact: true }).click();
    await other.keyboard.press('Control+End');
    await other.keyboard.type('i {}');
    await expect.poll(draftOf).toBe(`${site.files[path]}p {}i {}`);
    await other.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(draftOf).toBeUndefined();
    await other.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(draftOf).toBe(`${site.files[path]}p {}i {}`);
    expect(await typedCode(other, path)).toBe(`${site.files[path]}p {}i {}`);
  });

  it('keeps an empty file in the account, and publishes it', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy(site);
    const path = 'styles/main.css';
    const query = `file=${encodeURIComponent(path)}`;
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit?${query}`);
    await page.getByLabel(path, { exact: true }).fill('');
    await expect.poll(async () => (await owner.get(`/deploy/${id}/draft?${query}`)).body.html).toBe('');
    await expect.poll(() => page.getByText('Not in your account yet').count()).toBe(0);
    const other = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit?${query}`);
    await other.getByText('Not published').waitFor();
    expect(await typedCode(other, path)).toBe('');
    await other.getByRole('button', { name: 'Publish' }).click();
    await other.getByText(`${path} is live.`).waitFor();
    const { status, text } = await owner.get(`/deploy/${id}/files/${path}`).buffer(true);
    expect([status, text]).toEqual([200, '']);
    await expect.poll(async () => (await owner.get(`/deploy/${id}/draft?${query}`)).status).toBe(404);
  });

  it('keeps what is not published in the tab, says so in the list of pages, and discards it with a way back', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: '<title>Kept</title><h1>Hello</h1>' });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await beginAtEnd(page, await editedPage(page), 'Hello');
    await page.keyboard.type(' you');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Pages', exact: true }).click();
    await page.getByRole('link', { name: 'Not published' }).click();
    await heading(page, 'Edit');
    await (await editedPage(page)).getByText('Hello you').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Your changes are discarded.').waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await heading(page, 'Edit');
    await openCode(page);
    expect(await typedCode(page)).toBe('<title>Kept</title><h1>Hello you</h1>');
  });
});
