import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { beginAtEnd, editedPage } from '../support/edited-page.ts';

/* The settings of a page beside it: its title, its colour, and the fields of its forms. */

const FORM = `<!doctype html><title>Contact</title>
<form method=post action={{FORM_ACTION}}>
<label>Name <input name=name required></label>
<label>Phone <input name=phone></label>
<button>Send</button>
</form>`;

describe.skipIf(!hasChromium())('the dashboard, the settings beside a page', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('makes a page of a finished one on a phone: texts, a colour, a choice', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new?start=registration&language=en', PHONE);
    const frame = await editedPage(page);
    await beginAtEnd(page, frame, 'Register for the open day');
    await page.keyboard.type(' in June');
    await beginAtEnd(page, frame, 'Your name');
    await page.keyboard.type(', please');
    await beginAtEnd(page, frame, 'Register');
    await page.keyboard.type(' now');
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Settings of the page' }).tap();
    // The title of a new page follows its heading, until it has words of its own.
    expect(await page.getByLabel('Title').inputValue()).toBe('Register for the open day in June');
    await page.getByLabel('Title').fill('Open day');
    await page.getByLabel('Colour').fill('#aa2255');
    await page.getByRole('button', { name: 'Add a field' }).tap();
    await page.getByRole('button', { name: 'Add', exact: true }).tap();
    await page.getByText('Write what visitors read beside the field.').waitFor();
    const focused = (element: Locator) => page.locator(':focus').and(element).waitFor();
    await page.getByRole('button', { name: 'Don’t add it' }).tap();
    await focused(page.getByRole('button', { name: 'Add a field' }));
    await page.keyboard.press('Enter');
    await focused(page.getByLabel('Label of the new field'));
    await page.keyboard.type('Size');
    await page.getByLabel('Type').selectOption('Choice');
    for (const [index, size] of ['S', 'M', 'L', 'XL'].entries()) {
      const option = page.getByLabel(`Option ${index + 1}`, { exact: true });
      if (index > 1) await page.getByRole('button', { name: 'Add an option' }).tap();
      else await option.focus();
      await focused(option);
      await page.keyboard.type(size);
    }
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add', exact: true }).tap();
    await page.getByRole('button', { name: /^Size/ }).waitFor();
    await page.getByText('1 form, 6 fields. Nothing to correct.').waitFor();
    await page.getByRole('button', { name: 'Publish' }).tap();
    await heading(page, 'You’re live: Open day');
    const { deployments } = (await owner.get('/deploy')).body;
    const { html } = (await owner.get(`/deploy/${deployments[0].id}/html`)).body;
    expect(html).toContain('<h1>Register for the open day in June</h1>');
    expect(html).toMatch(/>\s*Your name, please\s*<input name="name"/);
    expect(html).toContain('<button type="submit">Register now</button>');
    expect(html).toContain('--accent: #aa2255;');
    expect(html.match(/name="size"[^>]*value="(S|M|L|XL)"/g)).toHaveLength(4);
  });

  it('says of options that earlier submissions keep the old words, and lets visitors choose where they have to', async () => {
    const owner = await dashboard.owner();
    const list = (attributes: string, options: string) =>
      `<title>Shop</title><form method=post action={{FORM_ACTION}}><label>Size <select name=size${attributes}>${options}</select></label><button>Send</button></form>`;
    const { id } = await owner.deploy({ html: list('', '<option>S</option><option>M</option>') });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await editedPage(page);
    const kept = page.getByText('Earlier submissions keep the old words.');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Type').selectOption('Choice');
    expect(await kept.count()).toBe(0);
    await page.getByRole('button', { name: /^Size/ }).click();
    await kept.waitFor();
    await expectAccessible(page);
    await page.getByLabel('Required').first().check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body.html).toBe(
      list(' required', '<option value=""></option><option>S</option><option>M</option>'),
    );
  });

  it('renames, requires, moves and removes fields, keeps their names, and says what stays', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    for (const data of ['{"name":"Ada","phone":"1"}', '{"name":"Grace"}', '{"name":"Alan","phone":"2"}']) {
      await owner.send('POST', `/submit/${id}`, data);
    }
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    const frame = await editedPage(page);
    await page.getByRole('button', { name: /^Name/ }).click();
    await page.getByLabel('Label', { exact: true }).fill('Your <name>');
    // Enter in a field of the page does not publish it.
    await page.getByLabel('Label', { exact: true }).press('Enter');
    await page.getByLabel('Required').uncheck();
    await page.getByRole('button', { name: 'Move Phone up' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => frame.locator('form').innerText()).toMatch(/^Phone\s+Your <name>/);
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Phone/ }).click();
    await page.getByRole('button', { name: 'Remove Phone' }).click();
    await page.getByText('Phone is removed. It stays in 2 earlier submissions.').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body.html.replaceAll('\n', '')).toBe(
      FORM.replace('<label>Phone <input name=phone></label>', '')
        .replace('Name <input name=name required>', 'Your &lt;name> <input name=name>')
        .replaceAll('\n', ''),
    );
  });
});
