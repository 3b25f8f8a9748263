import type { Browser, BrowserContextOptions, Locator, Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { type Owner, startTestService, type TestService } from '../support/test-service.ts';

describe.skipIf(!hasChromium())('/docs in a browser', { timeout: 400_000 }, () => {
  let service: TestService;
  let owner: Owner;
  let browser: Browser;
  beforeAll(async () => {
    service = await startTestService();
    owner = await service.owner();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await service?.close();
  });

  type Visit = { page: Page; complaints: string[]; asked: Request[] };

  /** The page, opened in a browser of its own: what it complains of, and what it asks for. */
  async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const complaints: string[] = [];
    const asked: Request[] = [];
    context.on('console', (message) => complaints.push(message.text()));
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('request', (request) => asked.push(request));
    const page = await context.newPage();
    // Swagger UI reads the whole document before it shows anything, for seconds of processor time.
    page.setDefaultTimeout(200_000);
    await page.goto(`${service.url}/docs`, { waitUntil: 'load' });
    expect(page.url()).toBe(`${service.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    return { page, complaints, asked };
  }

  async function authorize(page: Page, key: string): Promise<void> {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const field = page.getByLabel('auth-bearer-value');
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill(key);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
  }

  /** An operation, opened. */
  async function open(page: Page, id: string): Promise<Locator> {
    const operation = page.locator(`#operations-${id}`);
    await operation.locator('.opblock-summary-control').click();
    return operation;
  }

  /** Presses Execute, and returns what was answered. */
  async function execute(operation: Locator): Promise<Response> {
    const answering = operation.page().waitForResponse((answer) => answer.request().resourceType() === 'fetch');
    await operation.getByRole('button', { name: 'Execute' }).click();
    return answering;
  }

  it('shows every operation and what webhooks receive, and sends the key nowhere else', async () => {
    const { page, complaints, asked } = await visit();
    const { paths, webhooks } = (await service.anonymous.get('/openapi.json')).body;
    const operations = Object.values({ ...paths, ...webhooks }).flatMap((item) => Object.keys(Object(item)));
    expect(await page.locator('.opblock').count()).toBe(operations.length);

    // A key may be pasted with its scheme.
    await authorize(page, ` bearer  Bearer ${owner.key} `);
    const create = await open(page, 'Deployments-createDeployment');
    const created = await execute(create);
    expect(created.status()).toBe(201);
    const { id } = await created.json();
    await create.locator('.live-responses-table').waitFor();
    expect(await create.locator('.live-responses-table .response-col_status').last().innerText()).toContain('201');
    expect(page.url()).toBe(`${service.url}/docs#/Deployments/createDeployment`);

    const status = await open(page, 'Deployments-getDeployment');
    await status.getByPlaceholder('id').fill(id);
    await execute(status);
    await status.locator('.live-responses-table').waitFor();
    expect(await status.locator('.live-responses-table').innerText()).toContain('"submission_count": 0');
    expect((await owner.get(`/deploy/${id}`)).body.slug).toBe('spring-sale');
    await owner.delete(`/deploy/${id}`);

    expect(complaints).toEqual([]);
    const urls = asked.map((request) => new URL(request.url()));
    expect(urls.filter(({ origin, protocol }) => origin !== service.url && protocol !== 'data:')).toEqual([]);
    expect(urls.filter(({ href }) => href.includes(owner.key))).toEqual([]);
    const kept = await page.context().storageState();
    expect(kept).toEqual({ cookies: [], origins: [] });
    expect(page.url()).not.toContain(owner.key);
    await page.goto(`${service.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    expect(await page.getByLabel('auth-bearer-value').inputValue()).toBe('');
  });

  it('submits in each encoding, whichever was chosen before, and with a file', async () => {
    const { page, complaints } = await visit();
    const { id } = await owner.deploy();
    const submit = await open(page, 'Submissions-submit');
    await submit.getByPlaceholder('deployId').fill(id);
    const encodings = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
    const order = [0, 1, 2, 0].map((index) => encodings[index] ?? '');
    for (const encoding of order) {
      await submit.locator('.body-param-content-type select').selectOption(encoding);
      const answer = await execute(submit);
      const type = (await answer.request().allHeaders())['content-type']?.replace(/;.*/, '');
      expect([answer.status(), type]).toEqual([200, encoding]);
    }
    const sample = { name: 'Ada', email: 'ada@example.org' };
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    expect(submissions.map(({ data }: { data: unknown }) => data)).toEqual(order.map(() => sample));

    await submit.locator('.body-param-content-type select').selectOption('multipart/form-data');
    await submit
      .getByLabel('File')
      .setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('Ada Lovelace') });
    expect((await execute(submit)).status()).toBe(200);
    const [{ data }] = (await owner.get(`/submissions/${id}`)).body.submissions;
    const file = { filename: 'cv.txt', content_type: 'text/plain', size: 12, url: expect.any(String) };
    expect(data).toEqual({ ...sample, file });
    expect((await owner.get(data.file.url)).text).toBe('Ada Lovelace');
    expect(complaints).toEqual([]);
  });

  it('is dark where the reader prefers that, accessible, and as wide as a phone', async () => {
    const { page, complaints } = await visit({ colorScheme: 'light', viewport: { width: 390, height: 800 } });
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await expect.poll(background).not.toBe('rgb(28, 32, 34)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(background).toBe('rgb(28, 32, 34)');
    const ids = ['Deployments-createDeployment', 'Submissions-submit', 'Webhooks-deleteWebhook'];
    for (const id of [...ids, 'Submissions-listSubmissions']) await open(page, id);
    await page.locator('#operations-Submissions-submit select').first().selectOption('multipart/form-data');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(complaints).toEqual([]);
    const problems = await accessibilityProblems(page);
    // Swagger UI has the answers of each operation in a table that is a landmark without a name.
    expect(problems.filter(({ rule }) => rule !== 'landmark-unique')).toEqual([]);
  });
});
