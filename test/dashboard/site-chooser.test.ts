import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';
import { typedCode } from '../support/typed-code.ts';
import { zipFiles } from '../support/zip-bytes.ts';

/* The files of a site, as an owner publishes and changes them. */

const INDEX = '<title>Site</title><link rel=stylesheet href=styles/main.css>';
const IMAGE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);

/** A folder on the disk with these files. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'formhost-site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const file = (name: string, content: string | Buffer) => ({ name, mimeType: '', buffer: Buffer.from(content) });

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  async function choose(page: Page, button: string, files: Parameters<Page['setInputFiles']>[1]): Promise<void> {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button }).click();
    await (await chooser).setFiles(files);
  }
  const filesOf = async (owner: Owner, id: string): Promise<[string, number][]> =>
    (await owner.get(`/deploy/${id}/files`)).body.files.map(({ path, bytes }: { path: string; bytes: number }) => [
      path,
      bytes,
    ]);
  const openPage = (owner: Owner, id: string): Promise<Page> => dashboard.open(owner, `/dashboard/pages/${id}/page`);

  it('publishes pages in other charsets as UTF-8, and refuses those that it can not read', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    const latin = (text: string) => Buffer.from(text, 'latin1');
    await choose(page, 'Choose a folder', folderOf({ 'index.html': INDEX, 'a.html': latin('<p>Füße') }));
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('a.html is not UTF-8, and does not say rightly what it is').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const files = {
      'index.html': latin('<meta charset=iso-8859-1><title>Gruesse</title>Füße'),
      'a.html': Buffer.from('\uFEFF<p>Füße', 'utf16le'),
      'b.html': '\uFEFF<p>Füße',
    };
    await choose(page, 'Choose a folder', folderOf(files));
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Converted to UTF-8: a.html (utf-16le), index.html (windows-1252).').waitFor();
    await page.getByRole('heading', { level: 1, name: 'You’re live' }).waitFor();
    const [{ id }] = (await owner.get('/deploy')).body.deployments;
    const contentOf = async (path: string): Promise<string> =>
      (await owner.get(`/deploy/${id}/files/${path}`).buffer().expect(200)).text;
    expect(await contentOf('index.html')).toBe('<meta charset=utf-8><title>Gruesse</title>Füße');
    expect([await contentOf('a.html'), await contentOf('b.html')]).toEqual(['<p>Füße', files['b.html']]);

    const open = await openPage(owner, id);
    await choose(open, 'Replace b.html', file('other.html', latin('<meta charset=latin1>Straße')));
    await open.getByText('b.html is replaced. Converted to UTF-8: b.html (windows-1252).').waitFor();
    expect(await contentOf('b.html')).toBe('<meta charset=utf-8>Straße');
  });

  it('reads a page that is chosen or dropped in its charset, or says why not', async () => {
    const page = await dashboard.open(await dashboard.owner(), '/dashboard/new');
    const page1252 = (declared: string) => Buffer.from(`<meta charset="${declared}"><p>Füße`, 'latin1');
    await choose(page, 'Choose a zip or files', file('a.html', page1252('utf-8')));
    await page.getByText('a.html is not UTF-8, and does not say rightly').waitFor();
    expect(await typedCode(page)).toBe('');
    await choose(page, 'Choose a zip or files', file('a.html', page1252('latin1')));
    await expect.poll(() => typedCode(page)).toBe('<meta charset="utf-8"><p>Füße');
    const dropped = (declared: string) =>
      page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        const bytes = Uint8Array.from(${JSON.stringify([...page1252(declared)])});
        data.items.add(new File([bytes], 'b.html', { type: 'text/html' }));
        return data;
      })()`);
    await page.getByLabel('HTML').dispatchEvent('drop', { dataTransfer: await dropped('unknown') });
    await page.getByText('b.html is not UTF-8, and does not say rightly').waitFor();
    await page.getByLabel('HTML').dispatchEvent('drop', { dataTransfer: await dropped('windows-1252') });
    await page.getByText('Converted to UTF-8: b.html (windows-1252).').waitFor();
    expect(await typedCode(page)).toBe('<meta charset="utf-8"><p>Füße');
  });

  it('publishes a folder, without the files of programs', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    await choose(page, 'Choose a folder', folderOf({ 'main.css': 'a' }));
    await page.getByText('There is no index.html').waitFor();
    const files = {
      'index.html': INDEX,
      'styles/main.css': 'h1 { color: red }',
      'ü?.png': IMAGE,
      '.well-known/a.txt': 'a',
      empty: '',
      '.git/config': 'private',
      'styles/.DS_Store': 'x',
      '__MACOSX/index.html': 'x',
      'styles/Icon\r': 'x',
      '.nojekyll': '',
      'styles/.well-known/b.txt': 'x',
    };
    await choose(page, 'Choose a folder', folderOf(files));
    await page.getByText('Chosen: 5 files').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Address', { exact: true }).fill('of-a-folder');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'You’re live' }).waitFor();
    const [{ id, slug }] = (await owner.get('/deploy')).body.deployments;
    expect(slug).toBe('of-a-folder');
    expect(await filesOf(owner, id)).toEqual([
      ['index.html', INDEX.length],
      ['.well-known/a.txt', 1],
      ['empty', 0],
      ['styles/main.css', 17],
      ['ü?.png', IMAGE.length],
    ]);
    const { body } = await owner.get(`/deploy/${id}/files/%C3%BC%3F.png`).buffer();
    expect(body).toEqual(IMAGE);
  });

  it('knows a zip by the type that Windows gives it', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    const buffer = zipFiles({ 'site/index.html': INDEX, 'site/.well-known/a.txt': 'a', 'site/._index.html': 'x' });
    const mimeType = 'application/x-zip-compressed';
    await choose(page, 'Choose a zip or files', { name: 'download', mimeType, buffer });
    await page.getByText('Chosen: download').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'You’re live' }).waitFor();
    const [{ id }] = (await owner.get('/deploy')).body.deployments;
    expect(await filesOf(owner, id)).toEqual([
      ['index.html', INDEX.length],
      ['.well-known/a.txt', 1],
    ]);
  });

  it('publishes a folder that is dropped, and those in it', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    // A browser lists a hundred at a time.
    const pictures = Array.from({ length: 120 }, (_, index) => [`img/${index}.png`, IMAGE] as const);
    const folder = folderOf({ 'index.html': INDEX, 'blog/2026/post.html': 'post', ...Object.fromEntries(pictures) });
    await page.locator('.drop').scrollIntoViewIfNeeded();
    const box = await page.locator('.drop').boundingBox();
    if (!box) throw new Error('There is nowhere to drop it.');
    const browser = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      const data = { items: [], files: [folder], dragOperationsMask: 1 };
      await browser.send('Input.dispatchDragEvent', { type, x: box.x + 5, y: box.y + 5, data });
    }
    await page.getByText('Chosen: 122 files').waitFor();
    await page.getByLabel('Address', { exact: true }).fill('of-a-drop');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'You’re live' }).waitFor();
    const [{ id }] = (await owner.get('/deploy')).body.deployments;
    const live = await filesOf(owner, id);
    expect(live.slice(0, 3)).toEqual([
      ['index.html', INDEX.length],
      ['blog/2026/post.html', 4],
      ['img/0.png', IMAGE.length],
    ]);
    expect(live.length).toBe(122);
  });

  it('publishes a zip that is dropped, and shows why the service refuses one', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    await choose(page, 'Choose a zip or files', file('bad.zip', zipFiles({ 'index.html': INDEX, '../a': 'a' })));
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Not saved: The file "../a" is refused').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const bytes = [...zipFiles({ 'index.html': INDEX, 'a.css': 'a' })];
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], 'site.zip'));
      return data;
    })()`);
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('Chosen: site.zip').waitFor();
    await page.getByLabel('Address', { exact: true }).fill('of-a-zip');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'You’re live' }).waitFor();
    const [{ id, slug }] = (await owner.get('/deploy')).body.deployments;
    expect(slug).toBe('of-a-zip');
    expect(await filesOf(owner, id)).toEqual([
      ['index.html', INDEX.length],
      ['a.css', 1],
    ]);
  });

  it('adds, replaces and removes single files, and replaces all', async () => {
    const owner = await dashboard.owner();
    const { id } = (await owner.post('/deploy').send({ html: INDEX, files: { 'styles/main.css': 'a' } })).body;
    const page = await openPage(owner, id);
    const list = page.getByRole('region', { name: 'Files' });
    await choose(page, 'Replace styles/main.css', file('other.css', 'aa'));
    await page.getByText('styles/main.css is replaced.').waitFor();
    await choose(page, 'Add files', [file('a.txt', 'a'), file('b.png', IMAGE)]);
    await list.getByRole('link', { name: 'b.png' }).waitFor();
    await expectAccessible(page);
    await list.getByRole('button', { name: 'Remove a.txt' }).click();
    await page.getByText('a.txt is removed.').waitFor();
    await list.getByRole('link', { name: 'a.txt' }).waitFor({ state: 'detached' });
    const before = await filesOf(owner, id);
    await page.getByRole('button', { name: 'Undo' }).click();
    await list.getByRole('link', { name: 'a.txt' }).waitFor();
    expect((await owner.get(`/deploy/${id}/files/a.txt`)).text).toBe('a');
    await list.getByRole('button', { name: 'Remove a.txt' }).click();
    await list.getByRole('link', { name: 'a.txt' }).waitFor({ state: 'detached' });
    expect(await filesOf(owner, id)).toEqual(before);
    expect(await filesOf(owner, id)).toEqual([
      ['index.html', INDEX.length],
      ['b.png', IMAGE.length],
      ['styles/main.css', 2],
    ]);
    await expect.poll(() => list.getByRole('button', { name: 'Remove' }).count()).toBe(2);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('Nothing to correct.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'Choose a zip or files', file('site.zip', zipFiles({ 'index.html': INDEX })));
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await list.getByText('This page is a single file.').waitFor();
    expect(await filesOf(owner, id)).toEqual([['index.html', INDEX.length]]);
    await page.getByText('All files are replaced.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await list.getByRole('link', { name: 'b.png' }).waitFor();
    expect(await filesOf(owner, id)).toEqual(before);
  });

  const BROKEN = '<form method=post action="{{FORM_ACTON}}"><input name=a><button>Send</button></form>';

  it.each([
    ['Choose a zip or files', () => file('site.zip', zipFiles({ 'index.html': INDEX, 'sub/ask.html': `\n${BROKEN}` }))],
    ['Choose a folder', () => folderOf({ 'index.html': INDEX, 'sub/ask.html': `\n${BROKEN}` })],
  ])('checks all files before it publishes: %s', async (button, chosen) => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    await choose(page, button, chosen());
    await page.getByText('sub/ask.html, line 2').waitFor();
    // The site has no such file.
    await page.getByText('The site has no file styles/main.css').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    const question = page.getByRole('dialog', { name: 'What visitors enter would not arrive' });
    await question.getByText('sub/ask.html, line 2').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Fix it' }).click();
    expect((await owner.get('/deploy')).body.total).toBe(0);
    await page.getByRole('button', { name: 'Publish' }).click();
    await question.getByRole('button', { name: 'Publish anyway' }).click();
    await page.getByRole('heading', { level: 1, name: 'You’re live' }).waitFor();
    expect((await owner.get('/deploy')).body.total).toBe(1);
  });

  it('shows the files that differ between two versions: images side by side, lines of texts', async () => {
    const owner = await dashboard.owner();
    const image = (color: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="${color}"/></svg>`;
    const files = {
      'logo ü.svg': image('red'),
      'main.css': 'p {\n  margin: 0;\n}\n',
      'old.bin': 'a',
      'same.js': 'a()',
    };
    const { id } = (await owner.post('/deploy').send({ html: INDEX, files })).body;
    const { 'old.bin': _removed, ...kept } = files;
    const changed = { ...kept, 'logo ü.svg': image('blue'), 'main.css': 'p {\n  margin: 1px;\n}\n', 'new.txt': 'b' };
    await owner.put(`/deploy/${id}`).send({ html: INDEX, files: changed }).expect(200);
    const page = await openPage(owner, id);
    await page.getByRole('link', { name: 'Changes in version 2' }).click();
    const card = page.getByRole('region', { name: 'Changes from version 1 to 2' });
    await card.getByText('4 files changed.').waitFor();
    expect(await card.locator('summary').allInnerTexts()).toEqual([
      'logo ü.svg Changed',
      'main.css Changed',
      'new.txt Added',
      'old.bin Removed',
    ]);
    for (const version of [1, 2]) {
      const shown = card.getByRole('img', { name: `logo ü.svg in version ${version}` });
      await expect.poll(() => shown.evaluate((element: { naturalWidth?: number }) => element.naturalWidth)).toBe(40);
    }
    await card.locator('summary', { hasText: 'main.css' }).click();
    await card.getByText('1 line added, 1 line removed.').waitFor();
    await expectAccessible(page);
    expect(await page.getByText('Both versions are the same').count()).toBe(0);
  });
});
