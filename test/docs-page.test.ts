import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './support/chromium.ts';
import { type Owner, startTestService, type TestService } from './support/service.ts';

const executablePath = findChromium();
const isPromised = process.env.CI === 'true';

it.skipIf(executablePath !== undefined)(
  'needs Chromium: install it (apt-get install chromium)',
  { tags: 'slow' },
  ({ skip }) => {
    if (isPromised) throw new Error('Chromium is not on the PATH, and CI=true says that it is: install chromium.');
    skip('Chromium is not on the PATH: /docs was not tried.');
  },
);

describe.skipIf(executablePath === undefined)('/docs in a browser', { tags: 'slow', timeout: 60_000 }, () => {
  let service: TestService;
  let owner: Owner;
  let browser: Browser;
  beforeAll(async () => {
    service = await startTestService();
    owner = await service.owner();
    browser = await chromium.launch({ executablePath: executablePath ?? '', chromiumSandbox: false });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('shows every operation, and sends requests with the key, which goes nowhere else', async () => {
    const context = await browser.newContext();
    const complaints: string[] = [];
    const asked: URL[] = [];
    context.on('console', (message) => complaints.push(message.text()));
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('request', (request) => asked.push(new URL(request.url())));
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(service.url, { waitUntil: 'load' });
    expect(page.url()).toBe(`${service.url}/docs`);

    const { paths } = (await service.anonymous.get('/openapi.json')).body;
    const operations = Object.values(paths).flatMap((item) => Object.keys(Object(item)));
    const shown = page.locator('.opblock');
    await shown.first().waitFor();
    expect(await shown.count()).toBe(operations.length);

    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const key = page.getByLabel('auth-bearer-value');
    expect(await key.getAttribute('type')).toBe('password');
    await key.fill(owner.key);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();

    const operation = page.locator('#operations-Deployments-createDeployment');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answered = operation.locator('.live-responses-table');
    await answered.waitFor();
    expect(await answered.locator('.response-col_status').last().innerText()).toContain('201');
    const id = /d_[0-9A-Za-z]+/.exec(await answered.innerText())?.[0] ?? '';

    const status = page.locator('#operations-Deployments-getDeployment');
    await status.locator('.opblock-summary-control').click();
    await status.getByPlaceholder('id').fill(id);
    await status.getByRole('button', { name: 'Execute' }).click();
    await status.locator('.live-responses-table').waitFor();
    expect(await status.locator('.live-responses-table').innerText()).toContain('"submission_count": 0');
    expect((await owner.get(`/deploy/${id}`)).body.slug).toBe('spring-sale');

    const submit = page.locator('#operations-Submissions-submit');
    await submit.locator('.opblock-summary-control').click();
    await submit.getByPlaceholder('deployId').fill(id);
    const sample = { name: 'Ada', email: 'ada@example.org' };
    for (const encoding of ['application/json', 'application/x-www-form-urlencoded']) {
      await submit.locator('.body-param-content-type select').selectOption(encoding);
      const answering = page.waitForResponse(`${service.url}/submit/${id}`);
      await submit.getByRole('button', { name: 'Execute' }).click();
      await answering;
    }
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    expect(submissions.map(({ data }: { data: unknown }) => data)).toEqual([sample, sample]);

    expect(complaints).toEqual([]);
    expect(asked.filter(({ origin, protocol }) => origin !== service.url && protocol !== 'data:')).toEqual([]);
    expect(asked.filter(({ href }) => href.includes(owner.key))).toEqual([]);
    const kept = await context.storageState();
    expect(kept).toEqual({ cookies: [], origins: [] });
    expect(page.url()).not.toContain(owner.key);
    await page.reload();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    expect(await page.getByLabel('auth-bearer-value').inputValue()).toBe('');
    await context.close();
  });
});
