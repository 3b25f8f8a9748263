import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import { PROJECT } from '../support/process.ts';
import type { Owner } from '../support/test-service.ts';

/* The finished pages to start from: each works, on a desktop and on a small phone, light and dark. */

const FOLDER = join(PROJECT, 'examples/pages');
const PHONE = { width: 320, height: 600 };

describe.skipIf(!hasChromium())('examples/pages', () => {
  let dashboard: DashboardUnderTest;
  let owner: Owner;
  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.owner();
  });
  afterAll(() => dashboard?.close());

  it.each(readdirSync(FOLDER))('%s has a form that arrives, and is accessible', async (name) => {
    const html = readFileSync(join(FOLDER, name), 'utf8');
    const { body: checked } = await owner.post('/check').send({ html });
    expect(checked).toMatchObject({ lang: name.split('.')[1], forms: [{ submits_here: true }], problems: [] });
    // The screens of visitors have its colours, light and dark.
    const colors = [...html.matchAll(/--accent: (#\w+)/g)].map(([, color]) => color);
    expect([...html.matchAll(/"theme-color" .* content="(#\w+)"/g)].map(([, color]) => color)).toEqual(colors);
    const { url } = await owner.deploy({ html });
    const page = await dashboard.open(undefined, '/dashboard', { colorScheme: 'light' });
    await page.goto(url);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
  });
});
