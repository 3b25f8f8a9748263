import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, heading, startDashboard } from '../support/dashboard-in-browser.ts';
import { names, row } from '../support/inbox-in-browser.ts';

/* A site that was made for Netlify, from its folder to the inbox, without a change. */

const document = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`;

const SITE = {
  'index.html': document(
    'Bakery',
    `<form name="contact" method="POST" data-netlify="true" netlify-honeypot="company" action="/success">
      <p hidden><label>Leave this empty <input name="company"></label></p>
      <label>Your name <input name="name" required></label><label>Message <textarea name="message"></textarea></label>
      <button>Ask</button></form><a href="/order.html">Order</a>`,
  ),
  'order.html': document(
    'Order a cake',
    `<form name="cakes" method="POST" netlify action="/success">
      <input type="hidden" name="form-name" value="cakes"><label>Full name <input name="name"></label>
      <label>Cake <select name="cake"><option>Plum</option><option>Nut</option></select></label>
      <button>Order</button></form>`,
  ),
  'success.html': document('Thank you!', '<a href="/">Home</a>'),
};

function siteFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'formhost-netlify-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'bakery');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(SITE)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Drops a folder on the page, as a file manager does. */
async function drop(page: Page, folder: string): Promise<void> {
  const target = page.locator('.drop');
  await target.scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await target.boundingBox()) ?? {};
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    await session.send('Input.dispatchDragEvent', { type, x: x + 10, y: y + 10, data });
  }
}

describe.skipIf(!hasChromium())('a site that was made for Netlify', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('works when its folder is dropped on New page: each form leads to its page, and the inbox tells them apart', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    await drop(page, siteFolder());
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading(page, 'You’re live');
    const [{ id, url }] = (await owner.get('/deploy')).body.deployments;

    const visitor = await page.context().newPage();
    await visitor.goto(url);
    const thanked = async (): Promise<void> => {
      await visitor.getByRole('heading', { name: 'Thank you!' }).waitFor();
      expect(new URL(visitor.url()).pathname).toBe('/success');
    };
    const ask = async (name: string): Promise<void> => {
      await visitor.getByLabel('Your name').fill(name);
      await visitor.getByRole('button', { name: 'Ask' }).click();
      await thanked();
      await visitor.getByRole('link', { name: 'Home' }).click();
    };
    await ask('Ada');
    // A robot fills in what people do not see.
    await visitor.getByLabel('Your name').waitFor();
    await visitor.evaluate(`document.querySelector('[name=company]').value = 'Robots Ltd'`);
    await ask('Robot');
    await visitor.getByRole('link', { name: 'Order' }).click();
    await visitor.getByLabel('Full name').fill('Grace');
    await visitor.getByLabel('Cake').selectOption('Nut');
    await visitor.getByRole('button', { name: 'Order' }).click();
    await thanked();

    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await row(page, 'Ada').getByRole('cell', { name: 'contact' }).waitFor();
    await row(page, 'Grace').getByRole('cell', { name: 'cakes' }).waitFor();
    expect(await names(page)).toEqual(['Grace', 'Ada']);
    await expectAccessible(page);
    await page.locator('.inbox-bar').getByRole('button', { name: 'Forms' }).click();
    await page.getByRole('button', { name: 'cakes' }).click();
    await expect.poll(() => names(page)).toEqual(['Grace']);
    const { body } = await owner.get(`/deploy/${id}/spam`).expect(200);
    expect(body.submissions).toMatchObject([{ reason: 'honeypot', data: { name: 'Robot', company: 'Robots Ltd' } }]);
  });
});
