import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { textsOf } from '../support/dashboard-texts.ts';
import { beginAtEnd, editedPage } from '../support/edited-page.ts';
import { openCode, selectedCode, typedCode } from '../support/typed-code.ts';

/* Changing the HTML of a page, as an owner does it. */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';

describe.skipIf(!hasChromium())('the dashboard, Edit', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('begins at the body of the page, and says its title', async () => {
    const owner = await dashboard.owner();
    const style = `<style>\n${'p { margin: 0 }\n'.repeat(100)}</style>`;
    const { id } = await owner.deploy({ html: `<title>Ask us</title>\n${style}\n<body>\n${'<p>\n'.repeat(100)}` });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByText('Browsers and the list of your pages call it Ask us,').waitFor();
    const top = () => page.locator('.code-editor .cm-scroller').evaluate((scroller) => scroller.scrollTop);
    const [lineHeight, line] = [20, 104];
    await expect.poll(top).toBeGreaterThan((line - 10) * lineHeight);
  });

  const HTML = '<title>Mine</title>';

  it('changes the HTML of a page, on a phone', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM, slug: 'edited' });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page`, PHONE);
    await page.getByRole('link', { name: 'Edit', exact: true }).tap();
    await heading(page, 'Edit');
    await openCode(page);
    await expect.poll(() => typedCode(page)).toBe(FORM);
    await page.getByLabel('HTML').fill(HTML);
    await page.getByRole('button', { name: 'Publish' }).tap();
    await page.getByText('The new version is live.').waitFor();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: HTML });
  });

  it('shows the secret address of a preview, and leaves the live page', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByLabel('HTML').fill(HTML);
    await page.getByRole('button', { name: 'Preview link' }).click();
    const link = page.getByRole('link', { name: 'Open the preview' });
    // Browsers find hosts below localhost, and Node does not.
    const preview = await page.context().newPage();
    const shown = await preview.goto(`${await link.getAttribute('href')}`);
    expect(await shown?.text()).toBe(HTML);
    await preview.close();
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: FORM });
    await expectAccessible(page);
    // The link is of what was typed then.
    await page.getByLabel('HTML').fill(`${HTML}2`);
    await link.waitFor({ state: 'detached' });
  });

  it('asks before it replaces what somebody else has published meanwhile', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByLabel('HTML').fill(HTML);
    await owner.put(`/deploy/${id}`).send({ html: '<title>Theirs</title>' }).expect(200);
    // It still knows what it began with.
    await page.reload();
    await openCode(page);
    expect(await typedCode(page)).toBe(HTML);
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this page' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Publish mine' }).click();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: HTML });
  });

  it('undoes and redoes changes of the page, its settings and its code in the order in which they were made', async () => {
    const owner = await dashboard.owner();
    const html = '<!doctype html><title>Old</title>\r\n<h1>Hello</h1>\r\n';
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await beginAtEnd(page, await editedPage(page), 'Hello');
    await page.keyboard.insertText(' you');
    // The frame says so a moment later.
    await expect.poll(() => page.getByRole('button', { name: 'Undo', exact: true }).isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByLabel('Title', { exact: true }).fill('New');
    await openCode(page);
    const changed = html.replace('Hello', 'Hello you').replace('Old', 'New');
    await expect.poll(() => typedCode(page)).toBe(changed);
    await page.getByLabel('HTML', { exact: true }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('<p>End');
    const states = [`${changed}<p>End`, changed, html.replace('Hello', 'Hello you'), html];
    await expect.poll(() => typedCode(page)).toBe(states[0]);
    for (const state of states.slice(1)) {
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await expect.poll(() => typedCode(page)).toBe(state);
    }
    expect(await page.getByText('Not published').count()).toBe(0);
    for (const state of states.toReversed().slice(1)) {
      await page.getByRole('button', { name: 'Redo', exact: true }).click();
      await expect.poll(() => typedCode(page)).toBe(state);
    }
    // By keys too, in the code.
    await page.getByLabel('HTML', { exact: true }).click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => typedCode(page)).toBe(states[1]);
    await page.keyboard.press('Control+Shift+Z');
    await expect.poll(() => typedCode(page)).toBe(states[0]);
  });

  it.each([
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ])('leads to a line, and keeps line breaks that are %s, also those of what is pasted', async (_name, end) => {
    const owner = await dashboard.owner();
    const html = ['<title>Old</title>', '<p>One', '<form method=post action=x>', '<input name=a></form>', ''].join(end);
    const { id } = await owner.deploy({ html });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await page.getByRole('button', { name: 'line 3' }).first().click();
    await expect.poll(() => selectedCode(page)).toBe('<form method=post action=x>');
    await page.evaluate("navigator.clipboard.writeText('<p>Two\\n<p>Three\\n')");
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+v');
    await expect.poll(() => typedCode(page)).toBe(`${html}<p>Two${end}<p>Three${end}`);
    const lines = page.getByLabel('HTML', { exact: true }).locator('.cm-line');
    expect(await lines.count()).toBe(7);
    // A file has line breaks of its own.
    const dropped = await page.evaluateHandle(
      "(() => { const all = new DataTransfer(); all.items.add(new File(['<p>A\\n<p>B\\n<p>C'], 'a.html', { type: 'text/html' })); return all; })()",
    );
    await page.getByLabel('HTML', { exact: true }).dispatchEvent('drop', { dataTransfer: dropped });
    await expect.poll(() => typedCode(page)).toBe('<p>A\n<p>B\n<p>C');
    expect(await lines.allInnerTexts()).toEqual(['<p>A', '<p>B', '<p>C']);
  });

  it('finds a text in the code, in the language of the dashboard, and wraps long lines or not', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: `<title>Long</title>\n<p>${'word '.repeat(500)}needle</p>` });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`, { locale: 'de' });
    const { editor } = textsOf('de');
    await page.getByRole('button', { name: editor.modes.code, exact: true }).click();
    const code = page.getByLabel('HTML', { exact: true });
    await code.waitFor();
    await page.getByRole('button', { name: editor.code.find, exact: true }).click();
    await page.getByPlaceholder(editor.search.find).pressSequentially('needle');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    expect(await selectedCode(page)).toBe('needle');
    const isScrolled = () =>
      code.evaluate(({ parentElement: scroller }) => Number(scroller?.scrollWidth) > Number(scroller?.clientWidth));
    expect(await isScrolled()).toBe(false);
    const wrap = page.getByRole('button', { name: editor.code.wrapLines });
    await wrap.click();
    expect(await wrap.getAttribute('aria-pressed')).toBe('false');
    await expect.poll(isScrolled).toBe(true);
    await wrap.click();
    await expect.poll(isScrolled).toBe(false);
  });

  it('asks before the window is closed with a page that is new', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new?start=contact&language=en');
    const frame = await editedPage(page);
    await beginAtEnd(page, frame, 'Contact us');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await page.getByText('Not published').waitFor();
    const asked = page.waitForEvent('dialog');
    const closed = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await closed;
    await frame.getByText('Contact us!').waitFor();
  });

  it('forgets what was typed when it is cancelled', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByLabel('HTML').fill(HTML);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await openCode(page);
    expect(await typedCode(page)).toBe(FORM);
  });
});
