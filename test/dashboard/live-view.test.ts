import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* A page that was just published: how it comes to visitors, and what is left to do. */

const FORM = `<!doctype html>
<title>Open day</title>
<form method="post" action="{{FORM_ACTION}}" enctype="multipart/form-data">
<label>Your name <input name="name" required></label>
<label>People <select name="people"><option>1</option><option value="2">Two</option></select></label>
<fieldset><legend>Lunch</legend><label><input type="radio" name="lunch" value="a &amp; b"> Soup</label><label><input type="radio" name="lunch" value="c"> None</label></fieldset>
<label>CV <input type="file" name="cv"></label>
<input type="hidden" name="_hp"><button name="go" value="1">Send</button>
</form>`;

const Picture = z.object({ width: z.number(), height: z.number(), data: z.array(z.number()) });

/** The pixels of an image, as a browser shows it. */
async function pixelsOf(page: Page, file: Buffer, type: string) {
  const blank = await page.context().newPage();
  const url = `data:${type};base64,${file.toString('base64')}`;
  const read = `(async () => {
    const image = new Image();
    image.src = '${url}';
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [300, 300];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, 300, 300);
    const { width, height, data } = context.getImageData(0, 0, 300, 300);
    return { width, height, data: [...data] };
  })()`;
  const { data, ...size } = Picture.parse(await blank.evaluate(read));
  await blank.close();
  return { ...size, data: Uint8Array.from(data) };
}

describe.skipIf(!hasChromium())('You’re live', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    // Nothing listens there: mail can be switched on.
    dashboard = await startDashboard({ SMTP_URL: 'smtp://127.0.0.1:9' });
  });
  afterAll(() => dashboard?.close());

  const open = (owner: Owner, id: string, options = {}): Promise<Page> =>
    dashboard.open(owner, `/dashboard/pages/${id}/page/live`, options);

  it('has the address in large letters, and opens it', async () => {
    const owner = await dashboard.owner();
    const { id, url } = await owner.deploy({ html: FORM });
    const page = await open(owner, id);
    await page
      .locator('.live-address')
      .getByRole('link', { name: new URL(url).host })
      .waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.live-address a')).fontSize")).toBe('18px');
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open page' }).click();
    expect((await opened).url()).toBe(`${url}/`);
    await page.frameLocator('iframe[title="Picture of Open day"]').getByText('Your name').waitFor();
  });

  it.each(['SVG', 'PNG'])('saves a QR code of the address as %s', async (format) => {
    const owner = await dashboard.owner();
    const { id, url, slug } = await owner.deploy({ html: FORM });
    const page = await open(owner, id);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: `${format} of the QR code` }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(`${slug}.${format.toLowerCase()}`);
    const type = format === 'SVG' ? 'image/svg+xml' : 'image/png';
    expect(decodeQR(await pixelsOf(page, await readFile(await saved.path()), type))).toBe(url);
  });

  it('has code that shows the page on another site, where its form works', async () => {
    const owner = await dashboard.owner();
    const { id, url } = await owner.deploy({ html: FORM.replace('Open day', 'A "b" <c>') });
    const page = await open(owner, id);
    await page.getByRole('button', { name: 'Copy the frame' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('<iframe ');
    const code = String(await page.evaluate('navigator.clipboard.readText()'));
    const site = await page.context().newPage();
    await site.setContent(code);
    expect(await site.locator('iframe').getAttribute('title')).toBe('A "b" <c>');
    expect(await site.locator('iframe').getAttribute('src')).toBe(url);
    const frame = site.frameLocator('iframe');
    await frame.getByLabel('Your name').fill('Ada');
    await frame.getByRole('button', { name: 'Send' }).click();
    await expect.poll(async () => (await owner.get(`/submissions/${id}`)).body.total).toBe(1);
    await frame.getByRole('heading').waitFor();
  });

  it('has the form of the page for another site', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await open(owner, id);
    await page.getByText('Only its form').click();
    const snippet = await page.locator('details pre').innerText();
    const [form] = (await owner.post('/check').send({ html: snippet }).expect(200)).body.forms;
    const [own] = (await owner.get(`/deploy/${id}/check`)).body.forms;
    const shown = own.fields.filter(({ name }: { name: string }) => !['_hp', 'go'].includes(name));
    expect(form).toMatchObject({ action: `${dashboard.origin}/submit/${id}`, enctype: own.enctype });
    expect(form.fields.slice(0, -1)).toEqual(shown);
  });

  it('ticks the steps that are done', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await open(owner, id, PHONE);
    const steps = page.getByRole('region', { name: 'Next steps' }).getByRole('listitem');
    const done = async (): Promise<string[]> =>
      (await steps.getByRole('heading', { name: /: done$/ }).allInnerTexts()).map((text) =>
        (text.split(':')[0] ?? '').trim(),
      );
    await steps.first().waitFor();
    expect(await done()).toEqual([]);
    await page.getByRole('button', { name: 'Send a test' }).tap();
    await expect.poll(done).toEqual(['Send a test']);
    const ofTest = steps.filter({ hasText: 'Send a test' });
    await ofTest.getByText('The test has arrived.').waitFor();
    await owner.send('POST', `/submit/${id}`, JSON.stringify({ name: 'Ada' }));
    await page.reload();
    await ofTest.getByText('A submission has arrived.').waitFor();
    await page.getByRole('button', { name: 'Turn on mail' }).tap();
    await expect.poll(done).toEqual(['Send a test', 'Get mail about submissions']);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Write it' }).tap();
    await page.getByLabel('Thank-you message').fill('See you there!');
    await page.getByRole('button', { name: 'Save' }).tap();
    await expect
      .poll(async () => (await owner.get(`/deploy/${id}/settings`)).body.thanks_message)
      .toBe('See you there!');
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/page/live`);
    await expect.poll(done).toEqual(['Send a test', 'Get mail about submissions', 'Thank visitors in your own words']);
    await page.getByRole('link', { name: 'Add a domain' }).tap();
    await page.getByLabel('Domain').waitFor();
  });

  it('leads from a finished page to its places, a test, mail and thanks', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/new');
    await page.getByRole('link', { name: 'Registration' }).click();
    await page.getByText('Nothing to correct.').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('link', { name: 'Set the places' }).click();
    await page.getByLabel('Places', { exact: true }).fill('40');
    await page.getByRole('button', { name: 'Save' }).click();
    const [{ id }] = (await owner.get('/deploy')).body.deployments;
    await expect.poll(async () => (await owner.get(`/deploy/${id}/settings`)).body.max_submissions).toBe(40);
    await page.getByRole('navigation', { name: 'This page' }).getByRole('link', { name: 'Page' }).click();
    await page.getByRole('link', { name: 'Next steps' }).click();
    await page.getByText('The form closes when 40 places are taken.').waitFor();
    await page.getByRole('button', { name: 'Turn on mail' }).click();
    await page.getByText('Each submission is mailed to').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('link', { name: 'See it in the inbox' }).click();
    await page.getByRole('heading', { level: 1, name: /^Inbox/ }).waitFor();
    await page.getByRole('link', { name: /Test/ }).first().waitFor();
  });
});
