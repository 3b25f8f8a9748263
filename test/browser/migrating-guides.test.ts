import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../../src/lib/project.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * Does what the pages of docs/migrating say: takes the forms that they show, with and without a script, replaces each address by the one
 * in their table, and sends them in a browser from another site.
 */

const GUIDES = ['formspree', 'formsubmit', 'basin', 'getform', 'web3forms', 'netlify'];
/** The places of a reader's values in the guides. */
const SHOWN = { service: 'http://localhost:3000', id: 'YOUR_ID', site: 'https://example.org' };

const textOf = (guide: string): string => readFileSync(new URL(`docs/migrating/${guide}.md`, PROJECT), 'utf8');

/** The rows of the table of addresses: what is replaced, by what. */
function addressesIn(text: string): [before: string, after: string][] {
  const [, rows = ''] = text.split('| Before | After |\n|---|---|\n');
  return Array.from(
    rows.split('\n\n')[0]?.matchAll(/^\| `(.*?)` \| `(.*?)` \|$/gm) ?? [],
    ([, before = '', after = '']) => [before, after],
  );
}

/** The forms of a guide: one that the browser sends, and one that a script sends, with the script. */
function formsIn(text: string): { plain: string; scripted: string } {
  const [plain = ''] = /<form.*?<\/form>\n/s.exec(text) ?? [];
  const [scripted = ''] = /<form(?:(?!<form).)*?<\/form>\n<script>.*?<\/script>\n/s.exec(text) ?? [];
  return { plain, scripted };
}

describe.skipIf(!hasChromium())('the forms of docs/migrating', () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let site: Server;
  let siteUrl: string;
  let html = '';
  let context: BrowserContext;
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    site = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(request.url === '/' ? html : `<!doctype html><title>At ${request.url}</title>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const address = site.address();
    siteUrl = `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
    context = await (await openBrowser()).newContext();
  });
  afterAll(async () => {
    await context?.close();
    site?.close();
    await service?.close();
  });

  /** Publishes a page for a form that is on the other site, and returns the form with its new addresses. */
  async function moved(form: string, addresses: [string, string][]): Promise<{ id: string; form: string }> {
    const { id } = await owner.deploy();
    await owner.change(id, { allowed_origins: [siteUrl] });
    const replaced = addresses.reduce((all, [before, after]) => all.replaceAll(before, after), form);
    return {
      id,
      form: replaced.replaceAll(SHOWN.service, service.origin).replaceAll(SHOWN.id, id).replaceAll(SHOWN.site, siteUrl),
    };
  }

  /** Opens the site with a form, fills in what visitors see, and sends it. */
  async function send(form: string) {
    html = `<!doctype html><title>Site</title>${form}`;
    const page = await context.newPage();
    await page.goto(siteUrl);
    for (const field of await page.locator('input:not([type=hidden]), textarea').all()) {
      if (!(await field.isVisible())) continue;
      await field.fill((await field.getAttribute('name')) === 'email' ? 'ada@home.example' : 'Hello');
    }
    await page.getByRole('button').click();
    return page;
  }

  const storedBy = async (id: string): Promise<unknown[]> =>
    (await owner.get(`/submissions/${id}`).expect(200)).body.submissions.map(({ data }: { data: unknown }) => data);

  describe.each(GUIDES)('%s', (guide) => {
    const text = textOf(guide);
    const addresses = addressesIn(text);
    const { plain, scripted } = formsIn(text);

    it('has a form with an old address, and its new one', () => {
      expect(addresses.filter(([before]) => (plain + scripted).includes(before))).not.toEqual([]);
      expect(addresses.filter(([, after]) => !after.includes(`${SHOWN.service}/f/${SHOWN.id}`))).toEqual([]);
    });

    it('is sent without a script', async () => {
      const { id, form } = await moved(plain, addresses);
      const page = await send(form);
      const next = /name="(?:_next|redirect)" value="([^"]*)"/.exec(form)?.[1];
      await page.waitForURL(next ?? `${service.origin}/submit/${id}/thanks`);
      await page.close();
      expect(await storedBy(id)).toEqual([expect.objectContaining({ email: 'ada@home.example' })]);
    });

    it('is sent by its script, which shows a success', async () => {
      const { id, form } = await moved(scripted, addresses);
      const page = await send(form);
      await page.getByText('Thank you!').waitFor();
      await page.close();
      expect(await storedBy(id)).toEqual([expect.objectContaining({ email: 'ada@home.example' })]);
    });

    it('tells its visitor why nothing was sent', async () => {
      const { id, form } = await moved(scripted, addresses);
      await owner.change(id, { closes_at: '2020-01-01T00:00:00Z', closed_message: 'Over until spring.' });
      const page = await send(form);
      await page.getByText(guide === 'netlify' ? 'Please try again.' : 'Over until spring.').waitFor();
      await page.close();
      expect(await storedBy(id)).toEqual([]);
    });
  });

  it('need no change on a site of Netlify that is published here', async () => {
    const { id, url } = await owner.deploy({
      html: `<!doctype html><title>Site</title>${formsIn(textOf('netlify')).scripted}`,
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.locator('[name=email]').fill('ada@home.example');
    await page.getByRole('button').click();
    await page.getByText('Thank you!').waitFor();
    await page.close();
    expect(await storedBy(id)).toEqual([{ 'form-name': 'contact', email: 'ada@home.example' }]);
  });
});
